"""What holds for any corpus, any profile and any query."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from itertools import count
from math import isclose
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ark_tui.domain.documents import LinkDraft
from ark_tui.domain.hits import SearchResult
from ark_tui.domain.profile import Access, Decay, Feedback, Graph, Profile
from ark_tui.domain.query import Mode, Request
from ark_tui.retrieval import run
from ark_tui.retrieval.signals import SIGNALS
from ark_tui.settings import ranking
from tests.corpora import Bench, arrival

NAMES = [signal.info.name for signal in SIGNALS]
WORDS = (
    *("spectral", "gap", "chain", "mixing", "time", "graph", "bread", "flour", "rank", "fusion", "office"),
    *("December", "2025", "1994"),
)
TAGS = ("red", "blue")
FREE = settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])

numbers = count()
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=25).map(" ".join)
weights = st.dictionaries(st.sampled_from(NAMES), st.floats(0.01, 3), min_size=1)
profiles = st.builds(
    Profile,
    name=st.just("any"),
    fusion=st.sampled_from(["convex", "rrf"]),
    k=st.floats(0, 100),
    depth=st.integers(1, 100),
    sigma=st.sampled_from([0.0, 15.0, 400.0]),
    mmr=st.sampled_from([1.0, 0.6, 0.0]),
    stand_in=st.booleans(),
    weights=weights,
    feedback=st.builds(
        Feedback,
        st.sampled_from(["fused", "cosine"]),
        st.integers(0, 5),
        st.sampled_from([-1.0, 0.35]),
        st.integers(0, 12),
    ),
    graph=st.builds(Graph, st.integers(0, 3), st.integers(0, 5), st.sampled_from([-1.0, 0.3])),
    decay=st.none() | st.builds(Decay, st.floats(0, 1), st.floats(0, 2)),
    access=st.none() | st.just(Access()),
)
queries = st.sampled_from([
    "spectral gap", "bread", "office in December 2025", "rank fusion 1994", "mixing time not about bread",
    "gap last month", "zzz", "chain without graph",
])  # fmt: skip


def corpus_of(path: Path, bodies: list[str]) -> Bench:
    """Each text a document, dated and tagged in turn, that links to the two before it."""
    home = Bench(path / str(next(numbers)))
    home.put(
        *(
            arrival(
                f"{i}.md",
                body,
                date=date(2025, 1 + i % 12, 1 + i % 28),
                date_source="front matter",
                tags=(TAGS[i % 2],),
                links=tuple(LinkDraft("links_to", f"{to}.md") for to in range(max(0, i - 2), i)),
            )
            for i, body in enumerate(bodies)
        )
    )
    home.sync()
    return home


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    bodies = [" ".join(WORDS[(i * 3 + j * 5) % len(WORDS)] for j in range(4 + i % 7)) for i in range(40)]
    return corpus_of(tmp_path_factory.mktemp("home"), bodies)


def asked(bench: Bench, profile: Profile, query: str, mode: Mode = "hybrid", **more: object) -> SearchResult:
    corpus = bench.corpus(profiles={"any": replace(profile, name="any")})
    return run(corpus, Request(query, mode, 50, "any", **more))  # type: ignore[arg-type]


def listed(result: SearchResult) -> list[tuple[str, float]]:
    return [(hit.document.path, hit.score) for hit in result.hits]


@settings(FREE, max_examples=6)
@given(bodies=st.lists(texts, min_size=1, max_size=8), profile=profiles, query=queries)
def test_the_parts_reproduce_the_score_in_any_corpus(
    tmp_path: Path, bodies: list[str], profile: Profile, query: str
) -> None:
    result = asked(corpus_of(tmp_path, bodies), profile, query)
    for hit in result.hits:
        assert isclose(hit.summed(), hit.score, rel_tol=1e-9, abs_tol=1e-12)


@FREE
@given(profile=profiles, query=queries, mode=st.sampled_from(["hybrid", "keyword", "semantic"]))
def test_the_parts_reproduce_the_score_by_any_profile(
    bench: Bench, profile: Profile, query: str, mode: Mode
) -> None:
    result = asked(bench, profile, query, mode)
    for hit in result.hits:
        assert isclose(hit.summed(), hit.score, rel_tol=1e-9, abs_tol=1e-12)
        for part in hit.parts:
            own = part.weight * part.normalised
            given_rank = part.rank or 0
            expected = own if profile.fusion == "convex" else own / (profile.k + given_rank) if own else 0.0
            assert isclose(part.contribution, expected, rel_tol=1e-9, abs_tol=1e-12)
    scores = [hit.score for hit in result.hits]
    assert scores == pytest.approx(sorted(scores, reverse=True), abs=1e-9)


@pytest.mark.parametrize("query", ["spectral gap", "bread", "rank fusion 1994"])
def test_variety_alone_gives_texts_that_say_the_same_nothing_and_not_less(bench: Bench, query: str) -> None:
    """The cosine of a vector with itself can be a little more than one."""
    result = asked(bench, Profile(name="any", mmr=0.0, weights={"bm25": 1.0}), query)
    scores = [hit.score for hit in result.hits]
    assert scores == pytest.approx(sorted(scores, reverse=True), abs=1e-12)
    assert min(scores) >= 0


@FREE
@given(profile=profiles, query=queries, off=st.sampled_from(NAMES))
def test_a_signal_of_weight_zero_is_as_if_it_were_not_there(
    bench: Bench, profile: Profile, query: str, off: str
) -> None:
    rest = {name: weight for name, weight in profile.weights.items() if name != off}
    without = asked(bench, replace(profile, weights=rest), query)
    assert listed(asked(bench, replace(profile, weights={**rest, off: 0.0}), query)) == listed(without)


@FREE
@given(
    profile=profiles,
    query=queries,
    clause=st.sampled_from(["tag:red", "-tag:red", "path:3.md OR path:4.md", "before:2025-06", "-spectral"]),
    mode=st.sampled_from(["hybrid", "keyword", "semantic"]),
)
def test_no_signal_leads_past_a_filter(
    bench: Bench, profile: Profile, query: str, clause: str, mode: Mode
) -> None:
    listing = asked(bench, profile, clause).hits
    allowed = {one.path for hit in listing for one in (hit.document, *hit.duplicates)}
    found = {hit.document.path for hit in asked(bench, profile, f"{query} {clause}", mode, hops=3).hits}
    assert found <= allowed


@FREE
@given(profile=profiles, query=queries)
def test_changing_nothing_changes_nothing(bench: Bench, profile: Profile, query: str) -> None:
    table = ranking.table(profile)
    plain = {key: table[key] for key in ("k", "depth", "sigma", "mmr", "fusion", "stand_in")}
    changes = [f"{key}={value}" for key, value in plain.items()]
    changes += [f"weight.{name}={weight!r}" for name, weight in profile.weights.items()]
    changes += [f"graph.{name}={value}" for name, value in table["graph"].items()]
    assert listed(asked(bench, profile, query, adjust=tuple(changes))) == listed(asked(bench, profile, query))
