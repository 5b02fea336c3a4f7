"""A home in which everything has been used once, and what can be asked of it."""

from __future__ import annotations

import io
import json
import os
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from ark_tui.domain.work import Run
from ark_tui.engine import Engine
from ark_tui.interfaces.cli.app import run
from ark_tui.interfaces.tui.state import session
from ark_tui.settings import load
from tests.ollama_server import OllamaServer

NOW = "2026-03-01T12:00:00"
NOTES = {
    "gap.md": "---\ntags: [theory]\n---\n# Spectral gaps\n\nThe spectral gap bounds the mixing time.\n",
    "krylov.md": "# Krylov\n\nLanczos restarts keep the spectral basis small. See [[gap]] and [[tea]].\n",
    "tea.md": "# Tea\n\nGreen tea is steeped at eighty degrees, with a gap between two cups. See [[gap]].\n",
    "rye.md": "# Rye bread\n\nA sourdough of rye rests for a night, then it is baked.\n",
    "copy.md": "# Rye bread\n\nA sourdough of rye rests for a night, then it is baked!\n",
    "old.md": "# Old\n\nWhat nobody needs any more, about the spectral theory of tea.\n",
}
CHAT = "chat.json"
NOBODY = "http://127.0.0.1:9"
CONFIG = f"""embedding = "ollama:nomic-embed-text"
expand = false
ollama_host = "{NOBODY}"

[keymap]
"hits.copy" = "c"
"""
QUERY = "spectral gap"
TEXTS = 4  # from which on words that share contexts are learnt, here


def build(folder: Path) -> None:
    """A home with documents, edits, memory of every kind, served vectors, a backup, a session, a log."""
    notes, home = folder / "notes", folder / "home"
    notes.mkdir()
    home.mkdir(0o700)
    for name, text in NOTES.items():
        (notes / name).write_text(text, "utf-8")
    (folder / "spare").mkdir()
    (folder / "spare" / "pots.md").write_text("# Pots\n\nClay pots are fired twice.\n", "utf-8")
    (home / "keys").write_text('ARK_TOKEN = "secret"\n')
    (home / "keys").chmod(0o600)
    os.environ |= {"ARK_NOW": NOW, "ARK_HOME": str(home), "ARK_DIRECT": "1"}
    with OllamaServer("nomic-embed-text") as server:
        os.environ["OLLAMA_HOST"] = server.host
        ids = _fill(str(notes), str(folder / "spare"))
        os.environ["OLLAMA_HOST"] = NOBODY
    (home / "config.toml").write_text(CONFIG)
    session.save(home, session.Session(query=QUERY))
    session.save(home, session.Choices(theme="dracula"))
    (home / "logs").mkdir(0o700)
    (home / "logs" / "faults.log").write_text("a fault\n")
    with Engine(load(home)) as engine:
        engine.runs.pause(Run("index", str(notes)))
    (folder / "ids.json").write_text(json.dumps(ids))
    for path in (home, *home.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)


def _fill(notes: str, spare: str) -> dict[str, str]:
    _told("index", notes, spare)
    ids = {
        "fact": _told("facts-add", "The build takes four minutes")["id"],
        "pattern": _told("patterns-add", "the tests hang", "--solution", "a timeout")["id"],
        "directive": _told("directives-add", "MUST", "run the tests first")["id"],
    }
    for line in (
        *(
            "remember CI is slow --source run",
            "scratch-set plan ask Ann first",
            "scratch-set plan ask Ben first",
        ),
        *("tasks-add call Ann", "history-add user where do otters sleep in the spectral sea"),
        *(
            "tag drink tea.md",
            "pin gap.md",
            "link tea.md gap.md",
            "trash old.md",
            f"judge {QUERY[:8]} gap.md +",
        ),
        *(
            f"saved add week {QUERY}",
            "history-search otters",
            "recall build --role planner",
            "analyze --what communities",
        ),
    ):
        _told(*line.split())
    ids["retrieval"] = _told("search", QUERY)["retrieval_id"]
    chat = json.dumps({"messages": [{"role": "user", "content": "Where were we?"}]})
    (Path(notes).parent / CHAT).write_text(chat)
    ids["context"] = _told("context", "tests", "hang")["retrieval_id"]
    ids["item"] = "u5afad0"  # of krylov.md, which has no tag
    ids["backup"] = _told("backup")["backup"]
    return ids


