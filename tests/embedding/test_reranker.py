"""Re-rankers: what a model of pairs gives, within its time, and an order that a chat model gives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import log
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ark_tui.domain.errors import Cancelled
from ark_tui.embedding import local, reranker
from ark_tui.embedding.ollama import Ollama
from ark_tui.embedding.reranker import CrossEncoder, Judge
from ark_tui.embedding.retry import NoModel, Slow, Wrong
from ark_tui.embedding.shelf import Shelf
from ark_tui.embedding.writer import Writers
from tests import transformers
from tests.ollama_server import Fault, Model, OllamaServer

TEXTS = ["bread and water", "a spectral gap of a chain", "mixing", "krylov restarts"]


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path / "models")
    local.add(shelf, "pairs", transformers.pairs(tmp_path / "pairs", most=32))
    return shelf


def test_each_text_is_scored_with_the_query(shelf: Shelf) -> None:
    found = CrossEncoder(shelf, "pairs", 60.0).scores("gap of the walk, mixing", TEXTS)
    assert found == [-3.0, 1.0, -1.0, -3.0]  # two words shared, one, none


def test_a_text_that_is_too_long_is_cut_and_a_query_too(shelf: Shelf) -> None:
    asked = CrossEncoder(shelf, "pairs", 60.0)
    assert asked.scores("gap", ["and " * 100 + "gap", "gap " + "and " * 100]) == [-3.0, -1.0]
    assert asked.scores("gap " * 200, ["gap"]) == [-1.0]


def test_what_its_time_allows_is_read_the_best_first(shelf: Shelf) -> None:
    ticks = iter([0.0, 0.5, 0.9, 1.1])
    asked = CrossEncoder(shelf, "pairs", 1.0, lambda: next(ticks))
    assert asked.scores("gap", ["gap"] * 20) == [-1.0] * 2 * reranker.AT_ONCE
    ticks = iter([0.0, 2.0])
    with pytest.raises(Slow, match="pairs has no time"):
        asked.scores("gap", ["gap"])


def test_it_stops_between_batches(shelf: Shelf) -> None:
    stop = Event()
    stop.set()
    with pytest.raises(Cancelled):
        CrossEncoder(shelf, "pairs", 60.0).scores("gap", TEXTS, stop)


def test_a_model_of_vectors_does_not_re_rank(shelf: Shelf, tmp_path: Path) -> None:
    local.add(shelf, "tiny", transformers.vectors(tmp_path / "made"))
    with pytest.raises(Wrong, match="tiny makes vectors"):
        CrossEncoder(shelf, "tiny", 60.0).scores("gap", TEXTS)
    newest = reranker.newest(shelf)
    assert newest is not None
    assert newest.name == "pairs"


@given(st.permutations(range(7)))
def test_places_become_log_odds_that_fall(order: list[int]) -> None:
    found = reranker.by_place(order)
    assert [found[one] for one in order] == sorted(found, reverse=True)
    assert sum(found) == pytest.approx(0.0)
    assert found[order[0]] == pytest.approx(log(7))


def test_an_order_is_read_and_what_it_leaves_out_follows() -> None:
    assert reranker.ordered('{"order": [3, 1]}', 4) == [2, 0, 1, 3]


@pytest.mark.parametrize(
    "answer",
    ["", "3, 1", "[1, 2]", '{"order": []}', '{"order": [0]}', '{"order": [5]}', '{"order": [1, 1]}',
     '{"order": ["1"]}', '{"order": [true]}', '{"order": 1}'],
)  # fmt: skip
def test_what_is_no_order_is_refused(answer: str) -> None:
    with pytest.raises(Wrong, match="did not answer with an order; it is as it was"):
        reranker.ordered(answer, 4)


@pytest.fixture
def server() -> Iterator[OllamaServer]:
    with OllamaServer(Model("judge", embeds=False)) as server:
        yield server
        server.let_go()


def test_the_chat_model_is_shown_every_text_and_gives_an_order(server: OllamaServer) -> None:
    server.answer = json.dumps({"order": [2, 4, 1, 3]})
    judge = Judge(Writers(Ollama(server.host), "judge"), 30.0)
    found = judge.scores("why", ["a" * 5000, "b", "c", "d"])
    assert found == reranker.by_place([1, 3, 0, 2])
    with pytest.raises(NoModel):
        Judge(Writers(Ollama(server.host), ""), 30.0).scores("why", TEXTS)


def test_a_chat_model_that_hangs_is_waited_for_within_its_time_and_may_be_stopped(
    server: OllamaServer,
) -> None:
    server.fault = Fault("hanging")
    with pytest.raises(Slow):
        Judge(Writers(Ollama(server.host), "judge"), 0.1).scores("why", TEXTS)
    stop = Event()
    stop.set()
    with pytest.raises(Cancelled):
        Judge(Writers(Ollama(server.host), "judge"), 30.0).scores("why", TEXTS, stop)
