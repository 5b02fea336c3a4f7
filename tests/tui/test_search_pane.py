"""Searching in the workbench: hits while typing, the cursor, the reader, the breakdown."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import RenderableType
from textual.message import Message
from textual.screen import Screen

from ark_tui.domain.hits import SearchResult
from ark_tui.domain.protocols import Stop, check
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.interfaces.tui.app import ArkApp
from ark_tui.interfaces.tui.state.messages import HitsArrived
from tests.tui.bench import Bench, bench, settings_of

GAP = "Spectral gaps and mixing time"


async def test_a_key_is_on_the_screen_before_its_search_begins(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search and a painting share an interpreter: side by side, both are slow."""
    events: list[str] = []
    search = Engine.search_stages

    def searched(engine: Engine, request: Request, stop: Stop) -> Iterator[SearchResult]:
        events.append(f"searched {request.query}")
        return search(engine, request, stop)

    monkeypatch.setattr(Engine, "search_stages", searched)
    async with bench(filled) as b:
        await b.searched("spectral ga")
        display = b.app._display

        def painted(screen: Screen[None], renderable: RenderableType | None) -> None:
            events.append("painted")
            display(screen, renderable)

        monkeypatch.setattr(b.app, "_display", painted)
        await b.pilot.pause(0.3)  # what follows the hits
        events.clear()
        await b.type("p")
        await b.until(lambda: b.complete("spectral gap"))
        assert events[:2] == ["painted", "searched spectral gap"]


async def test_a_query_typed_before_the_engine_is_open_is_answered(filled: Path) -> None:
    async with bench(filled) as b:
        await b.pilot.press(*"lanczos")
        await b.until(lambda: b.complete("lanczos"))
        assert b.titles()[0] == "Lanczos, restarted"


async def test_an_older_search_never_overwrites_a_newer_one(filled: Path) -> None:
    async with bench(filled) as b:
        await b.searched("lanczos")
        newer, number = b.search.result, b.search.stages.shown
        assert newer is not None
        older = replace(newer, hits=(), query=replace(newer.query, raw="lan"))
        b.search.post_message(HitsArrived(number - 1, older, again=False))
        await b.pilot.pause()
        assert b.search.result is newer
        assert b.titles()[0] == "Lanczos, restarted"


