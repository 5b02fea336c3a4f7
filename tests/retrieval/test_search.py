"""Searching real indexes: what is found, in which order, and that every part of a score is told."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import date
from math import isclose
from pathlib import Path
from threading import Event

import pytest

from ark_tui.domain.errors import Cancelled, NotFound, UsageError
from ark_tui.domain.hits import SearchResult
from ark_tui.domain.query import Request
from ark_tui.index.vectors.snapshot import Snapshot
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


def test_the_first_answer_does_not_wait_until_the_vectors_are_open(bench: Bench) -> None:
    answered = Event()

    def slow() -> Snapshot | None:
        assert answered.wait(60)
        return bench.vectors.open()

    corpus = bench.corpus(vectors=slow)
    running = stages(corpus, Request("spectral gap", profile="default"))
    first = next(running)
    answered.set()
    (last,) = running
    assert first.partial
    assert {part.name for part in first.hits[0].parts} == {"bm25"}
    assert {"bm25", "static"} <= {part.name for part in last.hits[0].parts}


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
