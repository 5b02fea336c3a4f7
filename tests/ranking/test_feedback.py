"""What a search learns from its own first hits, and from which of them it may learn (S3, S4, S14)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.domain.hits import SearchResult
from ark_tui.domain.query import Request
from ark_tui.retrieval import run
from tests.corpora import Bench, filled

TEXTS = {
    "gap.md": "The spectral gap bounds mixing. Conductance, conductance and Cheeger. 00005, 00005, gaps.",
    "cut.md": "A spectral gap means a good cut; conductance again, and Cheeger. 00005",
    "rsync.md": "Spectral gap backups with rsync: rsync zeppelin, zeppelin, zeppelin, spectral gap.",
    "bread.md": "Sourdough wants flour.",
    "tea.md": "Tea wants hot water.",
    "air.md": "A zeppelin flies.",  # what is in one text alone is never added
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return filled(tmp_path_factory.mktemp("home"), TEXTS)


def search(bench: Bench, query: str, *adjust: str, profile: str = "ark") -> SearchResult:
    return run(bench.corpus(), Request(query, profile=profile, adjust=adjust))


def test_the_most_frequent_words_of_the_leaders_are_added_and_not_the_query_s_own(bench: Bench) -> None:
    terms = search(bench, "spectral gap").expansion.terms
    assert terms[:2] == ("conductance", "zeppelin")  # three times each, in two texts and in one
    assert 0 < len(terms) <= 12
    assert not {"spectral", "gap", "gaps", "the"} & set(terms)
    assert not {"00005", "rsync"} & set(terms), "numbers, and words of one document, find nothing further"
    assert search(bench, "spectral gap", "feedback.terms=1").expansion.terms == ("conductance",)


@pytest.mark.parametrize("profile", ["ark"])
def test_a_term_that_is_not_wanted_is_left_out_in_all_its_forms_and_nothing_takes_its_place(
    bench: Bench, profile: str
) -> None:
    before = search(bench, "spectral gap", profile=profile).expansion
    request = Request(
        "spectral gap", profile=profile, without=("Zeppelins", "unheard"), adjust=("feedback.floor=0",)
    )
    result = run(bench.corpus(), request)
    assert set(result.expansion.terms) == set(before.terms) - {"zeppelin"}
    assert (result.expansion.without, result.expansion.source) == (("Zeppelins",), "feedback")


def test_without_any_term_expanded_bm25_finds_nothing(bench: Bench) -> None:
    before = search(bench, "spectral gap")
    after = run(bench.corpus(), Request("spectral gap", profile="ark", without=before.expansion.terms))
    assert after.expansion.terms == ()
    assert after.expansion.without == before.expansion.terms
    expanded = [part for hit in after.hits for part in hit.parts if part.name == "expanded"]
    assert not any(part.raw for part in expanded)


def test_what_is_left_of_a_contraction_is_no_term(tmp_path: Path) -> None:
    text = "Glider wings aren't heavy: they didn't, wouldn't and couldn't bend. Glider wings aren't ribbons."
    terms = search(
        filled(tmp_path, {"glider.md": text, "kite.md": "Ribbons and wings."}), "glider"
    ).expansion.terms
    assert {"wings", "ribbons"} <= set(terms)
    assert not {"aren", "didn", "wouldn", "couldn"} & set(terms)


def test_below_the_floor_nothing_is_learned(bench: Bench) -> None:
    assert search(bench, "spectral gap", "feedback.floor=0.999").expansion.terms == ()
    assert search(bench, "spectral gap", "feedback.hits=0").expansion.source == "none"


@pytest.mark.parametrize("profile", ["ark"])
def test_nothing_is_learned_from_what_the_query_is_not_about(bench: Bench, profile: str) -> None:
    assert "zeppelin" in search(bench, "spectral gap", profile=profile).expansion.terms
    told = search(bench, "spectral gap, not about rsync", profile=profile)
    assert told.expansion.terms
    assert "zeppelin" not in told.expansion.terms


def test_each_signal_shows_its_raw_value_though_only_the_larger_cosine_counts(bench: Bench) -> None:
    for hit in search(bench, "spectral gap").hits:
        parts = {part.name: part for part in hit.parts}
        both = parts["static"], parts["enriched"]
        assert sum(part.contribution > 0 for part in both) <= 1
        assert both[0].rank == both[1].rank
        larger, smaller = sorted(both, key=lambda part: -part.raw)
        assert smaller.contribution == 0
        assert larger.contribution == pytest.approx(2.0 * larger.raw / (15 + (larger.rank or 0)))
