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
    """Command lines that between them read and write every part of a home; `{copy}` is the damaged copy."""
    ids = json.loads((folder / "ids.json").read_text())
    notes = str(folder / "notes")
    lines = {
        "index": f"index {notes}",
        "ingest": "ingest a thought on krylov",
        "search": f"search {QUERY}",
        "similar": "similar gap.md",
        "show": "show gap.md",
        "saved-diff": "saved diff",
        "searches": "searches",
        "explain": f"explain gap.md {QUERY}",
        "judge": "judge lanczos krylov.md +",
        "analyze": "analyze --what communities,foundations",
        "paths": "paths krylov.md gap.md",
        "central": "central",
        "documents-list": "documents list --tag theory",
        "queue-list": "queue list",
        "queue-decide": f"queue decide {ids['item']} t seen",
        "tag": "tag fresh rye.md",
        "link": "link rye.md gap.md",
        "merge": "merge rye.md copy.md",
        "trash": "trash rye.md",
        "undo": "undo",
        "export-curation": "export-curation -",
        "context": "context build",
        "recall": "recall build minutes --role planner",
        "think": "think why do the tests hang --role planner",
        "outcome-report": f"outcome report {ids['context']} success",
        "correct": f"correct {ids['fact']} The build takes three minutes",
        "patterns-list": "patterns-list",
        "forget": f"forget {ids['fact']}",
        "promote": f"promote {ids['fact']} --tier wiki --reason checked",
        "scratch-get": "scratch-get plan",
        "tasks-add": "tasks-add call Ben",
        "history-search": "history-search otters",
        "conversations-delete": "conversations-delete default --yes",
        "consolidate": "consolidate",
        "token-list": "token list",
        "status": "status",
        "collections-rename": "collections rename notes work",
        "models": "models",
        "doctor": "doctor",
        "backup": "backup {copy}/other.zip",
        "restore": "restore {copy}/backups/" + Path(ids["backup"]).name,
        "purge": "purge --yes",
        "config-set": "config-set theme nord",
    }
    return {name: line.split(" ") for name, line in lines.items()}


if __name__ == "__main__":
    build(Path(sys.argv[1]))
