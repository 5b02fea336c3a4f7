"""Texts with equal scores: which of them are the best does not hang on how the index was built."""

from __future__ import annotations

from pathlib import Path

from ark_tui.domain.query import Filters
from ark_tui.index.protocols import Bm25
from ark_tui.index.words import terms
from tests.corpora import Bench, arrival

ALIKE, ASKED = 6, 3


def test_of_equal_scores_those_with_the_lower_numbers_are_the_best(tmp_path: Path) -> None:
    home = Bench(tmp_path / "home")
    home.put(*(arrival(f"{place}.md", "Walnuts keep.") for place in range(ALIKE)))
    home.words_follower.sync()
    for text in ("Almonds keep.", "Walnuts keep."):  # written anew, so that tantivy meets it last
        home.put(arrival("0.md", text))
        home.words_follower.sync()
    home.words.refresh()
    walnuts = Bm25(terms.read("walnuts"), {"title": 1.0})
    every = home.words.search(walnuts, ALIKE + 1, Filters())
    assert len(set(every.scores)) == 1
    best = home.words.search(walnuts, ASKED, Filters(), count=True)
    assert best.chunks == tuple(sorted(every.chunks)[:ASKED])
    assert best.count == ALIKE
