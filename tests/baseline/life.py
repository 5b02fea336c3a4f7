"""A home's life by script: every command, route and tool once, over a few notes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.baseline.program import ark, served
from tests.ollama_server import Model, OllamaServer

MODIFIED = 1_759_312_800  # 2025-10-01 10:00 UTC
MODEL = "nomic-embed-text"

NOTES = {
    "gap.md": "---\ntitle: Spectral gaps\ndate: 2025-11-02\ntags: [theory]\ntier: wiki\n---\n"
    "# Spectral gaps\n\n"
    "The spectral gap of a reversible chain bounds its mixing time; see [[lanczos]].\n\n## Where it fails\n\n"
    "The gap says nothing about a cutoff.\n",
    "lanczos.md": "---\ntitle: Lanczos, restarted\ntags: [numerics]\nbuilds_on: [gap]\n---\n"
    "# Lanczos, restarted\n\n"
    "Krylov subspaces find the outer eigenvalues first. A small spectral gap is slow; see [[gap]].\n",
    "old-gap.md": "---\ntitle: Gaps, first draft\nsuperseded_by: gap\n---\n# Gaps, first draft\n\n"
    "A gap of the spectrum bounds how a chain mixes.\n",
    "bread.md": "# Bread\n\nSourdough wants time, flour, water and salt.\n\n- [ ] buy rye\n",
    "bread-copy.md": "# Bread\n\nSourdough wants time, flour, water and salt.\n\n- [ ] buy rye\n",
    "walk.md": "# Random walks\n\nA walk on a graph forgets its start within the mixing time; see [[gap]].\n",
    "code/gap.py": 'def gap(values: list[float]) -> float:\n    """The distance."""\n'
    "    first, second = sorted(values)[-2:]\n    return second - first\n",
    "cards.jsonl": '{"id": "c1", "title": "Card one", "text": "Repetition flattens the forgetting curve."}\n'
    '{"id": "c2", "title": "Card two", "text": "Spacing beats massing."}\n',
    "plain.txt": "Index cards in a box. One idea on each card.\n",
    "page.html": "<html><head><title>Late interaction</title></head><body><h1>Late interaction</h1>"
    "<p>Every token of the query meets every token of the page.</p></body></html>\n",
    "data.json": '{"title": "Numbers", "text": "A table of eigenvalues, in JSON."}\n',
    "suche.md": "# 検索\n\n全文検索は文字の並びを索引にする。\n",
    "picture.png": "\x89PNG\r\n\x1a\n\x00\x00",
    "empty.md": "",
}

Told = Iterator[tuple[str, Any]]
"""What each command, route or tool answered: its name, and JSON."""


def notes(folder: Path) -> Path:
    """The notes, written with a fixed date."""
    for name, text in NOTES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("latin-1" if name.endswith(".png") else "utf-8"))
        os.utime(path, (MODIFIED, MODIFIED))
    return folder


class Life:
    """Runs command lines and keeps what each command answered."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.told: list[tuple[str, Any]] = []

    def __call__(self, name: str, *arguments: object, code: int = 0) -> Any:
        """One command with `--json`; `name` may have two words. What it answered, under its name."""
        done = ark(*name.split(), *arguments, "--json")
        assert done.code == code, (name, arguments, done)
        said = json.loads(done.out or "null")
        self.told.append((name, said))
        return said


def lived(folder: Path, *, more: bool = True) -> list[tuple[str, Any]]:
    """The life of the home in the environment; `more`: with what takes its time or leaves nothing behind."""
    life = Life(folder)
    written = notes(folder / "notes")
    life("index", written, "--tag", "study")
    _searched(life)
    _curated(life)
    _known(life)
    _kept_beside(life)
    _models(life)
    if more:
        _looked_after(life)
    return life.told


