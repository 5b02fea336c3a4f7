"""What hits show comes from the word index while it is as new as the store, and is never older than it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ark_tui.domain.documents import SUPERSEDED_BY, LinkDraft
from ark_tui.domain.hits import Hit, SearchResult, Snippet
from ark_tui.domain.query import Filters, Mode, Request
from ark_tui.index.words.terms import Terms
from ark_tui.retrieval import run, signals, snippet, stages
from ark_tui.retrieval.pipeline import EARLY
from ark_tui.retrieval.signals import BY_NAME, SIGNALS
from ark_tui.retrieval.state import Candidates, Search
from ark_tui.store import Lease, documents
from tests.corpora import Bench, arrival

TEXT = "Apples keep in the cellar.\n\nPears do not keep."


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    home = Bench(tmp_path / "home")
    home.put(
        arrival("fruit.md", TEXT, title="Fruit", date=date(2025, 3, 1), date_source="front matter",
                tags=("food", "garden"), status="draft", tier="wiki", type="plan"),
        arrival("nuts.md", "Walnuts keep for years in the cellar."),
    )  # fmt: skip
    home.sync()
    return home


@contextmanager
def leases(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The leases that are taken meanwhile."""
    taken: list[str] = []
    read = bench.store.read

    @contextmanager
    def counted() -> Iterator[Lease]:
        taken.append("read")
        with read() as lease:
            yield lease

    with monkeypatch.context() as patch:
        patch.setattr(bench.store, "read", counted)
        yield taken


def search(bench: Bench, query: str, mode: Mode = "hybrid", filters: Filters | None = None) -> SearchResult:
    return run(bench.corpus(), Request(query, mode=mode, profile="default", filters=filters or Filters()))


def hit(result: SearchResult, path: str) -> Hit:
    return next(one for one in result.hits if one.document.path == path)


@pytest.mark.parametrize("mode", ["keyword", "hybrid", "semantic"])
def test_a_search_takes_no_lease_while_the_word_index_is_as_new_as_the_store(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, mode: Mode
) -> None:
    with leases(bench, monkeypatch) as taken:
        result = search(bench, "apples in the cellar", mode)
    assert result.hits
    assert not taken


def test_a_search_asks_the_store_while_the_word_index_lags_behind(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.put(arrival("late.md", "Something else."))
    with leases(bench, monkeypatch) as taken:
        assert search(bench, "apples").hits
    assert taken == ["read"]


def test_a_hit_from_the_word_index_is_the_hit_from_the_store(bench: Bench) -> None:
    quick = search(bench, "apples cellar", "keyword")
    bench.put(arrival("late.md", "Something else."))
    thorough = search(bench, "apples cellar", "keyword")
    shown = [(one.document, one.chunk, one.snippet, one.more, one.score) for one in quick.hits]
    assert shown == [(one.document, one.chunk, one.snippet, one.more, one.score) for one in thorough.hits]
    assert quick.hits[0].document.tags == ("food", "garden")
    assert quick.hits[0].document.status == "draft"


def test_a_document_that_is_gone_from_the_store_is_dropped_although_the_index_has_it(bench: Bench) -> None:
    bench.remove("fruit.md")
    assert [one.document.path for one in search(bench, "keep in the cellar").hits] == ["nuts.md"]


def test_what_moves_within_its_document_is_shown_at_its_new_lines(bench: Bench) -> None:
    bench.put(arrival("fruit.md", f"Cherries ripen in June, long before.\n\n{TEXT}"))
    bench.sync()
    found = hit(search(bench, "pears"), "fruit.md")
    assert (found.chunk.start_line, found.chunk.ordinal) == (5, 2)
    with bench.store.read() as lease:
        assert documents.chunk_at(lease, documents.resolve(lease, "fruit.md"), 2) == found.chunk


@pytest.mark.parametrize("change", [{"status": "final"}, {"date_source": "file name"}])
def test_facts_that_only_hits_show_are_followed_too(bench: Bench, change: dict[str, str]) -> None:
    facts = {"title": "Fruit", "date": date(2025, 3, 1), "date_source": "front matter", **change}
    bench.put(arrival("fruit.md", TEXT, "notes", **facts))
    bench.sync()
    shown = hit(search(bench, "pears"), "fruit.md").document
    assert {name: getattr(shown, name) for name in change} == change


def test_a_superseded_document_names_its_successor(bench: Bench) -> None:
    link = LinkDraft(SUPERSEDED_BY, "nuts", origin="front matter")
    bench.put(arrival("old.md", "Quinces are hard.", links=(link,)))
    bench.sync()
    assert "old.md" not in [one.document.path for one in search(bench, "quinces").hits]
    shown = run(bench.corpus(), Request("quinces", profile="default", superseded=True))
    assert "nuts" in shown.hits[0].document.superseded_by


def test_a_signal_is_asked_for_each_candidate_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    signal = BY_NAME["static"]
    asked: list[int] = []

    def counted(at: Search, candidates: Candidates) -> NDArray[np.float64]:
        asked.extend(candidates.chunks.tolist())
        return signal.values(at, candidates)

    many = [arrival(f"{n}.md", f"Apples number {n} of the cellar.") for n in range(30)]
    bench.put(*many)
    bench.sync()
    patched = tuple(replace(one, values=counted) if one is signal else one for one in SIGNALS)
    monkeypatch.setattr(signals, "SIGNALS", patched)
    result = search(bench, "apples in the cellar")
    assert len(result.hits) > 1
    assert sorted(asked) == sorted(set(asked))


def test_the_second_stage_shows_what_the_first_has_looked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Bench(tmp_path / "home")
    home.put(*(arrival(f"{n}.md", f"Apples keep in cellar {n}.") for n in range(EARLY + 5)))
    home.sync()
    made: list[str] = []
    make = snippet.make

    def counted(text: str, first_line: int, terms: Terms, language: str) -> Snippet:
        made.append(text)
        return make(text, first_line, terms, language)

    monkeypatch.setattr(snippet, "make", counted)
    first, last = stages(home.corpus(), Request("apples", limit=50, profile="default", below=True))
    assert first.partial
    assert len(first.hits) == EARLY, "no more than a screen shows, so that it is there at once"
    assert len(last.hits) == EARLY + 5
    assert sorted(made) == sorted({hit.snippet.text for hit in last.hits}), "each once"
