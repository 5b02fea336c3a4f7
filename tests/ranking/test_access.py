"""What an agent has opened, copied or cited counts for it (S8); feedback of the best hits."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.domain.hits import Hit, SearchResult
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.retrieval import run
from ark_tui.settings import load
from tests.corpora import Bench, filled
from tests.links.conftest import Place
from tests.support import SteadyClock


@pytest.fixture
def twins(place: Place) -> Place:
    place.write("2026-01-01 a.md", "# A\n\nThe spectral gap of a chain, first.")
    place.write("2026-01-01 b.md", "# B\n\nThe spectral gap of a chain, second.")
    place.index()
    return place


def boosts(place: Place, agent: str = "") -> dict[str, float]:
    hits: dict[str, Hit] = place.hits("spectral gap of a chain", profile="ark", agent=agent)
    assert all(hit.summed() == pytest.approx(hit.score) for hit in hits.values())
    return {
        path[-4:-3]: factor.value
        for path, hit in hits.items()
        for factor in hit.multipliers
        if factor.name == "access"
    }


def test_use_lifts_a_document_up_to_three_tenths_for_its_user_alone(twins: Place) -> None:
    assert boosts(twins) == {"a": 1.0, "b": 1.0}
    used = twins.engine.memory.accesses
    for _ in range(5):
        used.note("kim", ["2026-01-01 b.md"], "opened")
    assert boosts(twins, "kim") == pytest.approx({"a": 1.0, "b": 1.1})
    assert boosts(twins, "robin") == boosts(twins) == {"a": 1.0, "b": 1.0}
    for _ in range(20):
        used.note("kim", ["2026-01-01 b.md"], "cited")
    assert boosts(twins, "kim")["b"] == 1.3
    first = twins.search("spectral gap of a chain", profile="ark", agent="kim").hits[0]
    assert first.document.path == "2026-01-01 b.md"


def test_the_agent_is_the_configured_one_where_nobody_is_named(twins: Place) -> None:
    twins.engine.memory.accesses.note("default", ["2026-01-01 a.md"])
    assert boosts(twins)["a"] == pytest.approx(1.02)


def test_merely_being_listed_is_no_use(twins: Place) -> None:
    for _ in range(3):
        twins.engine.show("2026-01-01 a.md")
        assert boosts(twins) == {"a": 1.0, "b": 1.0}


def test_no_decay_turns_both_off_and_so_does_the_default_profile(twins: Place) -> None:
    twins.engine.memory.accesses.note("default", ["2026-01-01 a.md"])
    plain = twins.search("spectral gap", profile="default").hits[0]
    assert plain.multipliers == ()
    home = twins.engine.settings.home.path
    with Engine(load(home, environ={"ARK_NO_DECAY": "1"}), SteadyClock()) as engine:
        assert engine.search(Request("spectral gap", profile="ark")).hits[0].multipliers == ()


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
