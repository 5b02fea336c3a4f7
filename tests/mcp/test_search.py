"""The tools for searching, and what holds for every tool (requirements P1, P4)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from mcp_types import TextContent

from ark_tui.engine import Engine
from tests.http.conftest import NOTES
from tests.mcp.conftest import Assistant, indexed, told

TEN = [
    "search", "read", "context", "graph",
    "remember", "correct", "outcome", "history", "tasks", "scratch",
]  # fmt: skip


async def test_every_tool_says_what_it_is_for_and_what_it_changes(assistant: Assistant) -> None:
    for tool in await assistant.tools():
        assert tool.description
        hints = tool.annotations
        assert hints is not None
        more = {hints.destructive_hint, hints.idempotent_hint}
        assert more == {None} if hints.read_only_hint else None not in more


async def test_every_tool_refuses_a_parameter_that_it_does_not_know(assistant: Assistant) -> None:
    for tool in await assistant.tools():
        refused = await assistant.call(tool.name, surely_not_a_parameter=1)
        assert refused.is_error
        assert told(refused)["hint"].startswith(f"Parameters of {tool.name}: ")


async def test_a_search_has_the_published_shape(assistant: Assistant) -> None:
    found = await assistant.told("knowledge_search", query="mixing time")
    first = found["hits"][0]
    assert first.keys() == {"id", "title", "path", "type", "date", "tags", "score", "line", "snippet"}
    assert first["path"] == "gap.md"
    assert NOTES["gap.md"].splitlines()[first["line"] - 1] == first["snippet"].splitlines()[0]
    assert found["retrieval_id"]


async def test_a_brief_search_leaves_path_and_text_out(assistant: Assistant) -> None:
    found = await assistant.told("knowledge_search", query="mixing time", brief=True)
    assert found["hits"][0].keys() == {"id", "title", "type", "date", "tags", "score"}


async def test_a_search_tells_its_chunks_and_its_reasons_when_asked(assistant: Assistant) -> None:
    asked = {"query": "mixing time", "return_chunk_meta": True, "return_diagnostics": True, "rerank": True}
    first = (await assistant.told("knowledge_search", **asked))["hits"][0]
    assert first.items() >= {"tier": "doc", "collection": "notes", "lines": [4, 6]}.items()
    assert first["best_chunk_id"] == f"{first['id']}:{first['chunk_index']}"
    assert first["char_start"] < first["char_end"]
    assert first["fts_score"] > 0
    assert 0 <= first["vec_distance"] <= 2
    assert "bm25" in first["hit_sources"]
    assert first["rerank_score"] == first["score"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "query is missing."),
        ({"query": ""}, "query: "),
        ({"query": "x", "limit": 0}, "limit: "),
        ({"query": "x", "memory_tier": "gold"}, "memory_tier: "),
        ({"query": "before:banana"}, "banana is not a date."),
    ],
)
async def test_a_bad_call_is_a_sentence_and_a_next_step(
    assistant: Assistant, arguments: dict[str, object], said: str
) -> None:
    refused = await assistant.call("knowledge_search", **arguments)
    assert refused.is_error
    failure = told(refused)
    assert failure.keys() == {"error", "hint"}
    assert failure["error"].startswith(said)


async def test_a_document_is_read_in_stretches_until_there_is_no_more(
    assistant: Assistant, engine: Engine
) -> None:
    text = "".join(f"line {number}\n" for number in range(1, 451))
    stored = engine.ingest_text(text, title="Long")
    asked: dict[str, object] = {"id": stored.id}
    read = ""
    while True:
        part = await assistant.told("read", **asked)
        read += part["text"]
        if "more" not in part:
            break
        asked["start_line"] = part["more"]
    assert read == text


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that no process has open."""
    return indexed(tmp_path_factory.mktemp("closed"), NOTES)


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ark_tui", "mcp", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, input="")


def test_a_person_can_check_whether_it_would_work(closed: Path) -> None:
    checked = run("--check", "--home", closed)
    assert checked.returncode == 0
    assert ", ".join(TEN) in checked.stdout
    assert "the protocol works" in checked.stdout


def test_an_unknown_family_of_tools_is_named_with_those_there_are(closed: Path) -> None:
    refused = run("--tools", "serch", "--home", closed)
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert "Families: ark, ralph, kadi." in refused.stderr


async def test_an_unknown_tool_is_named_with_the_one_that_may_be_meant(assistant: Assistant) -> None:
    for name, said in (("serch", "Unknown tool: serch. Did you mean search?"), ("zzz", "Unknown tool: zzz.")):
        (content,) = (await assistant.call(name)).content
        assert isinstance(content, TextContent)
        assert content.text == said


async def test_a_hint_names_a_tool_or_the_command_that_the_user_can_run(assistant: Assistant) -> None:
    fact = await assistant.told("remember", kind="fact", text="The kettle is blue.")
    await assistant.told("correct", action="retire", id=fact["id"])
    refused = told(await assistant.call("correct", action="replace", id=fact["id"], text="It is red."))
    assert f"correct(action=restore, id={fact['id']})" in refused["hint"]
    refused = told(await assistant.call("read", id="nope"))
    assert refused["hint"].endswith("ark-tui doc list (on the machine itself).")


async def test_what_came_of_a_pattern_is_told_with_its_hit(assistant: Assistant, engine: Engine) -> None:
    kept = {"kind": "pattern", "text": "the kettle furs up", "solution": "boil vinegar in it"}
    pattern = await assistant.told("remember", **kept)
    context = await assistant.told("context", task="the kettle furs up")
    report = {"action": "report", "outcome": "success", "retrieval_id": context["retrieval_id"]}
    await assistant.told("outcome", **report)
    (hit,) = (await assistant.told("knowledge_search", query="kettle furs layer:4"))["hits"]
    assert hit["id"] == pattern["id"]
    assert hit["outcomes_summary"] == {"confidence": 0.6, "successes": 1, "failures": 0}
    engine.memory.corrections.retire(pattern["id"], engine.scope())


async def test_a_reranker_that_is_asked_for_and_not_here_is_said_to_be_off(assistant: Assistant) -> None:
    told = await assistant.told("knowledge_search", query="spectral gap", rerank=True)
    assert "rerank" in str(told["off"])