def _searched(life: Life) -> None:
    first = life("search", "spectral gap", "--explain")
    life("search", "sourdough", "--mode", "keyword")
    life("search", "quarterly tax return of a shipping company in 1911", "--below")
    life("search", "spectrl gaap")
    life("search", "spectral gap mixing", "--superseded", "--graph", "--hops", "3", "--mmr", "0.7")
    life("similar", "gap.md")
    life("show", "gap.md", "-q", "mixing")
    life("show", "gap.py:1:2")
    life("saved add", "week", "spectral", "tag:theory")
    life("saved add", "gone", "bread")
    life("saved rename", "week", "month")
    life("saved delete", "gone")
    life("saved")
    life("search", "@month")
    life("searches")
    life("rerun", first["retrieval_id"])
    life("judge", "spectral gap", "gap.md", "++")
    life("judge", "spectral gap", "bread.md", "-")
    life("judge")
    life("judge", "--export", life.folder / "judged")
    life("eval", "--mine", "--ablate", "--compare", "ark", "default", "--run-dir", life.folder / "runs")


def _curated(life: Life) -> None:
    life("tag", "kitchen,slow", "bread.md", "plain.txt")
    life("untag", "slow", "plain.txt")
    life("tier", "reflection", "walk.md")
    life("pin", "gap.md")
    life("pin", "walk.md")
    life("unpin", "walk.md")
    life("pin")
    life("link", "walk.md", "lanczos.md", "--as", "builds_on")
    life("link", "walk.md", "bread.md", "--as", "contradicts")
    life("link", "bread.md", "gap.md")
    life("unlink", "bread.md", "gap.md")
    life("supersede", "plain.txt", "--by", "suche.md")
    life("queue")
    waiting = life("queue", "--kind", "unfound")
    waiting = life("queue", "--kind", "duplicate")
    if waiting["items"]:
        life("queue", waiting["items"][0]["id"], "l")
    life("merge", "bread.md", "bread-copy.md")
    life("trash", "page.html")
    life("trash", "data.json")
    life("untrash", "data.json")
    life("trash")
    life("note", "Buy rye flour.", "--title", "Flour", "--tag", "kitchen")
    life("tag", "passing", "walk.md")
    life("undo")
    life("redo")
    life("undo")
    life("export-curation", life.folder / "curation.jsonl")
    life("import-curation", life.folder / "curation.jsonl")
    life("ingest", "Gaps close slowly.", "--title", "Gap thought", "--source", "a walk")
    life("ingest-file", life.folder / "notes" / "walk.md", "--tag", "single")


def _known(life: Life) -> None:
    fact = life("facts-add", "Lanczos needs reorthogonalisation.", "--source", "gap.md", "--tag", "numerics")
    spare = life("facts-add", "Rye is a grain.")
    life("facts-edit", fact["id"], "Lanczos loses orthogonality without help.")
    life("facts-retire", spare["id"])
    life("facts-list")
    life("revive", spare["id"], "--reason", "It is one after all.")
    life("facts-retire", spare["id"])
    pattern = life("patterns-add", "Ghost eigenvalues", "--solution", "Reorthogonalise.", "--tag", "numerics")
    spare = life("patterns-add", "Dry bread", "--solution", "More water.")
    life("patterns-edit", pattern["id"], "--solution", "Reorthogonalise fully.")
    life("patterns-retire", spare["id"])
    life("patterns-list")
    rule = life("directives-add", "MUST", "Cite the source.", "--priority", "5")
    spare = life("directives-add", "AVOID", "Jargon.", "--scope", "letters")
    life("directives-edit", rule["id"], "Cite every source.", "--priority", "7")
    life("directives-retire", spare["id"])
    life("directives-list")
    life("remember", "The restart length was forty.", "--source", "run-7", "--tag", "numerics")
    known = life("context", "ghost eigenvalues of Lanczos", "--budget", "400", "--explain")
    life("recall", "spectral gap", "--role", "planner")
    life("expert", "numerics", "--issue", "7")
    life("think", "How do chains mix?")
    life(
        "outcome record",
        "review",
        "--issue",
        "7",
        "--verdict",
        "pass",
        "--component-area",
        "search",
        "--payload",
        '{"n": 1}',
    )
    life("outcome query")
    life("outcome query", "--aggregate")
    life("outcome apply", known["retrieval_id"], pattern["id"])
    life("outcome report", known["retrieval_id"], "success")
    memories = life("memories")
    item = memories["memories"][0]["id"] if "memories" in memories else fact["id"]
    life("promote", fact["id"], "--tier", "reflection", "--reason", "It has proved itself.")
    life("promote", item)
    life("memory-stats", "--since", "2026-01-01")


