"""Further terms from a chat model: found once, within a budget, or a reason."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest

from ark_tui.domain.errors import Cancelled
from ark_tui.embedding.ollama import Ollama, Prompt
from ark_tui.embedding.writer import Writers
from ark_tui.index.words import terms
from ark_tui.retrieval.expansion import SCHEMA, Expanded, Expander
from ark_tui.retrieval.signals.expanded import is_vague
from tests.ollama_server import Fault, Kind, Model, OllamaServer


@pytest.fixture
def chat(server: OllamaServer) -> OllamaServer:
    server.models["qwen3:4b"] = Model("qwen3:4b", embeds=False)
    return server


def expander(server: OllamaServer, folder: Path, model: str = "qwen3:4b", budget: float = 10.0) -> Expander:
    writers = Writers(Ollama(server.host), model)
    return Expander(writers, folder / "cache", budget)


def test_terms_come_from_the_chat_model_by_a_schema_without_thinking_or_chance(
    chat: OllamaServer, tmp_path: Path
) -> None:
    chat.terms = ["Spectral", "mixing  time", "spectral", "gaps", "x" * 50, "laplacian", ""]
    assert expander(chat, tmp_path).terms("gaps").terms == ("spectral", "mixing time", "laplacian")
    (sent,) = chat.asked("/api/chat")
    assert sent["format"] == SCHEMA
    assert (sent["think"], sent["options"]["temperature"], sent["stream"]) == (False, 0, True)
    assert (sent["options"]["num_ctx"], sent["options"]["num_predict"]) == (4096, 200)
    assert "gaps" in sent["messages"][-1]["content"]


def test_the_same_query_is_asked_once_also_by_the_next_process(chat: OllamaServer, tmp_path: Path) -> None:
    found = expander(chat, tmp_path).terms("gap")
    chat.stop()
    assert expander(chat, tmp_path).terms("  GAP ") == found
    assert expander(chat, tmp_path).terms("other") == Expanded(reason="Ollama refused the connection")
    assert expander(chat, tmp_path, "llama3").terms("gap").terms == ()  # another model would say otherwise
    assert len(chat.asked("/api/chat")) == 1


def test_without_a_model_named_the_first_that_can_chat_is_taken(chat: OllamaServer, tmp_path: Path) -> None:
    assert expander(chat, tmp_path, "").terms("gap").terms
    assert chat.asked("/api/chat")[0]["model"] == "qwen3:4b:latest".removesuffix(":latest")
    del chat.models["qwen3:4b"]
    assert expander(chat, tmp_path, "").terms("chain").reason == "Ollama has no chat model"


FAULTS: list[tuple[Kind, str]] = [
    ("busy", "Ollama is busy"),
    ("broken", "Ollama failed with 500"),
    ("dropped", "Ollama broke off the connection"),
    ("garbage", "invalid answer"),
    ("odd", "invalid answer"),
]


@pytest.mark.parametrize(("kind", "reason"), FAULTS, ids=[kind for kind, _ in FAULTS])
def test_every_failure_is_a_reason(chat: OllamaServer, tmp_path: Path, kind: Kind, reason: str) -> None:
    chat.fault = Fault(kind)
    found = expander(chat, tmp_path).terms("gap")
    assert found.terms == ()
    assert reason in found.reason


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("I think that…", "did not answer with terms"),
        ("[1, 2]", "did not answer with terms"),
        ('{"terms": 3}', "did not answer with terms"),
        (json.dumps({"terms": ["gap", 4, None]}), "found no further terms"),
    ],
)
def test_an_answer_that_is_no_list_of_terms_is_a_reason(
    chat: OllamaServer, tmp_path: Path, answer: str, reason: str
) -> None:
    chat.answer = answer
    assert reason in expander(chat, tmp_path).terms("gap").reason


def test_a_model_that_cannot_chat_or_is_not_there_is_a_reason(chat: OllamaServer, tmp_path: Path) -> None:
    assert "does not support chat" in expander(chat, tmp_path, "nomic-embed-text").terms("gap").reason
    assert expander(chat, tmp_path, "llama3").terms("gap").reason == "Ollama has no model llama3"


def test_a_slow_model_is_not_waited_for_and_its_late_answer_is_kept(
    chat: OllamaServer, tmp_path: Path
) -> None:
    slow = expander(chat, tmp_path, budget=0.2)
    chat.hang()
    assert slow.terms("gap").reason == "Ollama did not answer within 0.2 s"
    chat.let_go()
    while not slow.terms("gap").terms:
        time.sleep(0.01)
    assert len(chat.asked("/api/chat")) == 1


def test_what_is_no_term_is_left_out(chat: OllamaServer, tmp_path: Path) -> None:
    chat.terms = [
        ": [", "],", "]'-bivir", "…", "the mixing gaps", "a b c d e", "Mixing gap", "λ2", "gap bound",
    ]  # fmt: skip
    assert expander(chat, tmp_path).terms("mixing the gap").terms == ("]'-bivir", "λ2", "gap bound")


def test_of_an_answer_that_breaks_off_the_whole_terms_are_taken_and_kept(
    chat: OllamaServer, tmp_path: Path
) -> None:
    chat.answer, chat.breaks_off = '{"terms": ["walk", "eigen \\"x\\"", "mixing ti' + "mixing ti" * 100, 50
    assert expander(chat, tmp_path).terms("gap").terms == ("walk", 'eigen "x"')
    chat.stop()
    assert expander(chat, tmp_path).terms("gap").terms == ("walk", 'eigen "x"')


def test_what_has_come_within_the_budget_is_used_and_the_rest_is_kept_for_the_next_time(
    chat: OllamaServer, tmp_path: Path
) -> None:
    chat.stalls = 8
    slow = expander(chat, tmp_path, budget=1.5)
    assert slow.terms("gap") == Expanded(("spectral",), "1 term had come in time")
    chat.let_go()
    deadline = time.monotonic() + 20
    while len(slow.terms("gap").terms) < 5:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert len(chat.asked("/api/chat")) == 1


def test_who_asks_for_terms_waits_longer_is_told_so_and_may_stop(chat: OllamaServer, tmp_path: Path) -> None:
    told: list[str] = []
    writers = Writers(Ollama(chat.host), "qwen3:4b")
    patient = Expander(writers, tmp_path / "cache", 0.1, on_wait=told.append)
    chat.reading = 0.3
    assert patient.await_terms(patient.ask("gap"), patient=True).terms
    assert len(told) == 1
    chat.hang("/api/chat")
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    with pytest.raises(Cancelled):
        patient.await_terms(patient.ask("chain"), patient=True, stop=stop)
    chat.let_go()


def test_a_chat_that_is_cut_ends_at_once_and_the_server_learns_of_it(chat: OllamaServer) -> None:
    chat.token = 0.02
    chat.answer = json.dumps({"terms": ["x" * 2000]})
    stop = threading.Event()
    late = threading.Timer(0.2, stop.set)
    chat.before = lambda request: late.start() if request.path == "/api/chat" else None
    writers = Writers(Ollama(chat.host), "qwen3:4b")
    with pytest.raises(Cancelled):
        writers.write(writers.chosen(), Prompt([], SCHEMA, 500, 10.0), stop)
    deadline = time.monotonic() + 20
    while not chat.hung_up:
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("gap", True), ("the gap", True), ("mixing times", True), ("how does a gap bound mixing", False),
        ("HttpClient", False), ("v2.0", False), ("rrf 2024", False), ("", False),
    ],
)  # fmt: skip
def test_a_query_is_vague_when_it_has_two_words_at_most_and_nothing_exact(query: str, expected: bool) -> None:
    assert is_vague(terms.read(query)) is expected
