"""Whatever way an agent or a program asks, the secrets in a person's texts stay in the home."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from ark_tui import settings
from ark_tui.domain.query import Request
from ark_tui.domain.secrets import MASK
from ark_tui.engine import Engine
from ark_tui.interfaces.calls.state import state_for
from ark_tui.interfaces.http.gate import Rules
from ark_tui.interfaces.mcp import server
from tests.http.conftest import calling
from tests.mcp.conftest import Assistant

KEY = "sk-" + "0a1B" * 10
PEM = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEabcd0123\n" * 4 + "-----END RSA PRIVATE KEY-----"
NOTE = f"# Deploying the ferry\n\nThe ferry is deployed with {KEY} on Monday.\n\n{PEM}\n\nThe last line.\n"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("notes")
    (folder / "ferry.md").write_text(NOTE, "utf-8")
    (folder / "boat.md").write_text(f"# Deploying the boat\n\nThe boat is deployed as the ferry, {KEY}.\n")
    with Engine(settings.load(tmp_path_factory.mktemp("home"))) as engine:
        engine.index([folder])
        memory = engine.memory
        memory.facts.add(f"The ferry has the key {KEY}.", source="ferry")
        memory.patterns.add(f"ferry refuses {KEY}", f"use another than {KEY}")
        memory.directives.add("NEVER", f"print {KEY}")
        memory.remember(f"the ferry knows {KEY}", "ferry")
        memory.conversations.add(engine.scope(), "user", f"the ferry takes {KEY}")
        memory.scratch.set(engine.scope(), "ferry", f"ferry {KEY}")
        memory.tasks.add(engine.scope(), f"rotate {KEY} of the ferry")
        yield engine


@pytest.fixture
async def client(engine: Engine) -> AsyncIterator[httpx.AsyncClient]:
    async with calling(state_for(engine), Rules()) as client:
        yield client


def checked(told: str) -> None:
    """A secret is in there, and it is masked."""
    assert KEY not in told
    assert "MIIEabcd" not in told
    assert MASK in told


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/search", {"query": "ferry deployed"}),
        ("/graph-search", {"query": "ferry deployed"}),
        ("/recall", {"query": "ferry deployed", "role": "implementer"}),
        ("/think", {"query": "ferry deployed"}),
        ("/context", {"query": "ferry deployed"}),
        ("/documents?ref={path}", None),
        ("/similar?ref={id}", None),
        ("/history", None),
        ("/history/search?query=ferry", None),
        ("/messages", None),
        ("/conversations/default", None),
        ("/facts", None),
        ("/patterns", None),
        ("/directives", None),
        ("/scratch", None),
        ("/scratch/ferry", None),
        ("/tasks", None),
    ],
)
async def test_over_http_secrets_are_masked(
    client: httpx.AsyncClient, engine: Engine, path: str, body: dict[str, str] | None
) -> None:
    note = engine.search(Request("deploying path:ferry.md")).hits[0].document
    path = path.format(path=note.path, id=note.id)
    answer = await (client.post(path, json=body) if body else client.get(path))
    assert answer.status_code == 200
    checked(answer.text)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search", {"query": "ferry deployed"}),
        ("search", {"query": "ferry deployed", "role": "implementer"}),
        ("knowledge_think", {"query": "ferry deployed"}),
        ("read", {"id": "{path}"}),
        ("read", {"id": "{path}", "start_line": 6, "lines": 2}),
        ("context", {"task": "ferry deployed"}),
        ("scratch", {"action": "list"}),
        ("scratch", {"action": "get", "key": "ferry"}),
        ("tasks", {"action": "list"}),
        ("history", {"action": "list"}),
        ("history", {"action": "search", "query": "ferry"}),
        ("search-query", {"collection": "{collection}", "query": "ferry deployed"}),
    ],
)
async def test_over_mcp_secrets_are_masked(engine: Engine, tool: str, arguments: dict[str, object]) -> None:
    note = engine.search(Request("deploying path:ferry.md")).hits[0].document
    given = {
        name: value.format(path=note.path, collection=note.collection) if isinstance(value, str) else value
        for name, value in arguments.items()
    }
    answer = await Assistant(server.Server(engine, [*server.FAMILIES])).call(tool, **given)
    assert not answer.is_error
    if (tool, arguments.get("lines")) == ("read", 2):  # within the key itself
        assert "MIIEabcd" not in answer.model_dump_json()
    else:
        checked(answer.model_dump_json())


async def test_a_masked_text_keeps_its_lines(engine: Engine) -> None:
    note = engine.search(Request("deploying path:ferry.md")).hits[0].document
    told = await Assistant(server.Server(engine)).told("read", id=note.path)
    assert told["text"].splitlines().index("The last line.") == NOTE.splitlines().index("The last line.")
    assert len(told["text"].splitlines()) == len(NOTE.splitlines())


def test_a_person_sees_their_own_text(engine: Engine) -> None:
    assert KEY in engine.show(engine.search(Request("ferry")).hits[0].document.id).text