async def test_a_search_that_is_superseded_stops_in_the_engine(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Searches are slow for a while: of those typed meanwhile only the last one answers."""
    arrived: list[HitsArrived] = []
    let_go = threading.Event()
    stages = Engine.search_stages

    def slow(engine: Engine, request: Request, stop: Stop) -> Iterator[SearchResult]:
        while not let_go.wait(0.01):
            check(stop)
        yield from stages(engine, request, stop)

    def listen(message: Message) -> None:
        if isinstance(message, HitsArrived):
            arrived.append(message)

    app = ArkApp(settings_of(filled))
    async with app.run_test(size=(120, 34), message_hook=listen) as pilot:
        b = Bench(pilot, app)
        await b.searched("gap")
        arrived.clear()
        monkeypatch.setattr(Engine, "search_stages", slow)
        await b.type(" spec")
        workers = [worker for worker in app.workers if worker.group == "search"]
        await b.until(lambda: sum(worker.is_cancelled for worker in workers) >= len(workers) - 1)
        let_go.set()
        await b.until(lambda: b.complete("gap spec"))
        finished = {message.result.query.raw for message in arrived if not message.result.partial}
        assert finished == {"gap spec"}
    app.context.opening.close()


async def test_a_query_that_cannot_be_read_is_pointed_at_once_it_is_finished_and_the_old_hits_stay(
    filled: Path,
) -> None:
    async with bench(filled) as b:
        await b.listed("gap")
        titles = b.titles()
        await b.pilot.press("slash")
        await b.type(" tag:")
        await b.until(lambda: b.complete("gap tag:") and b.titles() == titles, "the whole search")
        assert "has no value" not in b.text(), "the word is still being typed"
        await b.pilot.press("enter")
        await b.until(lambda: "tag: has no value." in b.text())
        pointing = next(line for line in b.lines() if "tag: has no value." in line)
        assert pointing.index("▲") == b.search.query_line.content_region.x + 4
        assert b.titles() == titles


async def test_what_another_process_adds_is_found_without_a_key_and_the_cursor_stays(filled: Path) -> None:
    async with bench(filled) as b:
        await b.searched("spectral gap")
        await b.pilot.press("down", "j")
        hit = b.hits.results.hit
        assert hit is not None
        with Engine(settings_of(filled)) as other:
            other.ingest_text("The spectral gap, the spectral gap and nothing else.", title="Newcomer")
        await b.until(lambda: "Newcomer" in b.titles(), "the new document")
        now = b.hits.results.hit
        assert now is not None
        assert now.document.id == hit.document.id
        await b.until(lambda: b.workbench.status is not None and b.workbench.status.documents == 7)


async def test_while_documents_are_indexed_the_reader_is_never_of_another_document_than_the_cursor(
    filled: Path,
) -> None:
    async with bench(filled) as b:
        await b.searched("spectral gap")
        result = b.search.result
        assert result is not None
        b.hits.show(replace(result, hits=result.hits[::-1]), same=False, again=True)
        hit, base = b.hits.results.hit, b.hits.reader.trail.base
        assert hit == result.hits[-1]
        assert base is not None
        assert base.document == hit.document.id, "it is asked for at once, not after a pause"


async def test_copying_says_what_was_copied_and_a_citation_names_its_source(filled: Path) -> None:
    async with bench(filled) as b:
        await b.searched("spectral gap")
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.results.has_focus)
        await b.pilot.press("y")
        assert "bounds its mixing time" in b.app.clipboard
        await b.pilot.press("Y")
        assert GAP in b.app.clipboard.splitlines()[-1]
        assert "graphs/gap.md:" in b.app.clipboard
        assert [said.text for said in b.app.context.said][-1] == f"Copied {GAP} with its source."
        await b.pilot.press("ctrl+y")
        assert b.app.clipboard.endswith("/notes/graphs/gap.md")


TEXT, WHERE = "reversible chain", "wiki · 2025-11"


async def test_a_hit_has_its_text_and_where_it_is_and_v_turns_to_fewer_lines_which_is_remembered(
    filled: Path,
) -> None:
    def listed(b: Bench) -> str:
        left = b.hits.results.region.right
        return "\n".join(line[:left] for line in b.lines())

    async with bench(filled) as b:
        await b.searched("spectral gap")
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.results.has_focus)
        assert TEXT in listed(b)
        assert WHERE in listed(b)
        assert "━" in listed(b)[listed(b).index(WHERE) :].splitlines()[0], "the bar of its score"
        await b.pilot.press("v")
        await b.until(lambda: WHERE not in listed(b))
        assert TEXT in listed(b)
        await b.pilot.press("v")
        await b.until(lambda: TEXT not in listed(b))
        assert GAP in listed(b)
    async with bench(filled) as b:
        await b.searched("spectral gap")
        assert TEXT not in listed(b)
        await b.pilot.press("enter", "v")
        await b.until(lambda: WHERE in listed(b))


async def test_what_is_about_nothing_says_so_after_a_pause_and_f7_shows_what_lies_below_the_floor(
    filled: Path,
) -> None:
    async with bench(filled) as b:
        await b.type("aphids on tomatoes ")
        await b.until(lambda: b.search.result is not None and b.search.result.abstained)
        assert b.search.result
        assert "No relevant results" in b.text()
        assert "F7  show" in b.text()
        assert "No word of the query is in this corpus." in b.text()
        below = [hit.document.id for hit in b.search.result.below]
        await b.pilot.press("f7")
        await b.until(lambda: b.search.has_hits)
        assert [hit.document.id for hit in b.search.hits.results.hits] == below
        assert f"{b.search.result.below_floor} low-confidence result" in b.text()
        await b.pilot.press("f7")
        await b.until(lambda: not b.search.has_hits)
