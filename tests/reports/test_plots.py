"""Charts in characters: within their size, no control characters, legible without color."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from ark_tui.interfaces.reports import charts, plots
from ark_tui.interfaces.reports.charts import FAMILIES, Bar, Bars, Chart, Curves, Group, Map, Series, Times


def curve(name: str, values: Sequence[float]) -> Series:
    return Series(name, tuple(range(1, len(values) + 1)), tuple(values))


STEEP = Curves((curve("rank", [10.0**-i for i in range(6)]),), log_y=True)
MONTHS = Times(tuple(f"{2020 + i // 12}-{i % 12 + 1:02}" for i in range(72)), tuple(range(72)))
SHARES = Bars(
    (Bar("first", (("b", "words", 2.0), ("s", "meaning", 1.0))), Bar("second", (("b", "words", 1.0),))),
    1,
    (("b", "words", "bm25"), ("s", "meaning", "static")),
)
WORLD = Map(
    tuple(
        Group(letter, name, color, tuple(n + i / 10 for i in range(9)), tuple(n * i / 9 for i in range(9)), 9)
        for n, (letter, name, color) in enumerate(
            zip("abc", ["spectral, graph", "memory, cards", "日本語"], FAMILIES, strict=False)
        )
    )
)
SPECTRUM = Curves(
    (
        Series("eigenvalues", (0.7, 1.4, 2.8), (3.0, 9.0, 1.0), style="columns"),
        Series("noise", (0.7, 1.4, 2.8), (4.0, 8.0, 0.0), "meaning", "dots"),
    ),
    "eigenvalue",
    "per bin",
    ("noise ends at 2.10", 2.1),
    log_x=True,
)
EMPTY: Sequence[Chart] = [
    Bars(()), Times((), ()), Times(MONTHS.spans, (0,) * 72), Curves(()), Curves((Series("s", (), ()),)),
    Map(()),
]  # fmt: skip
ALL: Sequence[Chart] = [
    charts.bars([("notes", 3), ("日本語のノート", 0)]), SHARES, MONTHS, SPECTRUM, STEEP, WORLD, *EMPTY,
]  # fmt: skip


@pytest.mark.parametrize("width", [24, 80])
def test_every_chart_keeps_to_its_size_and_its_colors_are_those_of_families(width: int) -> None:
    for chart in ALL:
        drawn = plots.drawn(chart, width, 18)
        assert all(cell_len(line) <= width for line in drawn.plain.split("\n")), chart
        assert len(drawn.plain.split("\n")) <= 18
        assert "\x1b" not in drawn.plain
        assert {str(span.style) for span in drawn.spans} <= {"", *FAMILIES}
    assert {str(span.style) for span in plots.drawn(WORLD).spans} >= set(FAMILIES[:3])


@pytest.mark.parametrize("width", [40, 77, 101])
def test_a_histogram_has_its_law_its_edge_and_its_units(width: int) -> None:
    drawn = plots.drawn(SPECTRUM, width, 14).plain
    for part in ("█ eigenvalues", "• noise", "noise ends at 2.10", "per bin", "eigenvalue"):
        assert part in drawn
    assert sum("┊" in line for line in drawn.split("\n")) > 4


def test_every_group_of_a_map_has_its_letter_and_its_name() -> None:
    *dots, key = plots.drawn(WORLD, 100, 24).plain.split("\n")
    assert key == "a spectral, graph (9)   b memory, cards (9)   c 日本語 (9)"
    assert {"a", "b", "c"} <= set("".join(dots))


def test_a_lens_shows_what_is_under_it_alone() -> None:
    group = WORLD.groups[0]
    lens = (min(group.x), max(group.x), min(group.y), max(group.y))
    drawn = plots.drawn(replace(WORLD, lens=lens), 60, 20).plain
    assert "a spectral" in drawn
    assert "b memory" not in drawn
    assert plots.pointed_at(replace(WORLD, lens=lens), 60, 20, 0, 0) is not None


def test_columns_over_time_are_named_by_their_spans() -> None:
    assert "2020-01" in plots.drawn(MONTHS, 50, 12).plain


def test_a_logarithmic_axis_has_its_powers() -> None:
    drawn = plots.drawn(Curves((curve("s", [1.0, 10.0, 100.0]),), log_y=True), 40, 12).plain
    assert re.search(r"^ *100.0┤", drawn, re.MULTILINE)
    assert re.search(r"^ *1.0┤", drawn, re.MULTILINE)


def test_a_small_amount_shows_and_none_does_not() -> None:
    drawn = plots.drawn(charts.bars([("a", 10_000), ("b", 1), ("c", 0)]), 60)
    much, little, none = drawn.plain.split("\n")
    assert "██" in much
    assert little.split() == ["b", "█", "1"]
    assert none.split() == ["c", "0"]


@settings(max_examples=40)
@given(
    st.lists(st.floats(-1e9, 1e9, allow_nan=False), min_size=1, max_size=30),
    st.text(max_size=30),
)
def test_any_numbers_and_names_can_be_drawn(values: list[float], name: str) -> None:
    drawn = plots.drawn(Curves((curve(name, values),), name, name, (name, values[0])), 60, 12).plain
    assert all(cell_len(line) <= 60 for line in drawn.split("\n"))
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", drawn)
