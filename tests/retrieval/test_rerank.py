"""Re-ranking in a search: what it does to the order, how it is shown, what happens where it cannot run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from ark_tui.domain.errors import Cancelled
from ark_tui.domain.hits import SearchResult, SignalStatus
from ark_tui.domain.profile import Profile
from ark_tui.domain.protocols import NEVER, Stop
from ark_tui.domain.query import Request
from ark_tui.embedding import local
from ark_tui.embedding.reranker import CrossEncoder
from ark_tui.embedding.shelf import Shelf
from ark_tui.engine import Engine
from ark_tui.retrieval import run
from ark_tui.retrieval.signals.rerank import ASKED, DEPTH
from ark_tui.settings import load
from tests import transformers
from tests.corpora import Bench, filled
from tests.support import SteadyClock

# `gap` stands in all of them, so that words alone put the shortest first.
TEXTS = {
    "a.md": "gap gap gap",
    "b.md": "a gap in the hedge, and one more gap",
    "c.md": "the eigenvalue gap of a walk, and how it forgets over many a word that is not asked for",
}
QUERY = "gap of the chain, mixing"  # the tiny model knows that walk is chain, and forgets mixing
PLAIN = {"plain": Profile("plain", weights={"bm25": 1.0})}


class Told:
    """A re-ranker that gives what it is told, and remembers what it was shown."""

    name = "told"
    remark = ""

    def __init__(self, *scores: float) -> None:
        self.given = list(scores)
        self.shown: list[str] = []

    def scores(self, query: str, texts: Sequence[str], stop: Stop = NEVER) -> list[float]:
        assert not stop.is_set()
        self.shown = [query, *texts]
        return self.given if len(self.given) > 1 else self.given * len(texts)


def lamp(result: SearchResult) -> SignalStatus | None:
    return next((one for one in result.lamps if one.signal == "rerank"), None)


def paths(result: SearchResult) -> list[str]:
    return [hit.document.path for hit in result.hits]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return filled(tmp_path / "home", TEXTS)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path / "models")
    local.add(shelf, "pairs", transformers.pairs(tmp_path / "pairs"))
    return shelf


def test_the_best_are_read_together_with_the_query_and_it_is_shown(bench: Bench, shelf: Shelf) -> None:
    corpus = bench.corpus(profiles=PLAIN, reranker=lambda name: CrossEncoder(shelf, name or "pairs", 60.0))
    before = run(corpus, Request(QUERY, profile="plain"))
    assert lamp(before) is None
    after = run(corpus, Request(QUERY, profile="plain", rerank=True))
    assert paths(after)[0] == "c.md"
    assert paths(before)[0] != "c.md"
    part = next(one for one in after.hits[0].parts if one.name == "rerank")
    assert (part.raw, part.weight, part.rank) == (
        3.0,
        ASKED / 2,
        1,
    )  # weights make 1; three words shared: 2 · 3 − 3
    assert part.contribution == pytest.approx(0.9526 / 2, abs=1e-4)  # 1 / (1 + e⁻³)
    for hit in after.hits:
        assert hit.score == pytest.approx(hit.summed())
    assert lamp(after) == SignalStatus("rerank", "on")
    assert paths(run(corpus, Request(QUERY, profile="plain", reranker="pairs"))) == paths(after)


def test_only_the_best_twenty_are_read_and_the_rest_stays_below(tmp_path: Path) -> None:
    bench = filled(tmp_path / "home", {f"{n:02}.md": "gap " + "and " * n for n in range(1, 31)})
    told = Told(-2.0)
    corpus = bench.corpus(profiles=PLAIN, reranker=lambda _: told)
    before = run(corpus, Request("gap", profile="plain", limit=30))
    after = run(corpus, Request("gap", profile="plain", limit=30, rerank=True))
    assert paths(after) == paths(before)
    assert len(told.shown) == 1 + DEPTH
    assert told.shown[0] == "gap"
    ranks = [next(one.rank for one in hit.parts if one.name == "rerank") for hit in after.hits]
    assert ranks == [1] * DEPTH + [None] * 10


def test_what_was_not_read_in_time_is_said_and_keeps_its_place(bench: Bench) -> None:
    corpus = bench.corpus(profiles=PLAIN, reranker=lambda _: Told(-1.0, -2.0))
    before = run(corpus, Request("gap", profile="plain", below=True))
    after = run(corpus, Request("gap", profile="plain", rerank=True, below=True))
    assert lamp(after) == SignalStatus("rerank", "on", "told has read 2 of 3 in its time")
    assert paths(after)[2] == paths(before)[2]


def test_without_a_re_ranker_the_search_is_as_it_was_and_the_lamp_says_why(bench: Bench) -> None:
    corpus = bench.corpus(profiles=PLAIN)
    before = run(corpus, Request("gap", profile="plain"))
    after = run(corpus, Request("gap", profile="plain", rerank=True))
    assert lamp(after) == SignalStatus("rerank", "off", "No re-ranker is here")
    assert paths(after) == paths(before)


def test_a_profile_may_want_it_and_a_search_may_not(bench: Bench) -> None:
    told = Told(1.0)
    always = {"always": Profile("always", weights={"bm25": 1.0, "rerank": 0.5})}
    corpus = bench.corpus(profiles=always, reranker=lambda _: told)
    assert lamp(run(corpus, Request("gap", profile="always"))) == SignalStatus("rerank", "on")
    wanted = Request("gap", profile="always")
    for refused in (replace(wanted, rerank=False), replace(wanted, typing=True)):
        told.shown = []
        assert lamp(run(corpus, refused)) is None
        assert told.shown == []


def test_it_stops_when_somebody_types_on(bench: Bench, shelf: Shelf) -> None:
    stop = Event()

    def taken(_: str) -> CrossEncoder:
        stop.set()
        return CrossEncoder(shelf, "pairs", 60.0)

    corpus = bench.corpus(profiles=PLAIN, reranker=taken)
    with pytest.raises(Cancelled):
        run(corpus, Request("gap", profile="plain", rerank=True), stop)


def test_recall_re_ranks_where_a_re_ranker_was_added(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for name, text in TEXTS.items():
        (notes / name).write_text(text)
    settings = load(tmp_path / "home", {"ollama_host": "http://127.0.0.1:9"}, environ={})
    with Engine(settings, SteadyClock()) as engine:
        engine.index([notes])
        request = Request(QUERY)
        assert lamp(engine.memory.recall(request, "reviewer").result) is None
        engine.models.add("pairs", transformers.pairs(tmp_path / "pairs"))
        recalled = engine.memory.recall(request, "reviewer").result
        assert lamp(recalled) == SignalStatus("rerank", "on")
        assert paths(recalled)[0] == "c.md"
        assert lamp(engine.memory.recall(Request(QUERY, rerank=False), "reviewer").result) is None
        assert lamp(engine.search(request)) is None
        away = lamp(engine.search(Request(QUERY, reranker="llm")))
        assert away == SignalStatus("rerank", "off", "No chat model is chosen")
        missing = lamp(engine.search(Request(QUERY, reranker="nobody")))
        assert missing == SignalStatus("rerank", "off", "There is no local model nobody")
