"""What all interfaces have in common in finding: saved searches, filters, the lines of a text."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ark_tui import settings
from ark_tui.curation import saved
from ark_tui.domain.query import Filters, Request
from ark_tui.engine import Engine, searches
from ark_tui.interfaces.mcp import server
from ark_tui.operations import find
from ark_tui.operations.call import Call
from tests.mcp.transport import client as client_of
from tests.operations.interfaces import CATALOG, Command, Direct, Route

KEY = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN\nBgkqhkiG9w0B\n-----END PRIVATE KEY-----"
NOTES = {
    "gap.md": "---\ntags: [theory]\n---\n# Spectral gaps\n\nThe spectral gap bounds the mixing time.\n",
    "ring.md": "---\ntags: [theory, rings]\n---\n# Rings\n\nOn a ring the spectral gap is small.\n",
    "tea.md": "# Tea\n\nThe spectral theory of green tea has no gap.\n",
    "key.md": f"# Keys\n\nBefore it.\n{KEY}\nAfter it.\n",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("find")
    (folder / "notes").mkdir()
    for name, text in NOTES.items():
        (folder / "notes" / name).write_text(text, "utf-8")
    with Engine(settings.load(folder / "home")) as engine:
        engine.index([folder / "notes"])
        engine.curation.edit(saved.save, "one", Request("spectral gap tag:theory", "keyword", limit=1))
        engine.curation.edit(saved.save, "theory", Request("spectral", filters=Filters(tags=("theory",))))
        engine.curation.edit(
            saved.save, "away", Request("spectral", filters=Filters(collections=("default",)))
        )
    return folder / "home"


@pytest.fixture(scope="module", params=(Direct, Command, Route), ids=lambda kind: str(kind.name))
def interface(request: pytest.FixtureRequest, home: Path) -> Iterator[Any]:
    one = request.param(home)
    yield one
    one.close()


def found(interface: Any, **given: Any) -> list[str]:
    answer = interface.ask(CATALOG.get("search"), given)
    assert not answer.refused, answer.json
    return sorted(hit["document"]["path"] for hit in answer.json["hits"])


def test_a_saved_search_runs_as_it_was_saved_unless_something_else_is_given(interface: Any) -> None:
    assert len(found(interface, query="@one")) == 1
    assert found(interface, query="@one", limit=5) == ["gap.md", "ring.md"]
    assert found(interface, query="@one tag:rings", limit=5) == ["ring.md"]
    asked = interface.ask(CATALOG.get("searches"), {"limit": 1}).json["searches"][0]
    assert (asked["mode"], asked["limit"]) == ("keyword", 5)


def test_filters_narrow_a_saved_search_and_never_widen_it(interface: Any) -> None:
    assert found(interface, query="@theory") == ["gap.md", "ring.md"]
    assert found(interface, query="@theory", tags=("rings",)) == ["ring.md"]
    assert found(interface, query="@theory", collection="notes", type="note", tier="doc") == [
        *("gap.md", "ring.md")
    ]
    assert found(interface, query="@away", collection="notes") == []


def test_what_is_given_with_a_saved_search_counts(home: Path) -> None:
    with Engine(settings.load(home)) as engine:
        find.search(Call(engine), "@one", below=True, superseded=True, expand=False, graph=True, mmr=0.5)
        asked = searches.latest(engine, 1)[0].request
    assert (asked.below, asked.superseded, asked.expand, asked.hops) == (True, True, False, find.WIDE)
    assert (asked.adjust, asked.mode) == (("mmr=0.5",), "keyword")


def test_an_agent_names_a_saved_search_as_a_person_does(home: Path) -> None:
    async def asked(engine: Engine, **given: Any) -> Any:
        async with client_of(server.Server(engine)) as client:
            return (await client.call_tool("search", given)).structured_content

    with Engine(settings.load(home)) as engine:
        told = asyncio.run(asked(engine, query="@one"))
        assert len(told["hits"]) == 1
        told = asyncio.run(asked(engine, query="@one", limit=5))
        assert sorted(hit["path"] for hit in told["hits"]) == ["gap.md", "ring.md"]


def test_the_lines_of_a_text_are_counted_in_its_document(home: Path) -> None:
    with Engine(settings.load(home)) as engine:
        whole = find.show(Call(engine, person=True), "gap.md", "mixing")
        part = find.show(Call(engine, person=True), "gap.md", "mixing", start_line=6, lines=1)
        last = find.show(Call(engine, person=True), "gap.md:1:6", start_line=6, lines=5)
    assert (
        part.text == whole.text.splitlines(keepends=True)[5] == "The spectral gap bounds the mixing time.\n"
    )
    assert [part.text[a:b] for a, b in part.highlights] == ["mixing"]
    assert (part.start_line, part.end_line, part.more) == (6, 6, None)
    assert (last.text, last.start_line) == ("The spectral gap bounds the mixing time.", 6)
    assert (whole.start_line, whole.more) == (1, None)


def test_a_program_gets_no_part_of_a_secret_and_no_place_on_this_machine(home: Path) -> None:
    with Engine(settings.load(home)) as engine:
        mine = find.show(Call(engine, person=True), "key.md", start_line=5, lines=2)
        theirs = find.show(Call(engine), "key.md", start_line=5, lines=2)
    assert "MIIEvQIBADAN" in mine.text
    assert mine.file.endswith("key.md")
    assert "MIIE" not in theirs.text
    assert "Bgkq" not in theirs.text
    assert theirs.file == ""
    assert (theirs.start_line, theirs.end_line, theirs.more) == (5, 6, 7)


@pytest.mark.parametrize("ref", ["key.md:5", "key.md:5:2", "key.md:6:1", "key.md:4:2"])
def test_lines_that_a_reference_names_have_no_part_of_a_secret(home: Path, ref: str) -> None:
    with Engine(settings.load(home)) as engine:
        mine, theirs = find.show(Call(engine, person=True), ref), find.show(Call(engine), ref)
    assert "MIIEvQIB" in mine.text or "Bgkq" in mine.text
    assert "MIIE" not in theirs.text
    assert "Bgkq" not in theirs.text
    assert (theirs.start_line, theirs.end_line) == (mine.start_line, mine.end_line)


def test_a_chunk_that_cuts_a_secret_has_no_part_of_it(tmp_path: Path) -> None:
    """A chunk of a long text may begin within a key."""
    key = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADAN\n" * 400 + "-----END PRIVATE KEY-----"
    with Engine(settings.load(tmp_path / "home")) as engine:
        one = engine.ingest_text(f"Before it.\n\n{key}\n\nAfter it.", title="Key")
        count = engine.status().chunks
        assert count > 1
        theirs = [find.show(Call(engine), f"{one.short_id}:{at}").text for at in range(count)]
        mine = [find.show(Call(engine, person=True), f"{one.short_id}:{at}").text for at in range(count)]
    assert sum("MIIE" in text for text in mine) > 1
    assert not any("MIIE" in text for text in theirs)
    assert "Before it." in theirs[0]
    assert "After it." in theirs[-1]
