"""Searching real indexes: what is found, in which order, and that every part of a score is told."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import date
from math import isclose
from pathlib import Path
from threading import Event

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ark_tui.domain.errors import Cancelled, NotFound, UsageError
from ark_tui.domain.hits import SearchResult
from ark_tui.domain.profile import Decay, Profile
from ark_tui.domain.query import Filters, Request
from ark_tui.retrieval import run, stages
from ark_tui.store import files
from tests.corpora import Bench, arrival, filled

TEXTS = {
    "theory/gap.md": "The spectral gap of a reversible chain bounds its mixing time.\n\nExpanders mix fast.",
    "theory/fiedler.md": "The Fiedler vector orders the nodes of a graph along its sparsest cut.",
    "ranking/bm25.md": "BM25 saturates term frequency and divides by document length.",
    "ranking/rrf.md": "Reciprocal rank fusion adds 1/(k + rank).\n\n```python\ndef rrf_merge(): ...\n```",
    "code/client.md": "HttpClient.getJson retries twice; the C++ v2.0 port does not.",
    "ja.md": "日本語の検索では二文字の組を索引に入れる。",
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    home = filled(tmp_path_factory.mktemp("home"), TEXTS)
    home.put(
        arrival("old.md", "Cooking rice needs water.", folder="kitchen", date=date(2019, 1, 1),
                tags=("food",)),
        arrival("new.md", "Cooking rice needs water!", folder="kitchen", date=date(2025, 12, 1),
                tags=("food", "rice"), tier="wiki", type="plan"),
    )  # fmt: skip
    home.sync()
    return home


def search(bench: Bench, query: str, **more: object) -> SearchResult:
    return run(bench.corpus(), Request(query, profile="default", below=True, **more))  # type: ignore[arg-type]


def idle(states: Mapping[str, str]) -> dict[str, str]:
    """The signals that this search had no use for."""
    return {name: state for name, state in states.items() if state == "idle"}


def paths(result: SearchResult) -> list[str]:
    return [hit.document.path for hit in result.hits]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("spectral gap", "theory/gap.md"),
        ("how fast does a chain forget", "theory/gap.md"),
        ("merge", "ranking/rrf.md"),
        ("rrf_merge", "ranking/rrf.md"),
        ("RRF merge", "ranking/rrf.md"),
        ("http client", "code/client.md"),
        ("getjson", "code/client.md"),
        ("C++", "code/client.md"),
        ("v2.0", "code/client.md"),
        ("検索", "ja.md"),
        ("索引", "ja.md"),
        ('"term frequency"', "ranking/bm25.md"),
    ],
)
def test_the_document_that_is_meant_comes_first(bench: Bench, query: str, expected: str) -> None:
    assert paths(search(bench, query))[0] == expected


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
@pytest.mark.parametrize("profile", ["default", "ark"])
def test_the_displayed_parts_reproduce_the_score(bench: Bench, mode: str, profile: str) -> None:
    result = run(bench.corpus(), Request("spectral gap of rice", profile=profile, mode=mode))  # type: ignore[arg-type]
    assert result.hits
    for hit in result.hits:
        assert isclose(hit.summed(), hit.score, rel_tol=1e-12)
    assert [hit.rank for hit in result.hits] == list(range(1, len(result.hits) + 1))
    assert [hit.score for hit in result.hits] == sorted((hit.score for hit in result.hits), reverse=True)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    weights=st.dictionaries(st.sampled_from(["bm25", "static", "maxsim"]), st.floats(0, 3)),
    fusion=st.sampled_from(["convex", "rrf"]),
    k=st.floats(0.5, 100),
    decay=st.none() | st.builds(Decay, st.floats(0, 1), st.floats(0, 2)),
    query=st.sampled_from(["spectral gap", "rice", "検索", "rank fusion of graphs", "zzz"]),
)
def test_parts_reproduce_the_score_under_any_profile(
    bench: Bench, weights: dict[str, float], fusion: str, k: float, decay: Decay | None, query: str
) -> None:
    profile = Profile("any", fusion=fusion, k=k, weights=weights, decay=decay)  # type: ignore[arg-type]
    result = run(bench.corpus(profiles={"any": profile}), Request(query, profile="any"))
    for hit in result.hits:
        assert isclose(hit.summed(), hit.score, rel_tol=1e-9, abs_tol=1e-12)


def test_a_signal_of_weight_zero_changes_nothing(bench: Bench) -> None:
    base = {"bm25": 0.3, "static": 0.2}
    one = run(bench.corpus(profiles={"p": Profile("p", weights=base)}), Request("rank fusion", profile="p"))
    two = run(
        bench.corpus(profiles={"p": Profile("p", weights={**base, "maxsim": 0.0})}),
        Request("rank fusion", profile="p"),
    )
    assert [(h.document.id, h.score) for h in one.hits] == [(h.document.id, h.score) for h in two.hits]


@pytest.mark.parametrize(
    ("clause", "allowed"),
    [
        ("in:kitchen", {"old.md", "new.md"}),
        ("tag:food", {"old.md", "new.md"}),
        ("tag:food tag:rice", {"new.md"}),
        ("tier:wiki", {"new.md"}),
        ("type:plan", {"new.md"}),
        ("path:theory/", {"theory/gap.md", "theory/fiedler.md"}),
        (
            "path:theory path:ranking/*.md",
            {"theory/gap.md", "theory/fiedler.md", "ranking/bm25.md", "ranking/rrf.md"},
        ),
        ("path:theor", set()),
        ("in:kitchen in:notes tag:rice", {"new.md"}),
    ],
)
@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
def test_filters_apply_before_ranking_in_both_indexes(
    bench: Bench, clause: str, allowed: set[str], mode: str
) -> None:
    words = "rice water graph vector gap chain term rank fusion frequency"
    assert set(paths(search(bench, f"{words} {clause}", mode=mode, limit=50))) == allowed


def test_filters_of_the_request_and_of_the_query_both_hold(bench: Bench) -> None:
    result = search(bench, "rice tag:food", filters=Filters(tiers=("wiki",)))
    assert paths(result) == ["new.md"]


def test_an_excluded_word_keeps_documents_out_that_only_vectors_would_bring(bench: Bench) -> None:
    assert "theory/gap.md" in paths(search(bench, "mixing chains"))
    assert "theory/gap.md" not in paths(search(bench, "mixing chains -reversible"))


def test_a_document_is_one_row_with_its_best_chunk(bench: Bench) -> None:
    hit = next(
        hit for hit in search(bench, "expanders mix fast").hits if hit.document.path == "theory/gap.md"
    )
    assert hit.more == 1
    assert (hit.chunk.start_line, hit.chunk.end_line) == (3, 3)
    assert paths(search(bench, "mixing")).count("theory/gap.md") == 1


def test_ties_go_to_the_newer_document_and_decay_is_for_the_profile_that_asks_for_it(bench: Bench) -> None:
    equal = search(bench, "cooking rice needs water", mode="keyword")
    assert paths(equal)[:2] == ["new.md", "old.md"]
    assert equal.hits[0].multipliers == ()
    aged = run(bench.corpus(), Request("cooking rice", profile="ark"))
    by_path = {hit.document.path: hit.multipliers[0].value for hit in aged.hits}
    assert isclose(by_path["new.md"], 1 - 31 / 365 * 0.5)
    assert by_path["old.md"] == 0.3
    assert all(
        not hit.multipliers for hit in run(bench.corpus(decay=False), Request("rice", profile="ark")).hits
    )


def test_bm25_is_handed_out_first_and_the_rest_follows(bench: Bench) -> None:
    first, last = stages(bench.corpus(), Request("spectral gap", profile="default"))
    assert first.partial
    assert not last.partial
    assert {part.name for part in first.hits[0].parts} == {"bm25"}
    states = {lamp.signal: lamp.state for lamp in last.lamps}
    assert states == {**dict.fromkeys(states, "on"), **idle(states)}
    assert {"bm25", "static", "rocchio", "neighbour"} <= states.keys() - idle(states).keys()


def test_a_search_that_is_told_to_stop_stops(bench: Bench) -> None:
    stop = Event()
    running = stages(bench.corpus(), Request("spectral gap", profile="default"), stop)
    next(running)
    stop.set()
    with pytest.raises(Cancelled):
        next(running)


def test_a_word_being_typed_is_also_a_prefix(bench: Bench) -> None:
    assert paths(search(bench, "recip", mode="keyword")) == []
    assert paths(search(bench, "recip", mode="keyword", typing=True)) == ["ranking/rrf.md"]
    assert search(bench, "recip", mode="keyword", typing=True).suggestions == ()


def test_a_word_in_no_document_gets_a_suggestion(bench: Bench) -> None:
    suggestion = search(bench, "specttral gap").suggestions[0]
    assert (suggestion.word, suggestion.instead[0]) == ("specttral", "spectral")
    assert search(bench, "speptral").suggestions[0].instead[0] == "spectral"
    assert search(bench, "xpectral").suggestions[0].instead[0] == "spectral"
    assert search(bench, "spectral gap").suggestions == ()


def test_another_number_is_not_suggested(tmp_path: Path) -> None:
    home = filled(tmp_path, {"order.md": "The order 23457 was late."})
    home.sync()
    assert search(home, "23456").suggestions == ()
    assert search(home, "ordre").suggestions[0].instead == ("order",)


def test_snippets_show_the_match_with_its_lines(bench: Bench) -> None:
    hit = search(bench, "rrf_merge").hits[0]
    assert "rrf_merge" in hit.snippet.text
    assert hit.snippet.start_line <= 4 <= hit.snippet.end_line
    assert any(hit.snippet.text[a:b] == "rrf_merge" for a, b in hit.snippet.highlights)


def test_without_vectors_words_answer_and_the_lamp_says_so(tmp_path: Path) -> None:
    home = Bench(tmp_path)
    home.put(arrival("a.md", "spectral gap"))
    home.words_follower.sync()
    result = search(home, "spectral gap")
    assert paths(result) == ["a.md"]
    states = {lamp.signal: lamp.state for lamp in result.lamps}
    assert {name for name, state in states.items() if state == "on"} == {"bm25", "verbatim"}
    assert states["static"] == states["rocchio"] == "off"
    assert all(lamp.reason for lamp in result.lamps if lamp.state == "off")


def test_damaged_vectors_are_a_lamp_and_not_an_error(tmp_path: Path) -> None:
    home = filled(tmp_path, {"a.md": "spectral gap"})
    for path in home.vectors_follower.folder.glob("data/*.lance"):
        path.write_bytes(b"")
    result = search(Bench(tmp_path), "spectral gap")
    assert paths(result) == ["a.md"]
    assert "doctor" in next(lamp for lamp in result.lamps if lamp.signal == "static").reason


def test_an_empty_home_answers_with_nothing(tmp_path: Path) -> None:
    result = search(Bench(tmp_path), "anything")
    assert result.hits == ()
    assert {lamp.state for lamp in result.lamps if lamp.signal != "expansion"} == {"off"}


def test_a_hit_that_the_store_no_longer_has_is_dropped_and_counted(tmp_path: Path) -> None:
    home = filled(tmp_path, {"a.md": "spectral gap", "b.md": "spectral graph"})
    home.remove("a.md")
    result = search(home, "spectral")
    assert paths(result) == ["b.md"]


def test_a_hit_whose_file_is_newer_than_the_index_is_stale(tmp_path: Path) -> None:
    home = Bench(tmp_path / "home")
    file = tmp_path / "notes" / "a.md"
    file.parent.mkdir()
    file.write_text("spectral gap")
    with home.store.write() as lease:
        files.claim(lease, str(file.parent))
    seen = arrival("a.md", "spectral gap")
    stat = file.stat()
    home.put(
        type(seen)(
            type(seen.record)(
                "notes", "a.md", stat.st_size, stat.st_mtime_ns, 1, 1, seen.record.hash, "indexed"
            ),
            seen.drafts,
        )
    )
    home.sync()
    assert not search(home, "gap").hits[0].document.stale
    os.utime(file, ns=(1, stat.st_mtime_ns + 10**9))
    assert search(home, "gap").hits[0].document.stale


def test_what_cannot_be_asked_is_an_error_that_says_what_can(bench: Bench) -> None:
    with pytest.raises(NotFound, match="profile nope") as caught:
        run(bench.corpus(), Request("x", profile="nope"))
    assert "ark" in caught.value.hint
    with pytest.raises(NotFound, match="collection nowhere") as missing:
        search(bench, "in:nowhere rice")
    assert "kitchen" in missing.value.hint
    with pytest.raises(UsageError):
        search(bench, "rice", limit=0)


def test_only_filters_list_what_they_let_through(bench: Bench) -> None:
    assert set(paths(search(bench, "tag:food"))) == {"old.md", "new.md"}


def test_a_time_in_the_query_brings_texts_that_name_it_or_are_from_then(tmp_path: Path) -> None:
    home = filled(tmp_path, {"named.md": "The office moved in 1995.", "other.md": "The office left in 2001."})
    then = date(1997, 5, 2)
    home.put(arrival("dated.md", "The office moved again.", date=then, date_source="front matter"))
    home.put(arrival("saved.md", "The office moved, and moved.", date=then, date_source="modified"))
    home.sync()

    def temporal(query: str) -> dict[str, float]:
        hits = search(home, query).hits
        return {h.document.path: part.raw for h in hits for part in h.parts if part.name == "temporal"}

    assert paths(search(home, "where was the office in 1995"))[0] == "named.md"
    assert temporal("office in 1995") == {"named.md": 1.0, "other.md": 0.0, "dated.md": 0.0, "saved.md": 0.0}
    assert temporal("office from 1994 to 1998") == {
        "named.md": pytest.approx(0.67), "dated.md": pytest.approx(0.4), "other.md": pytest.approx(0.13),
        "saved.md": 0.0,
    }  # fmt: skip
    assert temporal("where is the office") == {}
