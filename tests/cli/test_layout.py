from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ark_tui.interfaces.cli.layout import column, fit, flow, short_path, widest

TEXT = st.text(alphabet="ab \n検é\u0301\x1b\t", max_size=120)


@given(TEXT, st.integers(2, 40))
def test_a_fitted_text_has_exactly_its_width(text: str, width: int) -> None:
    assert cell_len(fit(text, width)) == width


@given(st.lists(TEXT, min_size=1), st.integers(0, 20))
def test_two_blanks_stand_behind_the_longest_text_of_a_column_and_all_end_alike(
    texts: list[str], least: int
) -> None:
    width = widest(texts, least)
    shown = [column(text, width) for text in texts]
    assert all(one.endswith("  ") for one in shown)
    assert {cell_len(one) for one in shown} == {width}


def test_what_is_longer_than_its_column_does_not_run_into_the_next() -> None:
    assert column("ollama all-minilm", 12) == "ollama all-minilm  "
    assert column("検索", 6) == "検索  "


@given(TEXT, st.integers(4, 40), st.integers(1, 4))
def test_flowing_text_stays_within_its_lines_and_columns(text: str, width: int, lines: int) -> None:
    rows = ["".join(ink.text for ink in row) for row in flow(text, [], width, lines)]
    assert len(rows) <= lines
    assert all(cell_len(row) <= width for row in rows)


@given(TEXT)
def test_flowing_text_loses_nothing_but_blank_space(text: str) -> None:
    rows = ["".join(ink.text for ink in row) for row in flow(text, [], 10, 1000)]
    assert "".join("".join(rows).split()) == "".join(text.split())


def test_matches_are_marked_and_what_is_cut_is_said() -> None:
    (row,) = flow("one two three four five", [(4, 7)], 15, 1)
    assert "".join(ink.text for ink in row) == "one two three …"
    assert [ink.text for ink in row if ink.style] == ["two"]


@pytest.mark.parametrize(
    ("path", "width", "shown"),
    [("a/b.md", 10, "a/b.md"), ("folder/deep/file.md", 8, "…file.md"), ("検索/検索.md", 8, "…検索.md")],
)
def test_a_long_path_keeps_its_end(path: str, width: int, shown: str) -> None:
    assert short_path(path, width) == shown
