"""Folding, bars and lists, without an app where none is needed."""

from __future__ import annotations

from math import prod
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from ark_tui.domain.documents import Chunk, Document
from ark_tui.domain.hits import Hit, Multiplier, Part, SignalInfo, Snippet
from ark_tui.domain.jobs import JobEntry
from ark_tui.domain.wording import counted, duration
from ark_tui.domain.work import Progress
from ark_tui.interfaces.tui.reading.folding import TAB, fold
from ark_tui.interfaces.tui.widgets import ink, signal_bar
from ark_tui.interfaces.tui.widgets.work_rows import described, state, work_line

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
    rows = fold(text, width)
    by_line: dict[int, str] = {}
    for number, start, end in zip(rows.line, rows.start, rows.end, strict=True):
        row = text[start:end]
        by_line[number] = by_line.get(number, "") + row
        shown = row.rstrip(" ").replace("\t", TAB)
        assert cell_len(shown) <= max(width, len(TAB)) or len(row) == 1
    assert [by_line[number] for number in sorted(by_line)] == text.split("\n")


@given(TEXTS, st.integers(1, 40))
def test_every_line_knows_its_first_row(text: str, width: int) -> None:
    rows = fold(text, width)
    starts = [0]
    for part in text.split("\n")[:-1]:
        starts.append(starts[-1] + len(part) + 1)
    assert [rows.start[row] for row in rows.first_row] == starts


def test_a_megabyte_in_one_line_is_folded_into_rows() -> None:
    text = "word " * 200_000
    rows = fold(text, 80)
    assert len(rows) == -(-len(text) // 80)


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3), st.floats(0.3, 1), st.integers(3, 60))
def test_a_bar_is_as_long_as_its_share_of_the_best(shares: list[float], factor: float, width: int) -> None:
    one = hit(*shares, factor=factor)
    best = max(one.score, 0.01)
    drawn = sum(len(text) for text, _ in signal_bar.bands(one, INFOS, best, width))
    assert drawn <= width
    assert abs(drawn - one.score / best * width) <= 1
    assert prod(m.value for m in one.multipliers) == factor


def test_a_bar_tells_words_meaning_and_context_apart_by_their_signs() -> None:
    text = "".join(piece for piece, _ in signal_bar.bands(hit(0.5, 0.3, 0.2), INFOS, 1.0, 20))
    assert text == "━" * 10 + "═" * 6 + "┅" * 4


def test_an_unknown_signal_shows_its_first_letter() -> None:
    assert signal_bar.info_of(INFOS, "expanded").letter == "e"


@given(st.floats(0, 1), st.integers(1, 40))
def test_a_solid_bar_fills_its_width_exactly(share: float, width: int) -> None:
    bar = signal_bar.solid(share, width)
    assert len(bar) == width
    assert bool(bar.strip()) == (share > 0)


@given(st.text(max_size=60), st.integers(0, 30))
def test_shortened_text_fits(text: str, width: int) -> None:
    assert cell_len(ink.shorten(text, width)) <= width
    assert cell_len(ink.shorten_start(text, width)) <= max(width, 0)


@given(st.text(LETTERS, max_size=60), st.text(LETTERS, min_size=1, max_size=60), st.integers(8, 80))
def test_what_has_taken_a_document_s_place_is_told_however_long_its_title(
    title: str, successor: str, room: int
) -> None:
    pieces = ink.titled(title, successor, room, Style.null(), Style.null())
    assert ink.cells(pieces) <= room
    assert pieces[1][0].startswith(" →")
    assert pieces[0][1].strike


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


def test_a_row_of_work_never_outgrows_the_window() -> None:
    job = JobEntry("index", Path("/" + "x" * 40), state="running")
    job.begin()
    job.move(Progress("read", 120, 500, "a/very/long/path/" * 20))
    for width in range(30, 200):
        row = "".join(text for text, _ in work_line(job, width, "F9", "F8", here=True, muted=Style.null()))
        assert len(row) == width
        assert row.endswith("F9 pause  F8 stop")


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


def test_one_is_singular_and_thousands_have_a_comma() -> None:
    assert [counted(count, "more line") for count in (0, 1, 2000)] == [
        "0 more lines", "1 more line", "2,000 more lines",
    ]  # fmt: skip


def test_durations_are_written_for_people() -> None:
    assert [duration(s) for s in (0.2, 59, 100, 3600, 7500)] == ["1 s", "59 s", "2 min", "60 min", "2 h 05"]
