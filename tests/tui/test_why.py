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
SIZES = [(80, 24), (120, 34)]


@asynccontextmanager
async def explained(
    home: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int] = (120, 34), query: str = QUERY
) -> AsyncIterator[Bench]:
    """The results of a search, with their reasons."""
    monkeypatch.setattr(hits, "REASONS_PAUSE", 0.01)
    async with bench(home, size) as b:
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


async def test_the_breakdown_begins_with_the_sentence_that_every_interface_has(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = sentences(filled, QUERY)
    assert said
    async with explained(filled, monkeypatch) as b:
        for sentence in said:
            await b.until(partial(begins_with, b, sentence), sentence)
            await b.pilot.press("j")


async def test_the_words_are_marked_in_the_text_in_the_colour_of_their_signals(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


async def test_the_passage_that_a_part_comes_from_opens(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "\n\n".join(f"## Part {n}\n\n" + "The spectral gap of a chain. " * 60 for n in range(4))
    folder = filled.parent / "more"
    folder.mkdir()
    (folder / "long.md").write_text(f"# Long\n\n{long}", "utf-8")
    with Engine(settings_of(filled)) as engine:
        engine.index([folder])
    async with explained(filled, monkeypatch) as b:
        row = next(i for i, hit in enumerate(b.hits.results.hits) if hit.document.title == "Long")
        b.hits.results.cursor = row
        await b.until(lambda: "→ the passage" in why(b), "a passage beside")
        b.hits.go_to("why")
        await b.until(lambda: b.hits.breakdown.has_focus)
        await b.pilot.press("enter")
        await b.pilot.pause()
        if not b.hits.reader.has_focus:  # of two passages one is picked
            await b.until(lambda: b.app.screen is not b.workbench)
            await b.pilot.press("enter")
        await b.until(lambda: b.hits.reader.has_focus)
        assert b.hits.reader.trail.behind
        hit = b.hits.results.hit
        here = b.hits.reader.trail.here
        assert hit is not None
        assert here is not None
        assert here.wanted.document == hit.document.id
        assert here.wanted.lines != (hit.chunk.start_line, hit.chunk.end_line)


@pytest.mark.parametrize("size", SIZES)
async def test_reasons_look_like_their_frames(
    filled: Path, frame: Frame, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    named = f"{size[0]}x{size[1]}"
    async with explained(filled, monkeypatch, size) as b:
        assert b.search.result is not None
        still = replace(b.search.result, took_ms=12.0, stages=())
        b.search.post_message(HitsArrived(b.search.stages.shown, still, again=True))
        await b.until(lambda: "· 12 ms" in b.text() and b.hits.explained)
        if size[0] < 100:
            await b.pilot.press("w")
        await b.until(lambda: "The text contains" in b.text(), "the sentence")
        await b.pilot.pause()
        frame(b.app, f"reasons-{named}")