def _told(*words: str) -> Any:
    """What a command says as JSON."""
    stream = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with redirect_stdout(stream):
        code = run([*words, "--json"])
        stream.flush()
    said = stream.buffer.getvalue()
    assert code == 0, (words, said)
    return json.loads(said)


def commands(folder: Path) -> dict[str, list[str]]:
    """A command line for every command; `{copy}` is where the damaged copy lies."""
    ids = json.loads((folder / "ids.json").read_text())
    notes = str(folder / "notes")
    backup = "{copy}/backups/" + Path(ids["backup"]).name
    lines = {
        "index": f"index {notes}",
        "ingest": "ingest a thought on krylov",
        "ingest-file": f"ingest-file {notes}/gap.md",
        "ingest-url": "ingest-url http://127.0.0.1:9/ --private",
        "search": f"search {QUERY}",
        "similar": "similar gap.md",
        "show": "show gap.md",
        "saved-list": "saved list",
        "saved-diff": "saved diff",
        "saved-add": "saved add gaps spectral gap",
        "tags-list": "tags list",
        "publish": "publish {copy}/published",
        "tags-rename": "tags rename theory maths",
        "saved-rename": "saved rename week month",
        "saved-delete": "saved delete week",
        "searches": "searches",
        "explain": f"explain gap.md {QUERY}",
        "judge": "judge lanczos krylov.md +",
        "judgments": "judgments",
        "analyze": "analyze --what communities,foundations",
        "traverse": "traverse gap.md --direction both",
        "paths": "paths krylov.md gap.md",
        "common": "common krylov.md tea.md",
        "subgraph": "subgraph krylov.md",
        "communities": "communities",
        "community": "community 1",
        "central": "central",
        "bridges": "bridges",
        "documents-list": "documents list --tag theory",
        "queue-list": "queue list",
        "queue-show": f"queue show {ids['item']}",
        "queue-decide": f"queue decide {ids['item']} t seen",
        "note": "note buy rice",
        "tag": "tag fresh rye.md",
        "untag": "untag drink tea.md",
        "tier": "tier wiki rye.md",
        "pin": "pin rye.md",
        "unpin": "unpin gap.md",
        "link": "link rye.md gap.md",
        "unlink": "unlink tea.md gap.md",
        "supersede": "supersede copy.md --by rye.md",
        "merge": "merge rye.md copy.md",
        "trash": "trash rye.md",
        "untrash": "untrash old.md",
        "undo": "undo",
        "redo": "redo",
        "edits": "edits",
        "export-curation": "export-curation -",
        "import-curation": "import-curation /dev/null",
        "context": "context build",
        "recall": "recall build minutes --role planner",
        "expert": "expert tea",
        "think": "think why do the tests hang --role planner",
        "remember": "remember CI has no GPU --source run",
        "outcome-query": "outcome query",
        "outcome-record": "outcome record validation --issue 42 --verdict pass",
        "outcome-report": f"outcome report {ids['context']} success",
        "outcome-apply": f"outcome apply {ids['context']} {ids['pattern']}",
        "facts-add": "facts-add Water boils",
        "facts-list": "facts-list",
        "patterns-add": "patterns-add the disk is full --solution delete",
        "patterns-list": "patterns-list",
        "directives-add": "directives-add NEVER push on fridays",
        "directives-list": "directives-list",
        "correct": f"correct {ids['fact']} The build takes four minutes",
        "retire": f"retire {ids['fact']}",
        "forget": f"forget {ids['fact']}",
        "revive": f"revive {ids['fact']}",
        "memories": "memories",
        "promote": f"promote {ids['fact']} --tier wiki --reason checked",
        "memory-stats": "memory-stats",
        "scratch-set": "scratch-set plan other",
        "scratch-get": "scratch-get plan",
        "scratch-list": "scratch-list",
        "scratch-delete": "scratch-delete plan",
        "scratch-restore": "scratch-restore plan 1",
        "tasks-add": "tasks-add call Ben",
        "tasks-list": "tasks-list",
        "tasks-done": "tasks-done 1",
        "tasks-reopen": "tasks-reopen 1",
        "tasks-edit": "tasks-edit 1 call Cid",
        "tasks-delete": "tasks-delete 1",
        "history-add": "history-add user hello there",
        "history-list": "history-list",
        "history-search": "history-search otters",
        "conversations-list": "conversations list",
        "conversations-close": "conversations close default",
        "consolidate": "consolidate",
        "token-add": "token add laptop",
        "token-list": "token list",
        "token-revoke": "token revoke nobody",
        "review-list": "review list",
        "review-accuracy": "review accuracy",
        "import": f"import {folder / CHAT}",
        "conversations-create": "conversations-create plans",
        "conversations-delete": "conversations-delete default --yes",
        "scopes": "scopes",
        "status": "status",
        "coverage": "coverage",
        "fields": "fields tags",
        "collections-list": "collections list",
        "collections-rename": "collections rename notes work",
        "collections-let-go": "collections let-go spare --yes",
        "models": "models",
        "models-list": "models-list",
        "models-add": "models-add --from {copy}/nowhere",
        "models-remove": "models-remove nobody",
        "health": "health",
        "jobs-list": "jobs-list",
        "where": "where",
        "doctor": "doctor",
        "backup": "backup {copy}/other.zip",
        "restore": f"restore {backup}",
        "purge": "purge --yes",
        "config": "config",
        "config-set": "config-set theme nord",
        "config-unset": "config-unset expand",
        "config-import": "config-import {copy}/session.json",
        "completion": "completion bash",
    }
    return {name: line.split(" ") for name, line in lines.items()}


