"""Folding, bars and lists, without an app where none is needed."""

from __future__ import annotations

from math import prod
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ark_tui.domain.documents import Chunk, Document
from ark_tui.domain.hits import Hit, Multiplier, Part, SignalInfo, Snippet
from ark_tui.domain.jobs import JobEntry
from ark_tui.domain.work import Progress
from ark_tui.interfaces.tui.reading.text import TAB, fold
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.work_rows import described, state

INFOS = {
    "bm25": SignalInfo("bm25", "b", "words", "Words."),
    "static": SignalInfo("static", "s", "meaning", "Meaning."),
    "decay": SignalInfo("decay", "d", "time", "Time."),
}
LETTERS = st.characters(codec="utf-8", categories=("L", "N", "P", "Zs", "So"), include_characters="\n\t ")
TEXTS = st.text(LETTERS)


def hit(*contributions: float, factor: float = 1.0) -> Hit:
    """A hit with these contributions of the three signals."""
    document = Document("0123456789abcdef", "notes", "a.md", "A")
    parts = tuple(Part(name, c, c, 1, 1.0, c) for name, c in zip(INFOS, contributions, strict=False))
    return Hit(
        1, sum(contributions) * factor, document, Chunk("0123456789abcdef:0", 0, 0, 1, 1, 1),
        Snippet("a", 1, 1), 0, parts, (Multiplier("decay", factor),),
    )  # fmt: skip


@given(TEXTS, st.integers(1, 40))
def test_folded_rows_are_the_text_again_and_fit_the_width(text: str, width: int) -> None:
    again, before = "", 0
    for start, end in fold(text, width):
        again += text[before:start] + text[start:end]
        assert text[before:start] in ("", "\n")
        shown = text[start:end].rstrip(" ").replace("\t", TAB)
        assert cell_len(shown) <= max(width, len(TAB)) or end - start == 1
        before = end
    assert again == text


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3), st.floats(0.3, 1), st.integers(3, 60))
def test_a_bar_is_as_long_as_its_share_of_the_best(shares: list[float], factor: float, width: int) -> None:
    one = hit(*shares, factor=factor)
    best = max(one.score, 0.01)
    drawn = sum(len(text) for text, _ in ink.bands(one, INFOS, best, width))
    assert drawn <= width
    assert abs(drawn - one.score / best * width) <= 1
    assert prod(m.value for m in one.multipliers) == factor


@given(st.text(max_size=60), st.integers(0, 30))
def test_shortened_text_fits(text: str, width: int) -> None:
    assert cell_len(ink.shorten(text, width)) <= width
    assert cell_len(ink.shorten_start(text, width)) <= max(width, 0)


@pytest.mark.parametrize(
    ("progress", "seconds", "said"),
    [
        (None, 0, "starting"),
        (Progress("scan", 12), 0.5, "looking 12"),
        (Progress("read", 120, 500), 4, "reading 120 of 500 · 30/s · 13 s left"),
        (Progress("vectors", 1, 3), 4, "vectors 1 of 3 · 0.2/s · 8 s left"),
        (Progress("read", 500, 500), 10, "reading 500 of 500 · 50/s"),
    ],
)
def test_progress_is_count_rate_and_time_left(progress: Progress | None, seconds: float, said: str) -> None:
    assert described(progress, seconds) == said


def test_work_that_goes_on_counts_on_and_tells_the_rate_of_now() -> None:
    job = JobEntry("index", Path("/notes"))
    job.begin()
    job.move(Progress("read", 120, 500))
    job.rest()
    assert state(job) == "paused · reading 120 of 500"
    job.begin()
    job.move(Progress("read", 10, 380))
    assert state(job) == "reading 130 of 500"
    assert described(job.progress, 2.0, job.before) == "reading 130 of 500 · 5/s · 74 s left"
