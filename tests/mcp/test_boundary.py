"""What an assistant may send, how large it may be, and that secrets are masked for it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ark_tui import settings
from ark_tui.domain.query import Request
from ark_tui.embedding import static
from ark_tui.engine import Engine
from ark_tui.interfaces.mcp import server
from ark_tui.interfaces.mcp.tool import as_text
from tests.mcp.conftest import Assistant, indexed, told
from tests.mcp.transport import client as client_of

ROOT = Path(__file__).parents[2]


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

    made = server.Server(engine, [*server.FAMILIES])
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
    listed = server.Server(engine).listed()
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


@pytest.mark.parametrize(
    ("tool", "more", "every"), [("search", {}, 1), ("knowledge_recall", {"role": "researcher"}, 3)]
)
def test_ten_hits_fit_into_1200_tokens(much: Engine, tool: str, more: dict[str, str], every: int) -> None:
    asked = [
        json.loads(line)["text"]
        for line in (ROOT / "assets/judged/queries.jsonl").read_text("utf-8").splitlines()
    ]
    asked += ["how does a search work", "vectors of messages", "черепаха дом", "memory of an agent"]
    offered = server.Server(much, ["ark", "ralph"])
    sizes, cut = [], 0
    for query in asked[::every]:
        answer = offered.call(tool, {"query": query, **more})
        hits = answer["structuredContent"]["hits"]
        sizes.append((len(hits), tokens(answer["content"][0]["text"])))
        assert not hits or all(hit["snippet"] for hit in hits[:5]), query
        cut += len(hits) == 10
    assert cut > 10
    assert max(size for _, size in sizes) <= 1200, sorted(sizes)[-3:]


def test_a_few_hits_say_as_much_as_they_have(much: Engine) -> None:
    found = much.search(Request("spectral gap of a graph", limit=3, unlogged=True)).hits
    told = server.Server(much).call("search", {"query": "spectral gap of a graph", "limit": 3})
    assert [hit["snippet"] for hit in told["structuredContent"]["hits"]] == [
        hit.snippet.text for hit in found
    ]


SECRET = "0123456789abcdef" * 2
KEY = f"sk-{SECRET}"
NOTES = {
    f"deploy password={KEY}.md": f"# Deploying with {KEY}\n\nTo deploy, export API_KEY='{KEY}' and push.\n"
}


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[server.Server]:
    folder: Path = tmp_path_factory.mktemp("masking")
    with Engine(settings.load(indexed(folder, NOTES), environ={})) as engine:
        engine.memory.directives.add("MUST", f"deploy with {KEY}", scope="deploy")
        yield server.Server(engine, [*server.FAMILIES])


async def test_a_document_that_is_attached_hides_it_in_text_title_and_path(tools: server.Server) -> None:
    async with client_of(tools) as asking:
        listed = await asking.list_resources()
        read = [await asking.read_resource(one.uri) for one in listed.resources]
    told = f"{listed.model_dump_json()}{[one.model_dump_json() for one in read]}"
    assert "Deploying" in told
    assert SECRET not in told


async def test_a_prompt_hides_it_in_what_is_recalled_and_in_the_task_itself(tools: server.Server) -> None:
    async with client_of(tools) as asking:
        before = await asking.get_prompt("recall", {"task": f"deploy with {KEY}"})
        after = await asking.get_prompt("record", {"task": f"deployed with {KEY}"})
    for answer in (before, after):
        assert "deploy" in answer.model_dump_json()
        assert SECRET not in answer.model_dump_json()