def _kept_beside(life: Life) -> None:
    for value in ("ask Ben", "ask Cat"):
        life("scratch-set", "plan", value)
    life("scratch-set", "spare", "x")
    life("scratch-get", "plan")
    life("scratch-get", "plan", "--history")
    life("scratch-restore", "plan", "1")
    life("scratch-delete", "spare")
    life("scratch-list")
    life("tasks-add", "feed the otters", "--due", "tomorrow", "--tag", "zoo")
    life("tasks-add", "bake")
    life("tasks-add", "post the letter")
    life("tasks-add", "read the referee's report")
    life("tasks-edit", "2", "bake two loaves", "--tag", "kitchen", "--before", "1")
    life("tasks-done", "1", "3")
    life("tasks-reopen", "1")
    life("tasks-delete", "4")
    life("tasks-list")
    life("tasks-list", "--all")
    life("conversations-create", "otters")
    life("conversations-create", "spare")
    asked = life("history-add", "user", "where do otters sleep?", "--conversation", "otters")
    life("history-add", "assistant", "In rafts, holding hands.", "--conversation", "otters")
    life("history-add", "user", "thanks", "--agent", "ann", "--session", "one")
    life("history-list", "--conversation", "otters")
    life("history-search", "rafts")
    life("conversations")
    life("conversations-delete", "spare", "--yes")
    life("scopes")
    life("promote", asked.get("message", asked)["id"], "--layer", "3", "--reason", "Worth keeping.")


def _models(life: Life) -> None:
    """A served model has vectors of its own beside those of the embedded one."""
    with OllamaServer(Model(MODEL), Model("chat", embeds=False)) as server:
        kept, os.environ["OLLAMA_HOST"] = os.environ["OLLAMA_HOST"], server.host
        try:
            life("models", "--use", f"ollama:{MODEL}")
            life("search", "spectral gap")
            life("models")
            server.answer = "Chains mix as the gap allows [1]."
            os.environ["ARK_CHAT_MODEL"] = "chat"
            life("think", "How do chains mix?")
            del os.environ["ARK_CHAT_MODEL"]
            life("models", "--use", "static")
        finally:
            os.environ["OLLAMA_HOST"] = kept


def _looked_after(life: Life) -> None:
    life("index", "--dry-run", life.folder / "notes")
    done = ark("index", life.folder / "notes", "--jsonl")
    life.told += [("index --jsonl", json.loads(line)) for line in done.out.splitlines()]
    life("analyze")
    for name in ("traverse", "subgraph"):
        life(name, "gap.md")
    life("paths", "walk.md", "gap.md")
    life("common", "walk.md", "lanczos.md")
    life("status")
    life("collections")
    other = life.folder / "other"
    other.mkdir()
    (other / "one.md").write_text("# One\n\nA single note.\n", "utf-8")
    life("index", other)
    life("collections rename", "other", "another")
    life("collections let-go", "another", "--dry-run")
    life("collections let-go", "another", "--yes")
    life("where")
    life("config")
    older = life.folder / "older.json"
    older.write_text('{"roots": [], "ignore": ["*.tmp"]}', "utf-8")
    life("config import", older)
    life("completion", "bash")
    life("doctor")
    life("purge", "--dry-run")
    life("purge", "--retired", "--dry-run")
    saved = life("backup")
    life("purge", "--yes")
    life("restore", saved["path"] if "path" in saved else saved["backup"])
    life("mcp", "--tools", "all", "--check")


