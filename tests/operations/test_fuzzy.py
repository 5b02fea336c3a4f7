"""A thing is found by a few letters of its name."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain.fuzzy import best, closeness

NAMES = ("code/fiedler-numpy.md", "search/hnsw.md", "search/hnsw-tuning-server.md", "journal/2025-02-11.md")


def fitting(typed: str, names: tuple[str, ...] = NAMES, most: int = 10) -> list[str]:
    return best(names, lambda name: closeness(typed, name), most)


def first(typed: str) -> str:
    return fitting(typed)[0]


def test_letters_in_their_order_are_enough() -> None:
    assert first("fdl np") == "code/fiedler-numpy.md"
    assert first("HNSW SRV") == "search/hnsw-tuning-server.md"
    assert fitting("xq") == []


def test_letters_side_by_side_come_before_scattered_ones_and_shorter_names_before_longer() -> None:
    assert fitting("hnsw") == ["search/hnsw.md", "search/hnsw-tuning-server.md"]
    assert closeness("tuning", NAMES[2]) > closeness("tng", NAMES[2]) > 0


def test_no_letters_fit_everything_in_its_order() -> None:
    assert best(NAMES, lambda _: closeness("", "same"), 2) == [*NAMES[:2]]
    assert fitting("a", ("ab", "ab", "ac"), 2) == ["ab", "ab"]


@given(name=st.text("abcdefgh-", min_size=1, max_size=30), first=st.integers(0, 29))
def test_every_second_letter_of_a_part_of_a_name_fits_it(name: str, first: int) -> None:
    assert closeness(name[first::2], name) > 0


def test_letters_that_lie_far_apart_do_not_fit() -> None:
    assert closeness("lanzcos.md", "Lanczos, restarted notes/graphs/lanczos.md") == 0
