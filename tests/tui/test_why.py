"""Why a hit is here, and why another document is not."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from textual.app import App
from textual.widgets import Input

from ark_tui.curation import edits
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.interfaces.tui.panes import hits
from ark_tui.interfaces.tui.screens.dialog import ConfirmScreen
from ark_tui.interfaces.tui.screens.picking import PickScreen
from ark_tui.interfaces.tui.state import colours
from ark_tui.interfaces.tui.state.messages import HitsArrived
from tests.tui.bench import Bench, bench, settings_of

Frame = Callable[[App[None], str], None]

QUERY = "spectral gap"


@asynccontextmanager
async def explained(home: Path, monkeypatch: pytest.MonkeyPatch, query: str = QUERY) -> AsyncIterator[Bench]:
    """The results of a search, with their reasons."""
    monkeypatch.setattr(hits, "REASONS_PAUSE", 0.01)
    async with bench(home) as b:
        await b.listed(query)
        await b.until(lambda: b.hits.explained, "the reasons")
        yield b


def why(b: Bench) -> str:
    """All lines of the breakdown, as they are held."""
    return "\n".join("".join(text for text, _ in line) for line in b.hits.breakdown._lines)


def begins_with(b: Bench, sentence: str) -> bool:
    return " ".join(why(b).split()).startswith(sentence)


def sentences(home: Path, query: str) -> list[str]:
    with Engine(settings_of(home)) as engine:
        hits = engine.search(Request(query, explain=True)).hits
    return [hit.why.sentence for hit in hits if hit.why]


async def test_words_are_marked_in_the_colour_of_their_signals_and_the_reason_is_that_of_every_interface(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = sentences(filled, QUERY)
    assert said
    async with explained(filled, monkeypatch) as b:
        reader = b.hits.reader
        assert reader.passage is not None
        document, earned = reader._earned
        assert document == reader.passage.document.id
        words = {reader.passage.text[start:end].lower() for start, end, _ in earned}
        assert {"spectral", "gap"} <= words
        families = {colours.family(name, dark=True, ansi=False).color for name in ("words", "meaning")}
        drawn = {
            segment.style.color
            for y in range(reader.size.height)
            for segment in reader.render_line(y)
            if segment.style and segment.style.underline
        }
        assert families & drawn
        for sentence in said:
            await b.until(partial(begins_with, b, sentence), sentence)
            await b.pilot.press("j")


async def test_the_reasons_as_they_look(filled: Path, frame: Frame, monkeypatch: pytest.MonkeyPatch) -> None:
    async with explained(filled, monkeypatch) as b:
        assert b.search.result is not None
        still = replace(b.search.result, took_ms=12.0, stages=())
        b.search.post_message(HitsArrived(b.search.stages.shown, still, again=True))
        await b.until(lambda: "· 12 ms" in b.text() and b.hits.explained)
        await b.until(lambda: "The text contains" in b.text(), "the sentence")
        await b.pilot.pause()
        frame(b.app, "reasons-120x34")


async def find(b: Bench, letters: str) -> PickScreen:
    """Ask why not, and type letters of what was expected."""
    await b.pilot.press("alt+x")
    await b.until(lambda: isinstance(b.app.screen, PickScreen))
    screen = b.app.screen
    assert isinstance(screen, PickScreen)
    await b.until(lambda: screen.choices.count)
    screen.query_one(Input).value = letters
    await b.until(lambda: "of 7" in str(screen.query_one(".box").border_subtitle))
    return screen


async def asked(b: Bench, letters: str, wanted: str) -> None:
    """Ask why what fits the letters best, of that title or path, is not listed; the answer is there."""
    screen = await find(b, letters)
    await b.until(lambda: screen.choices.here and wanted in screen.choices.here.label)
    await b.pilot.press("enter")
    await b.shown(ConfirmScreen)


async def test_a_filter_that_keeps_a_document_away_is_named_and_a_digit_searches_without_it(
    filled: Path,
) -> None:
    async with bench(filled) as b:
        await b.searched("spectral gap tag:theory")
        assert "Lanczos, restarted" not in b.titles()
        await asked(b, "lncz", "Lanczos")
        assert "tag:theory excludes it: it has tags numerics" in b.text()
        assert "Search without tag:theory: 1. Then its rank is" in b.text()
        await b.pilot.press("1")
        await b.until(lambda: b.search.query_line.value == "spectral gap")
        await b.until(lambda: "Lanczos, restarted" in b.titles())


async def test_what_lies_in_the_trash_is_found_there_and_brought_back(filled: Path) -> None:
    async with bench(filled) as b:
        await b.opened()
        b.app.context.opening.home().engine.curation.edit(edits.trash, ["graphs/lanczos.md"])
        await b.searched("spectral gap")
        assert "Lanczos, restarted" not in b.titles()
        await asked(b, "lanczos", "Lanczos")
        assert "hidden: It is in the trash." in b.text()
        await b.pilot.click(
            offset=next((x, y) for y, line in enumerate(b.lines()) if (x := line.find("1  ")) > 0)
        )
        await b.until(lambda: "Lanczos, restarted" in b.titles())


async def test_the_picker_and_the_answer_as_they_look(
    filled: Path, frame: Callable[[App[None], str], None]
) -> None:
    async with bench(filled, (80, 24)) as b:
        await b.searched("spectral gap tag:theory")
        b.search.query_line.say("2 of 2")  # without how long it took
        screen = await find(b, "gr lan")
        await b.until(lambda: screen.choices.here and "Lanczos" in screen.choices.here.label)
        await b.until(lambda: "Krylov subspaces find" in b.text(), "how it begins")
        frame(b.app, "find-80x24")
        await b.pilot.press("enter")
        await b.shown(ConfirmScreen)
        frame(b.app, "why-not-80x24")