def http(*, jobs: bool = True) -> Told:
    """What each route of a server over the home in the environment answers; and its OpenAPI document."""
    with served() as (url, said), httpx.Client(base_url=url, timeout=60) as client:
        yield "ark-tui serve", said
        yield "openapi", client.get("/openapi.json").json()
        known = ""
        for route, path, body in requests():
            method = route.split()[0]
            if path == "/outcomes/report":
                body["retrieval_id"] = known
            answer = client.request(method, path, json=body)
            assert answer.is_success, (route, answer.text)
            told: Any = answer.json() if answer.content else None
            if path == "/context":
                known = told["retrieval_id"]
            yield route, told
        for kind in ("index", "analyze") if jobs else ():
            job = client.post(f"/{kind}", json={}).json()
            yield f"POST /{kind}", job
            while (now := client.get(f"/jobs/{job['job_id']}").json())["state"] == "running":
                pass
            yield "GET /jobs/{}", now
            yield "DELETE /jobs/{}", client.delete(f"/jobs/{job['job_id']}").json()
            yield "GET /jobs", client.get("/jobs").json()
        for refused in (client.get("/scratch/nothing"), client.post("/search", json={"query": 7})):
            yield f"{refused.status_code}", refused.json()


def requests() -> list[tuple[str, str, Any]]:
    """Each route once: its name, the address, the body."""
    get = "GET /{0}"
    plain = (
        *("health", "collections", "status", "scratch", "tasks", "history", "facts", "patterns"),
        *("directives", "outcomes", "memory-stats", "conversations", "messages"),
    )
    return [
        ("POST /ingest", "/ingest", {"content": "Served text.", "title": "Served", "tag": "web"}),
        ("POST /search", "/search", {"query": "spectral gap"}),
        ("POST /graph-search", "/graph-search", {"query": "spectral gap"}),
        ("GET /similar", "/similar?ref=gap.md", None),
        ("GET /documents", "/documents?ref=gap.md", None),
        ("PUT /scratch/{}", "/scratch/web", {"value": "x"}),
        ("GET /scratch/{}", "/scratch/web", None),
        ("POST /tasks", "/tasks", {"text": "call", "due": "tomorrow", "tags": ["web"]}),
        ("PATCH /tasks/{}", "/tasks/1", {"state": "done"}),
        ("POST /history", "/history", {"role": "user", "content": "hello over HTTP"}),
        ("GET /history/search", "/history/search?query=hello", None),
        ("POST /facts", "/facts", {"text": "Ports are numbers."}),
        ("POST /patterns", "/patterns", {"problem": "Port taken", "solution": "Take another."}),
        ("POST /directives", "/directives", {"kind": "NEVER", "text": "Shout."}),
        ("POST /context", "/context", {"query": "ghost eigenvalues"}),
        ("POST /outcomes/report", "/outcomes/report", {"outcome": "success"}),
        ("POST /outcomes", "/outcomes", {"event_type": "review", "issue_number": 8, "payload": {"n": 1}}),
        ("GET /outcomes", "/outcomes?aggregate=true", None),
        ("POST /recall", "/recall", {"query": "spectral gap", "role": "planner"}),
        ("GET /expert/{}", "/expert/numerics", None),
        ("POST /remember", "/remember", {"text": "Ports close.", "source": "web"}),
        ("POST /think", "/think", {"query": "How do chains mix?"}),
        ("POST /conversations", "/conversations", {"conversation_id": "web"}),
        (
            "POST /messages",
            "/messages",
            {"conversation_id": "web", "messages": [{"role": "user", "content": "hi"}]},
        ),
        ("GET /conversations/{}", "/conversations/web", None),
        *((get.format(name), f"/{name}", None) for name in plain),
        ("DELETE /conversations/{}", "/conversations/web", None),
        ("DELETE /tasks/{}", "/tasks/1", None),
        ("DELETE /scratch/{}", "/scratch/web", None),
    ]


def mcp(file: Path) -> tuple[list[Any], list[tuple[str, Any]]]:
    """The tools of all families as a client sees them, and what each answered once."""
    return anyio.run(_asked, file)


