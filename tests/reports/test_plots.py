"""Charts in characters: within their size, no control characters unless asked, legible without colour."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from ark_tui.interfaces.reports import charts, plots
from ark_tui.interfaces.reports.charts import (
    Bar,
    Bars,
    Chart,
    Curves,
    Heat,
    Histogram,
    Line,
    Map,
    Series,
    Summary,
    Times,
)

NOISE = Curves(
    (charts.curve("eigenvalues", [9 / (i + 1) for i in range(256)]),), "rank", "", (Line("noise edge", 2.0),)
)
TWO = Curves(
    (charts.curve("links", [1, 2, 3, 2]), charts.curve("nearness", [3, 1, 1, 2], "structure", "x")),
    "rank",
    "score",
)
STEEP = Curves((charts.curve("rank", [10.0**-i for i in range(6)]),), logarithmic=True)
MONTHS = Times(tuple(f"{2020 + i // 12}-{i % 12 + 1:02}" for i in range(72)), tuple(range(72)))
SHARES = Bars(
    (Bar("first", (("b", "words", 2.0), ("s", "meaning", 1.0))), Bar("second", (("b", "words", 1.0),))), 1
)
WORLD = Map(
    tuple(
        charts.group(n, name, [n + i / 10 for i in range(9)], [n * i / 9 for i in range(9)], (0, 4, 0, 3))
        for n, name in enumerate(["spectral, graph", "memory, cards", "日本語"])
    )
)
SPECTRUM = Histogram(
    (0.5, 1.0, 2.0, 4.0), (3, 9, 1), (4.0, 8.0, 0.0), "eigenvalues", "noise", "eigenvalue", "n 10"
)
LINKS = Heat(("gaps", "walks"), ((10.0, 0.0), (0.0, 30.0)), ((9.0, 5.0), (5.0, 4.0)))
EMPTY: tuple[Chart, ...] = (Bars(()), Times((), ()), Curves(()), Curves((Series("s", (), ()),)), Map(()))
ALL: Sequence[Chart] = [
    charts.bars([("notes", 3), ("日本語のノート", 0)]),
    SHARES,
    MONTHS,
    SPECTRUM,
    LINKS,
    Summary((("Documents", "9"),), SHARES),
    NOISE,
    TWO,
    STEEP,
    WORLD,
    *EMPTY,
]

SGR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize("width", [24, 40, 80, 200])
@pytest.mark.parametrize("chart", ALL, ids=lambda chart: type(chart).__name__)
def test_no_line_is_longer_than_asked(chart: Chart, width: int) -> None:
    assert all(cell_len(line) <= width for line in plots.drawn(chart, width, 18).split("\n"))


@pytest.mark.parametrize("chart", [MONTHS, NOISE, TWO, STEEP, WORLD], ids=lambda chart: type(chart).__name__)
def test_a_chart_with_axes_is_as_high_as_asked(chart: Chart) -> None:
    assert len(plots.drawn(chart, 80, 18).split("\n")) <= 18


@pytest.mark.parametrize("chart", ALL, ids=lambda chart: type(chart).__name__)
def test_colour_adds_sixteen_colours_and_nothing_else(chart: Chart) -> None:
    plain, coloured = plots.drawn(chart, 80, 18), plots.drawn(chart, 80, 18, colour=True)
    assert "\x1b" not in plain
    codes = {code for match in SGR.findall(coloured) for code in match[2:-1].split(";")}
    assert codes <= {"", "0", *map(str, range(30, 38)), *map(str, range(90, 98))}
    assert [line.rstrip() for line in SGR.sub("", coloured).split("\n")] == plain.split("\n")


def test_series_are_told_apart_by_their_markers() -> None:
    drawn = plots.drawn(Curves((TWO.series[0], Series("other", (1.0, 4.0), (3.0, 3.0), marker="x"))), 60, 14)
    assert drawn.startswith("o links   x other")
    assert drawn.count("o") > 3
    assert drawn.count("x") > 3


def test_the_threshold_is_drawn_and_named() -> None:
    drawn = plots.drawn(NOISE, 80, 16)
    edge = next(line for line in drawn.split("\n") if "noise edge" in line)
    assert "╌╌╌╌" in edge


@pytest.mark.parametrize("upright", [False, True])
@pytest.mark.parametrize("width", [30, 60, 77, 80, 101])
def test_the_name_of_a_threshold_is_in_every_picture(width: int, upright: bool) -> None:
    for points in (2, 9, 127, 128, 200):
        line = Line("the edge", points * 0.3 if upright else 3.0, upright)
        falling = charts.curve("falling", [12 / number**0.5 for number in range(1, points + 1)])
        assert "the edge" in plots.drawn(Curves((falling,), "rank", "", (line,)), width, 12)


def test_every_group_of_a_map_has_its_letter_and_its_name() -> None:
    drawn = plots.drawn(WORLD, 80, 24).split("\n")
    for at, name in enumerate(("a spectral, graph (9)", "b memory, cards (9)", "c 日本語 (9)")):
        assert drawn[at].endswith(name), "beside the map"
        assert any(name[0] in line.removesuffix(name) for line in drawn)
    narrow = plots.drawn(WORLD, 60, 20).split("\n")
    assert narrow[-1] == "a spectral, graph (9)   b memory, cards (9)   c 日本語 (9)", "else below it"
    assert plots.drawn(WORLD, 34, 7).split("\n")[-2:] == [
        "a spectral, graph (9)",
        "b memory, cards (9)   c 日本語 (9)",
    ]
    assert plots.drawn(WORLD, 24, 6).split("\n")[-2:] == ["a spectral,…", "b memory, ca…   c 日本語"], (
        "all of them"
    )


def test_every_point_of_a_map_is_a_dot_or_below_a_letter() -> None:
    drawn = plots.drawn(WORLD, 60, 20).split("\n")[:-1]
    dots = sum(
        (ord(sign) - 0x2800).bit_count() for line in drawn for sign in line if "\u2800" < sign <= "\u28ff"
    )
    assert 0 < dots <= 27
    cells = sum(not sign.isspace() for line in drawn for sign in line)
    assert cells >= 3


def test_a_lens_shows_what_is_under_it_alone() -> None:
    group = WORLD.groups[0]
    lens = (min(group.x), max(group.x), min(group.y), max(group.y))
    *rows, names = plots.drawn(replace(WORLD, lens=lens), 60, 20).split("\n")
    assert "a" in "".join(rows)
    assert names == "a spectral, graph (9)", "and names no other"
    assert plots.pointed_at(replace(WORLD, lens=lens), 60, 20, 0, 0) is not None


@pytest.mark.parametrize(("width", "step"), [(24, 9), (50, 4), (100, 2)])
def test_columns_that_are_added_up_are_as_high_as_their_sum_and_say_so(width: int, step: int) -> None:
    *rows, _, _, said = plots.drawn(MONTHS, width, 12).split("\n")
    assert said.strip().startswith(f"{step} to a column")
    assert rows[0].split("┤")[0].strip() == str(sum(range(72 - step, 72)))
    assert rows[0].count("█") == 1, "only the highest reaches the upper edge"
    assert "to a column" not in plots.drawn(MONTHS, 200, 12)


@pytest.mark.parametrize("height", [6, 7, 9, 12])
def test_a_level_in_the_middle_is_where_a_column_of_that_height_ends(height: int) -> None:
    *rows, _, _ = plots.drawn(Times(MONTHS.spans[:8], (12, *range(7))), 60, height).split("\n")
    marked = [(len(rows) - at, int(row.split("┤")[0])) for at, row in enumerate(rows) if "┤" in row]
    assert marked[0] == (len(rows), 12)
    assert len(marked) == 2
    assert all(abs(level * len(rows) / 12 - row) <= 1 / 4 for row, level in marked)


@pytest.mark.parametrize(("width", "height"), [(24, 9), (60, 12), (100, 20)])
def test_a_histogram_has_its_law_its_axes_and_its_units(width: int, height: int) -> None:
    edge = Line("noise ends at 2.10", 2.1, upright=True)
    drawn = plots.drawn(replace(SPECTRUM, lines=(edge,)), width, height)
    for part in ("█ eigenvalues", "• noise", "┊ noise ends at 2.10", "n 10", "9┤", " 1"):
        assert part in drawn
    assert max(map(len, drawn.split("\n"))) <= width


@pytest.mark.parametrize("colour", [False, True])
def test_where_noise_ends_is_a_line_through_the_picture(*, colour: bool) -> None:
    edge = Line("noise ends at 4.00", 4.0, upright=True)
    drawn = plots.drawn(replace(SPECTRUM, lines=(edge,)), 60, 14, colour=colour)
    assert sum("┊" in line for line in drawn.split("\n")) > 4


def test_a_histogram_of_more_bins_than_cells_has_coarser_ones_and_loses_nothing() -> None:
    bounds = tuple(1.1**power for power in range(101))
    many = Histogram(bounds, (1,) * 100, (1.0,) * 100, "eigenvalues", "noise")
    drawn = plots.drawn(many, 40, 12)
    assert max(map(len, drawn.split("\n"))) <= 40
    assert "4┤" in drawn


def test_a_law_far_above_what_was_counted_leaves_the_picture_and_says_how_far() -> None:
    steep = replace(SPECTRUM, counts=(3, 9, 1), expected=(4.0, 300.0, 12.0))
    drawn = plots.drawn(steep, 60, 14).split("\n")
    assert "▴ above, up to 300" in drawn[0]
    assert drawn[2].startswith("18┤"), "twice what was counted"
    assert "▴" in drawn[2]
    assert "•" in "".join(drawn[2:])
    assert "▴" not in plots.drawn(SPECTRUM, 60, 14)


def test_a_low_histogram_keeps_its_axis_and_gives_up_what_is_said_around_it() -> None:
    edge = Line("noise ends at 2.10", 2.1, upright=True)
    drawn = plots.drawn(replace(SPECTRUM, lines=(edge,)), 39, 7).split("\n")
    assert len(drawn) == 7
    assert drawn[0] == "█ eigenvalues   ┊ noise ends at 2.10"
    assert "└──" in drawn[-2]
    assert drawn[-1].split() == ["0.5", "1", "2"]


@pytest.mark.parametrize("height", [5, 6, 7, 8, 9, 12])
def test_no_two_ticks_of_a_low_picture_share_a_row(height: int) -> None:
    named = [re.match(r" *([0-9.e-]+)┤", line) for line in plots.drawn(STEEP, 40, height).split("\n")]
    powers = {f"{10.0**-power:g}" for power in range(6)}
    assert {found[1] for found in named if found} <= powers


def test_a_pair_that_is_pointed_at_is_in_brackets_and_found_by_its_cell() -> None:
    drawn = plots.drawn(replace(LINKS, here=(0, 1)), 60, 12).split("\n")
    assert drawn[1] == "a gaps    =[−−]"
    assert drawn[2] == "b walks [−−]++"
    signs: dict[tuple[int, int], str] = {}
    for y, line in enumerate(drawn):
        for x, sign in enumerate(line):
            pair = plots.cell_at(LINKS, 60, 12, x, y)
            if pair is not None:
                signs[pair] = signs.get(pair, "") + sign
    assert {pair: found.strip(" []") for pair, found in signs.items()} == {
        (0, 0): "=", (0, 1): "−−", (1, 0): "−−", (1, 1): "++",
    }  # fmt: skip


def test_a_table_in_a_low_place_keeps_its_rows_and_says_its_signs_in_short() -> None:
    observed = tuple(tuple(float(10 * row * column) for column in range(5)) for row in range(5))
    drawn = plots.drawn(Heat(tuple("vwxyz"), observed, ((20.0,) * 5,) * 5), 40, 7).split("\n")
    assert [line[2] for line in drawn[1:6]] == [*"vwxyz"]
    assert drawn[6] == plots.BRIEFLY


def test_a_table_of_observed_against_expected_tells_them_by_signs_and_says_what_it_leaves_out() -> None:
    drawn = plots.drawn(LINKS, 60, 12).split("\n")
    assert drawn[1].split() == ["a", "gaps", "=", "−−"]
    assert drawn[2].split() == ["b", "walks", "−−", "++"]
    assert "hardly any links" in drawn[-2] + drawn[-1]
    many = Heat(tuple(map(str, range(12))), ((0.0,) * 12,) * 12, ((0.0,) * 12,) * 12)
    assert "more" in plots.drawn(many, 60, 8)
    assert plots.drawn(many, 60, 8).count("\n") < 8


def test_the_first_of_a_curve_have_their_names_in_it() -> None:
    falling = charts.curve("falling", [1 / rank for rank in range(1, 90)])
    drawn = plots.drawn(Curves((falling,), first=("Alpha", "Beta")), 60, 12)
    assert "1 Alpha" in drawn
    assert "2 Beta" in drawn


def test_a_small_amount_shows_and_none_does_not() -> None:
    much, little, none = plots.drawn(charts.bars([("a", 10_000), ("b", 1), ("c", 0)]), 60).split("\n")
    assert "█" in much
    assert "▏" in little
    assert none.split() == ["c", "0"]


def test_many_points_are_thinned_without_losing_the_peak() -> None:
    values = [0.0] * 200_000
    values[123_456] = 7.0
    one = charts.curve("peak", values)
    assert len(one.x) <= charts.CURVE_POINTS
    assert max(one.y) == 7.0
    assert (one.x[0], one.x[-1]) == (1.0, 200_000.0)


@settings(max_examples=60)
@given(
    st.lists(st.floats(-1e9, 1e9, allow_nan=False), min_size=1, max_size=30),
    st.text(max_size=30),
    st.booleans(),
)
def test_any_numbers_and_names_can_be_drawn(values: list[float], name: str, logarithmic: bool) -> None:
    chart = Curves((charts.curve(name, values),), name, name, (Line(name, values[0]),), logarithmic)
    drawn = plots.drawn(chart, 60, 12)
    assert all(cell_len(line) <= 60 for line in drawn.split("\n"))
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", drawn)


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_ticks_are_round_and_inside(low: float, spread: float) -> None:
    ticks = plots.round_ticks(low, low + spread)
    assert len(ticks) <= 7
    slack = 1e-6 * spread + 1e-15 * abs(low)  # of floating point, for a hair's breadth far from zero
    assert all(low - slack <= tick <= low + spread + slack for tick in ticks)
