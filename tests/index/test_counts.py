"""In how many chunks a term is: remembered while the index stands still, and no longer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpora import Bench, arrival


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    home = Bench(tmp_path / "home")
    home.put(arrival("fruit.md", "Apples keep.\n\nApples and apricots."), arrival("nuts.md", "Walnuts keep."))
    home.sync()
    home.words.refresh()
    return home


class Asked:
    """A searcher that notes what it is asked."""

    def __init__(self, searcher: object) -> None:
        self._searcher = searcher
        self.asked: list[tuple[object, ...]] = []

    def __getattr__(self, name: str) -> object:
        def answer(*arguments: object, **options: object) -> object:
            self.asked.append((name, *arguments))
            return getattr(self._searcher, name)(*arguments, **options)

        return answer


def test_a_term_and_the_beginning_of_a_word_are_looked_up_once(bench: Bench) -> None:
    counts = bench.words._counted()
    searcher = Asked(counts._searcher)
    counts._searcher = searcher
    for _ in range(3):
        assert bench.words.document_frequency("appl") == 2
        assert bench.words.complete("ap") == ["apples", "apricots"]
    assert len(searcher.asked) == len(set(searcher.asked)) == 3, "body, title, and the beginning"


def test_what_has_been_committed_since_counts(bench: Bench) -> None:
    assert (bench.words.document_frequency("appl"), bench.words.complete("wal")) == (2, ["walnuts"])
    bench.put(arrival("cake.md", "An apple cake.\n\nWaltz."))
    bench.sync()
    assert bench.words.refresh()
    assert (bench.words.document_frequency("appl"), bench.words.complete("wal")) == (3, ["walnuts", "waltz"])