async def _asked(file: Path) -> tuple[list[Any], list[tuple[str, Any]]]:
    line = ["-m", "ark_tui", "mcp", "--tools", "all"]
    server = StdioServerParameters(command=sys.executable, args=line, env=dict(os.environ))
    told: list[tuple[str, Any]] = []
    async with Client(stdio_client(server)) as client:
        tools = (await client.list_tools()).tools
        for name, arguments in calls(file):
            if name == "outcome_report":
                arguments["retrieval_id"] = dict(told)["memory_context"]["retrieval_id"]
            answer = await client.call_tool(name, arguments)
            refused = " refused" if answer.is_error else ""
            told.append((name + refused, answer.structured_content))
    return tools, told


def calls(file: Path) -> list[tuple[str, dict[str, Any]]]:
    """Each tool once, some with more of their fields; and a refusal of each family."""
    full = {"return_chunk_meta": True, "return_diagnostics": True, "rerank": True}
    text = "# Title\n\nA paragraph of a handed text.\n"
    return [
        ("knowledge_search", {"query": "spectral gap", **full}),
        ("knowledge_search", {"query": "spectral gap", "brief": True}),
        ("knowledge_search", {"query": ""}),
        ("knowledge_recall", {"query": "spectral gap", "role": "planner"}),
        ("knowledge_expert", {"domain": "numerics", "issue_number": 7}),
        ("knowledge_think", {"query": "How do chains mix?"}),
        ("knowledge_remember", {"text": "Tools answer in JSON.", "source": "mcp", "tags": ["web"]}),
        ("knowledge_memory_stats", {}),
        ("knowledge_record_outcome", {"event_type": "review", "issue_number": 9, "payload": {"n": 1}}),
        ("knowledge_query_outcomes", {}),
        ("knowledge_query_outcomes", {"aggregate": True}),
        ("knowledge_read", {"id": "gap.md"}),
        ("explain", {"query": "spectral gap", "id": "gap.md"}),
        ("memory_context", {"query": "ghost eigenvalues"}),
        ("outcome_report", {"retrieval_id": "none", "outcome": "success"}),
        ("scratch_set", {"key": "mcp", "value": "x"}),
        ("scratch_get", {"key": "mcp"}),
        ("scratch_list", {}),
        ("scratch_delete", {"key": "mcp"}),
        ("tasks_add", {"text": "by tool", "due": "tomorrow", "tags": ["web"]}),
        ("tasks_list", {"all": True}),
        ("tasks_done", {"id": 2}),
        ("history_add", {"role": "user", "content": "hello by tool"}),
        ("history_list", {}),
        ("history_search", {"query": "hello"}),
        ("directives_add", {"kind": "PREFER", "text": "Short answers."}),
        ("directives_list", {}),
        ("patterns_add", {"problem": "Tool fails", "solution": "Read its hint."}),
        ("patterns_list", {}),
        ("knowledge_traverse", {"from": "gap.md", "direction": "incoming"}),
        ("knowledge_paths", {"source": "walk.md", "target": "gap.md"}),
        ("knowledge_common", {"docA": "walk.md", "docB": "lanczos.md"}),
        ("knowledge_subgraph", {"root": "gap.md"}),
        ("knowledge_communities", {}),
        ("knowledge_community", {"communityId": 1}),
        ("knowledge_central", {}),
        ("knowledge_bridges", {}),
        (
            "search-index",
            {
                "collection": "shelf",
                "documents": [{"source": "a", "title": "A", "content": text, "metadata": {"k": 1}}],
            },
        ),
        ("search-index-file", {"collection": "shelf", "path": str(file)}),
        ("search-index-file", {"collection": "shelf", "path": "nowhere.md"}),
        ("search-collections", {}),
        ("search-collection-info", {"collection": "shelf"}),
        ("search-query", {"collection": "shelf", "query": "paragraph"}),
        ("search-similar", {"collection": "shelf", "chunkId": "shelf:a:0"}),
        ("search-delete", {"collection": "shelf", "source": "a"}),
        ("search-reindex", {"collection": "shelf"}),
    ]
