"""Why a hit is here: the sentence, what earned each part, marks in the text, passages that open."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from textual.app import App

from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.interfaces.tui.panes import hits
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
