"""What an assistant may send, how large it may be, and what becomes of the rest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ark_tui import settings
from ark_tui.domain.query import Request
from ark_tui.embedding import static
from ark_tui.engine import Engine
from ark_tui.interfaces.mcp import server
from ark_tui.interfaces.mcp.tool import as_text
from ark_tui.interfaces.reports.shape import LARGEST
from tests.mcp.conftest import Assistant, told

ROOT = Path(__file__).parents[2]
BEGIN = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class Wire:
    """`ark-tui mcp` in a process of its own, by its lines."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def say(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def hear(self) -> Any:
        """The next line of stdout: always a message of the protocol."""
        assert self.process.stdout is not None
        message = json.loads(self.process.stdout.readline())
        assert message["jsonrpc"] == "2.0"
        return message

    def peak(self) -> int:
        """The most memory that the process has had, in bytes, where the system says so."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


@contextmanager
def wired(home: Path) -> Iterator[Wire]:
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("ARK_") or name == "ARK_DIRECT"
    }
    command = [sys.executable, "-m", "ark_tui", "mcp", "--home", str(home)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        wire = Wire(process)
        try:
            wire.say(json.dumps(asked(0, "initialize", BEGIN)).encode())
            assert wire.hear()["id"] == 0
            wire.say(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
            yield wire
        finally:
            process.kill()


def asked(id_: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


def called(id_: int, tag: object) -> bytes:
    return json.dumps(
        asked(id_, "tools/call", {"name": "tasks", "arguments": {"action": "add", "text": tag}})
    ).encode()


def test_a_message_that_is_too_large_is_refused_by_its_id_and_not_kept(home: Path) -> None:
    with wired(home) as wire:
        found = {"name": "search", "arguments": {"query": "what is opened in the background"}}
        wire.say(json.dumps(asked(1, "tools/call", found)).encode())
        assert "result" in wire.hear(), "all is loaded that it loads, and nothing more is counted"
        before = wire.peak() if sys.platform == "linux" else 0
        for id_, tag in ((2, "x" * (3 * LARGEST)), (3, [1] * 200_000), (4, json.loads("[" * 99 + "]" * 99))):
            wire.say(called(id_, tag))
            refused = wire.hear()
            assert refused["id"] == id_
            assert refused["error"]["code"] == -32600
            assert refused["error"]["message"].endswith(".")
        wire.say(b'{"params": {"tag": "' + b"x" * LARGEST + b'"}, "id": "last", "jsonrpc": "2.0"}')
        assert wire.hear()["id"] == "last"
        if before:
            assert wire.peak() - before < 100_000_000
        wire.say(called(5, "x"))
        assert wire.hear()["id"] == 5, "and it goes on"


def test_what_is_no_message_says_nothing_on_stdout_and_ends_nothing(home: Path) -> None:
    with wired(home) as wire:
        for line in (b"nonsense", b"\xff\xfe{}", b"[]", b'{"jsonrpc": "2.0", "id": 1e999}', b""):
            wire.say(line)
        wire.say(called(9, "x"))
        assert wire.hear()["id"] == 9


def test_every_number_that_a_tool_takes_is_bounded(engine: Engine) -> None:
    """Also where the schema that an assistant sees does not say so."""

    def unbounded(at: object, path: str) -> Iterator[str]:
        if isinstance(at, dict):
            if at.get("type") in ("integer", "number") and not {"minimum", "maximum"} <= at.keys():
                yield path
            for name, inner in at.items():
                yield from unbounded(inner, f"{path}/{name}")
        elif isinstance(at, list):
            for inner in at:
                yield from unbounded(inner, path)

    made = server.make(engine, [*server.FAMILIES])
    made.open()
    assert len(made.tools) > 30
    checked = {name: one.schema for name, one in made.tools.items()}
    assert [path for name, schema in checked.items() for path in unbounded(schema, name)] == []


async def test_a_fault_of_ours_shows_neither_traceback_nor_path(
    assistant: Assistant, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("SELECT secret FROM /home/ann/.ark")

    monkeypatch.setattr(Engine, "search", broken)
    answer = await assistant.call("search", query="gap")
    assert answer.is_error
    assert told(answer)["error"] == "Something unexpected went wrong; this is a bug."
    assert "SELECT secret" in caplog.text


async def test_the_ten_tools_fit_into_2500_tokens(engine: Engine) -> None:
    listed = server.make(engine).listed()
    assert len(listed) == 10
    assert tokens(as_text(listed)) <= 2500


async def test_every_parameter_of_every_tool_is_described(assistant: Assistant) -> None:
    silent = [
        f"{tool.name}.{name}"
        for tool in await assistant.tools()
        for name, schema in tool.input_schema["properties"].items()
        if not schema.get("description") and name not in ("action", "kind")  # whose values say it
    ]
    assert silent == []


def tokens(text: str) -> int:
    return len(static.tokenizer().encode(text, add_special_tokens=False).ids)


RUSSIAN = "\n".join(
    f"# Черепаха {n}\n\n{'Черепаха несёт свой дом и никуда не спешит. ' * 9}" for n in range(12)
)


@pytest.fixture(scope="module")
def much(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The sample, the documentation of this program, and texts in letters of which each is a token."""
    folder = tmp_path_factory.mktemp("much")
    (folder / "russian").mkdir()
    for part in RUSSIAN.split("# ")[1:]:
        (folder / "russian" / f"{part.partition(chr(10))[0]}.md").write_text(f"# {part}", "utf-8")
    with Engine(settings.load(folder / "home", environ={})) as engine:
        engine.index([ROOT / "assets" / "sample", ROOT / "docs", folder / "russian"])
        yield engine


@pytest.mark.parametrize(("tool", "more"), [("search", {}), ("knowledge_recall", {"role": "researcher"})])
def test_ten_hits_fit_into_1200_tokens(much: Engine, tool: str, more: dict[str, str]) -> None:
    asked = [
        json.loads(line)["text"]
        for line in (ROOT / "assets/judged/queries.jsonl").read_text("utf-8").splitlines()
    ]
    asked += ["how does a search work", "vectors of messages", "черепаха дом", "memory of an agent"]
    offered = server.make(much, ["ark", "ralph"])
    sizes, cut = [], 0
    for query in asked:
        answer = offered.call(tool, {"query": query, **more})
        hits = answer["structuredContent"]["hits"]
        sizes.append((len(hits), tokens(answer["content"][0]["text"])))
        assert not hits or all(hit["snippet"] for hit in hits[:5]), query
        cut += len(hits) == 10
    assert cut > 10
    assert max(size for _, size in sizes) <= 1200, sorted(sizes)[-3:]


def test_a_few_hits_say_as_much_as_they_have(much: Engine) -> None:
    found = much.search(Request("spectral gap of a graph", limit=3, unlogged=True)).hits
    told = server.make(much).call("search", {"query": "spectral gap of a graph", "limit": 3})
    assert [hit["snippet"] for hit in told["structuredContent"]["hits"]] == [
        hit.snippet.text for hit in found
    ]
