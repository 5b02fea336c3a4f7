"""A thing is found by a few letters of its name."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain.fuzzy import best, closeness

NAMES = ("code/fiedler-numpy.md", "search/hnsw.md", "search/hnsw-tuning-server.md", "journal/2025-02-11.md")


def first(typed: str) -> str:
    return best(typed, NAMES, str, 10)[0]


def test_letters_in_their_order_are_enough() -> None:
    assert first("fdl np") == "code/fiedler-numpy.md"
    assert first("HNSW SRV") == "search/hnsw-tuning-server.md"
    assert best("xq", NAMES, str, 10) == []


def test_letters_side_by_side_come_before_scattered_ones_and_shorter_names_before_longer() -> None:
    assert best("hnsw", NAMES, str, 10) == ["search/hnsw.md", "search/hnsw-tuning-server.md"]
    assert closeness("tuning", NAMES[2]) > closeness("tng", NAMES[2]) > 0


def test_no_letters_fit_everything_in_its_order() -> None:
    assert best("", NAMES, lambda _: "same", 2) == [*NAMES[:2]]
    assert best("a", ("ab", "ab", "ac"), str, 2) == ["ab", "ab"]


@given(name=st.text("abcdefgh-", min_size=1, max_size=30), first=st.integers(0, 29))
def test_every_second_letter_of_a_part_of_a_name_fits_it(name: str, first: int) -> None:
    assert closeness(name[first::2], name) > 0


def test_letters_that_lie_far_apart_do_not_fit() -> None:
    assert closeness("lanzcos.md", "Lanczos, restarted notes/graphs/lanczos.md") == 0