ELSEWHERE = {
    "eval": "measures sets in homes of its own",
    "serve": "asked route by route",
    "mcp": "asked tool by tool",
    "stop": "ends a home process, and each cell opens the home by itself",
    **{
        f"review-{verb}": "asks for a candidate by its id"
        for verb in ("accept", "edit", "reject", "merge", "later", "undo")
    },
    **{f"jobs-{verb}": "asks for a job by its id" for verb in ("show", "cancel", "pause", "resume")},
    "add": "hands on to ingest, ingest-file or ingest-url",
    "export": "asked by the report trials",
    "help": "opens no home",
}
"""Commands without a line, and why."""

ROUTES = (
    *(
        "/health",
        "/documents?ref=gap.md",
        "/collections",
        "/fields?key=tags",
        "/status",
        "/similar?ref=gap.md",
        "/scratch",
        "/scratch/plan",
    ),
    *("/tasks", "/history", "/history/search?query=otters", "/facts", "/patterns", "/directives"),
    *("/outcomes", "/expert/tea", "/memory-stats", "/conversations", "/conversations/default"),
    *(
        "/explain?id=gap.md&query=gap",
        "/explain?id=gap.md&query=gap&against=krylov.md",
        "/searches",
        "/judgments",
        "/traverse?ref=gap.md",
        "/subgraph?root=gap.md",
    ),
    *("/paths?source=krylov.md&target=gap.md", "/common?a=krylov.md&b=tea.md", "/communities"),
    *("/communities/1", "/central", "/bridges"),
    *("/messages?conversation_id=default", "/jobs", "/models", "/doctor"),
    *("/documents/list", "/queue?kind=untagged", "/queue/u5afad0", "/saved", "/edits", "/curation"),
    *("/memory/conversations", "/scopes", "/memories", "/review", "/review/accuracy"),
    *("/coverage", "/tags"),
)
TOOLS: dict[str, dict[str, object]] = {
    "search": {"query": QUERY},
    "knowledge_recall": {"query": "build minutes", "role": "planner"},
    "context": {"task": "build"},
    "tasks": {"action": "list"},
    "history": {"action": "search", "query": "otters"},
    "knowledge_communities": {},
    "search-query": {"collection": "notes", "query": QUERY},
}


if __name__ == "__main__":
    build(Path(sys.argv[1]))
