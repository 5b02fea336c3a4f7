"""Charts in characters: within their size, no control characters unless asked, legible without color."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from ark_tui.interfaces.reports import charts, plots
from ark_tui.interfaces.reports.charts import Bar, Bars, Chart, Curves, Line, Map, Series, Times


def curve(name: str, values: Sequence[float], colour: str = "words", marker: str = "o") -> Series:
    return Series(name, *charts.thinned(range(1, len(values) + 1), values), colour, marker)


NOISE = Curves(
    (curve("eigenvalues", [9 / (i + 1) for i in range(256)]),), "rank", "", (Line("noise edge", 2.0),)
)
TWO = Curves(
    (curve("links", [1, 2, 3, 2]), curve("nearness", [3, 1, 1, 2], "structure", "x")),
    "rank",
    "score",
)
STEEP = Curves((curve("rank", [10.0**-i for i in range(6)]),), log_y=True, first=("Alpha", "Beta"))
MONTHS = Times(tuple(f"{2020 + i // 12}-{i % 12 + 1:02}" for i in range(72)), tuple(range(72)))
SHARES = Bars(
    (Bar("first", (("b", "words", 2.0), ("s", "meaning", 1.0))), Bar("second", (("b", "words", 1.0),))), 1
)
WORLD = Map(
    tuple(
        charts.group(n, name, [n + i / 10 for i in range(9)], [n * i / 9 for i in range(9)])
        for n, name in enumerate(["spectral, graph", "memory, cards", "日本語"])
    )
)
SPECTRUM = Curves(
    (
        Series("eigenvalues", (0.7, 1.4, 2.8), (3.0, 9.0, 1.0), filled=True),
        Series("noise", (0.7, 1.4, 2.8), (4.0, 8.0, 0.0), "meaning", "•", dots=True),
    ),
    "eigenvalue",
    "per bin",
    (Line("noise ends at 2.10", 2.1, upright=True),),
    log_x=True,
)
EMPTY: tuple[Chart, ...] = (Bars(()), Times((), ()), Curves(()), Curves((Series("s", (), ()),)), Map(()))
ALL: Sequence[Chart] = [
    charts.bars([("notes", 3), ("日本語のノート", 0)]), SHARES, MONTHS, SPECTRUM, NOISE, TWO,
    STEEP, WORLD, *EMPTY,
]  # fmt: skip
SGR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize("width", [24, 80])
def test_every_chart_keeps_to_its_size_and_color_adds_nothing_but_sixteen_colors(width: int) -> None:
    for chart in ALL:
        plain = plots.drawn(chart, width, 18)
        assert all(cell_len(line) <= width for line in plain.split("\n")), chart
        assert len(plain.split("\n")) <= 18
        assert "\x1b" not in plain
        coloured = plots.drawn(chart, width, 18, colour=True)
        codes = {code for match in SGR.findall(coloured) for code in match[2:-1].split(";")}
        assert codes <= {"", "0", *map(str, range(30, 38)), *map(str, range(90, 98))}
        assert [line.rstrip() for line in SGR.sub("", coloured).split("\n")] == plain.split("\n")


def test_series_are_told_apart_by_their_markers() -> None:
    drawn = plots.drawn(Curves((TWO.series[0], Series("other", (1.0, 4.0), (3.0, 3.0), marker="x"))), 60, 14)
    assert drawn.startswith("o links   x other")
    assert drawn.count("o") > 3
    assert drawn.count("x") > 3


@pytest.mark.parametrize("upright", [False, True])
def test_a_threshold_is_drawn_and_named(*, upright: bool) -> None:
    for width in (30, 77, 101):
        line = Line("the edge", 40.0 if upright else 3.0, upright)
        falling = curve("falling", [12 / number**0.5 for number in range(1, 128)])
        drawn = plots.drawn(Curves((falling,), "rank", "", (line,)), width, 12)
        assert "the edge" in drawn
        assert ("┊" if upright else "╌") in drawn


def test_every_group_of_a_map_has_its_letter_and_its_name() -> None:
    drawn = plots.drawn(WORLD, 100, 24).split("\n")
    for at, name in enumerate(("a spectral, graph (9)", "b memory, cards (9)", "c 日本語 (9)")):
        assert drawn[at].endswith(name), "beside the map"
        assert any(name[0] in line.removesuffix(name) for line in drawn)
    assert "c 日本語 (9)" in plots.drawn(WORLD, 60, 20).split("\n")[-1], "else below it"


def test_a_lens_shows_what_is_under_it_alone() -> None:
    group = WORLD.groups[0]
    lens = (min(group.x), max(group.x), min(group.y), max(group.y))
    drawn = plots.drawn(replace(WORLD, lens=lens), 60, 20)
    assert "a spectral" in drawn
    assert "b memory" not in drawn
    assert plots.pointed_at(replace(WORLD, lens=lens), 60, 20, 0, 0) is not None


def test_columns_that_are_added_up_say_so() -> None:
    assert plots.drawn(MONTHS, 50, 12).split("\n")[-1] == "3 to a column, named by the first"
    assert "to a column" not in plots.drawn(MONTHS, 240, 12)


def test_a_histogram_has_its_law_its_threshold_and_its_units() -> None:
    drawn = plots.drawn(SPECTRUM, 60, 14)
    for part in ("█ eigenvalues", "• noise", "noise ends at 2.10", "per bin", "eigenvalue"):
        assert part in drawn
    assert sum("┊" in line for line in drawn.split("\n")) > 4


def test_a_logarithmic_axis_leaves_out_what_it_cannot_show() -> None:
    drawn = plots.drawn(Curves((Series("s", (1.0, 2.0, 3.0), (0.0, 1.0, 100.0)),), log_y=True), 40, 12)
    assert re.search(r"^ *100.0┤", drawn, re.MULTILINE)
    assert re.search(r"^ *1.0┤", drawn, re.MULTILINE)


def test_the_first_of_a_curve_have_their_names_above_it() -> None:
    assert plots.drawn(STEEP, 60, 12).startswith("1 Alpha · 2 Beta\n")


def test_a_small_amount_shows_and_none_does_not() -> None:
    much, little, none = plots.drawn(charts.bars([("a", 10_000), ("b", 1), ("c", 0)]), 60).split("\n")
    assert "██" in much
    assert little.split() == ["b", "█", "1"]
    assert none.split() == ["c", "0"]


def test_many_points_are_thinned_without_losing_the_peak() -> None:
    values = [0.0] * 200_000
    values[123_456] = 7.0
    one = curve("peak", values)
    assert len(one.x) <= charts.CURVE_POINTS
    assert max(one.y) == 7.0
    assert (one.x[0], one.x[-1]) == (1.0, 200_000.0)


@settings(max_examples=40)
@given(
    st.lists(st.floats(-1e9, 1e9, allow_nan=False), min_size=1, max_size=30),
    st.text(max_size=30),
    st.booleans(),
)
def test_any_numbers_and_names_can_be_drawn(values: list[float], name: str, logarithmic: bool) -> None:
    chart = Curves((curve(name, values),), name, name, (Line(name, values[0]),), log_y=logarithmic)
    drawn = plots.drawn(chart, 60, 12)
    assert all(cell_len(line) <= 60 for line in drawn.split("\n"))
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", drawn)
