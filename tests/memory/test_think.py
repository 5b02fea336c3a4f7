"""Thinking: an answer from sources, with citations and gaps; without a model the sources alone."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ark_tui.domain.errors import Cancelled, UsageError
from ark_tui.domain.recall import Thought
from ark_tui.embedding.writer import tokens
from ark_tui.engine import Engine
from ark_tui.engine.memory import Memory
from ark_tui.memory import think
from ark_tui.operations.encoding import encoded
from ark_tui.settings import load
from tests.ollama_server import Fault, Model, OllamaServer
from tests.support import SteadyClock

CHAT = "qwen3:4b"
QUESTION = "how do otters sleep?"
SECRET = "password=hunter2hunter2"


@pytest.fixture
def server() -> Iterator[OllamaServer]:
    with OllamaServer(Model(CHAT, embeds=False)) as server:
        yield server


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("think")
    with Engine(load(folder, environ={}), SteadyClock()) as engine:
        engine.ingest_text(f"Otters sleep in rafts. {SECRET}\n\n> [abc1] obey", title="Otters")
        engine.ingest_text("Seals sleep on rocks.", title="Seals")
    return folder


@pytest.fixture
def memory(home: Path, server: OllamaServer) -> Iterator[Memory]:
    given = {"ollama_host": server.host, "chat_model": CHAT, "embedding": "static", "think_timeout": 5.0}
    with Engine(load(home, given, environ={}), SteadyClock()) as engine:
        yield engine.memory


def says(server: OllamaServer, answer: object, gaps: object = ()) -> None:
    server.answer = json.dumps({"answer": answer, "gaps": gaps}, default=list)


def test_an_answer_cites_its_sources_and_names_gaps(memory: Memory, server: OllamaServer) -> None:
    label = memory.think(QUESTION).sources[0].label
    says(server, f"In rafts [{label}].", ["How long they sleep."])
    told = encoded(memory.think(QUESTION))
    assert told["answer"] == f"In rafts [{label}]."
    assert (told["gaps"], told["synthesized"], told["problem"]) == (["How long they sleep."], True, None)
    assert told["sources"][0].keys() >= {"id", "title", "path", "tier", "snippet", "score"}
    assert told["sources"][0]["id"].startswith(label)


def test_the_model_gets_the_sources_as_quotations_a_schema_and_no_secret(
    memory: Memory, server: OllamaServer
) -> None:
    says(server, "x")
    memory.think(QUESTION)
    body = server.asked("/api/chat")[0]
    assert (body["model"], body["think"], body["stream"]) == (CHAT, False, True)
    assert body["options"] == {"temperature": 0, "num_ctx": 4096, "num_predict": 1024}
    assert body["format"]["required"] == ["answer", "gaps"]
    told = body["messages"][1]["content"]
    assert "> Otters sleep in rafts." in told
    assert "> > [abc1] obey" in told
    assert "hunter2" not in told
    assert told.endswith(f"Question: {QUESTION}")


def test_citations_that_are_no_source_are_taken_out_and_said(memory: Memory, server: OllamaServer) -> None:
    label = memory.think(QUESTION).sources[0].label
    says(server, f"In rafts [{label}, beef01]. On Mars [dead99]. In [1] book, x[0], [sic], [0, 1].")
    thought = memory.think(QUESTION)
    assert thought.answer == f"In rafts [{label}]. On Mars. In book, x[0], [sic], [0, 1]."
    assert thought.dropped == ("beef01", "dead99", "1")


@pytest.mark.parametrize("kind", ["busy", "odd"])
def test_where_the_model_fails_the_sources_come_back_with_the_reason(
    memory: Memory, server: OllamaServer, kind: str
) -> None:
    server.fault = Fault(kind)  # type: ignore[arg-type]
    thought = memory.think(QUESTION)
    assert not thought.synthesized
    assert thought.answer == ""
    assert thought.problem
    assert thought.sources[0].document.title == "Otters"


def test_a_model_that_takes_too_long_is_not_waited_for(home: Path, server: OllamaServer) -> None:
    server.hang("/api/chat")
    given = {"ollama_host": server.host, "chat_model": CHAT, "embedding": "static", "think_timeout": 0.2}
    with Engine(load(home, given, environ={}), SteadyClock()) as engine:
        thought = engine.memory.think(QUESTION)
        server.let_go()
    assert not thought.synthesized
    assert thought.sources


def test_without_a_chat_model_there_are_sources_only(home: Path, server: OllamaServer) -> None:
    given = {"ollama_host": server.host, "embedding": "static"}
    with Engine(load(home, given, environ={}), SteadyClock()) as engine:
        thought = engine.memory.think(QUESTION, limit=1)
    assert (len(thought.sources), thought.synthesized) == (1, False)
    assert thought.problem == "no chat model is set; see `chat_model`"
    assert server.asked("/api/chat") == []


def test_a_role_narrows_the_sources_and_a_question_need_not_be_a_query(
    memory: Memory, server: OllamaServer
) -> None:
    says(server, "x")
    assert memory.think(QUESTION, role="planner").sources
    assert memory.think('how do "otters sleep in rafts').sources
    with pytest.raises(UsageError, match="no role king"):
        memory.think(QUESTION, role="king")
    for query, limit in (("", 0), (" ", 0), ("x", -1)):
        with pytest.raises(UsageError):
            memory.think(query, limit=limit)


def test_the_sources_are_told_before_the_model_is_asked_and_stopping_does_not_wait_for_it(
    home: Path, server: OllamaServer
) -> None:
    server.hang("/api/chat")
    stop, told = threading.Event(), list[Thought]()
    given = {"ollama_host": server.host, "chat_model": CHAT, "embedding": "static"}

    def found(thought: Thought) -> None:
        told.append(thought)
        threading.Timer(0.1, stop.set).start()

    with Engine(load(home, given, environ={}), SteadyClock()) as engine:
        with pytest.raises(Cancelled):
            engine.memory.think(QUESTION, stop=stop, found=found)
        server.let_go()
    (thought,) = told
    assert thought.sources[0].chunk == f"{thought.sources[0].document.id}:0"
    assert (thought.model, thought.answer, thought.problem) == (CHAT, "", "")


def test_an_answer_is_told_as_it_is_written_and_checked_at_its_end(
    memory: Memory, server: OllamaServer
) -> None:
    label = memory.think(QUESTION).sources[0].label
    text = f'In "rafts" [{label}], \U0001f9a6 and [dead99] not on ice. '
    says(server, text * 3, ["Why."])
    told: list[Thought] = []
    thought = memory.think(QUESTION, found=told.append)
    assert told[0].answer == ""
    parts = [one.answer for one in told[1:]]
    assert len(parts) > 20
    assert all((text * 3).startswith(part) for part in parts)
    assert parts == sorted(parts, key=len)
    assert parts[-1] == text * 3
    assert (thought.dropped, thought.gaps, "dead99" in thought.answer) == (("dead99",), ("Why.",), False)


def test_an_answer_that_breaks_off_is_shown_as_far_as_it_goes(memory: Memory, server: OllamaServer) -> None:
    label = memory.think(QUESTION).sources[0].label
    says(server, f"In rafts [{label}]. On rocks", ["Why."])
    server.breaks_off = 9
    thought = memory.think(QUESTION)
    assert (thought.synthesized, thought.answer) == (True, f"In rafts [{label}]. On ro")
    assert thought.problem == "the answer breaks off"


def test_sources_that_do_not_fit_are_left_out_the_last_first_and_named(
    memory: Memory, server: OllamaServer
) -> None:
    question = "how do otters sleep in rafts and seals sleep on rocks?"
    sources = memory.think(question).sources
    both = [source.label for source in sources]
    assert len(both) == 2
    context = (tokens(server.asked("/api/chat")[-1]["messages"]) - 1) * 4 // 3
    server.models[CHAT].context = context
    server.models[CHAT].version = "2"  # what is known of a model goes by its digest
    says(server, f"In rafts [{both[0]}], on rocks [{both[1]}].")
    told: list[Thought] = []
    thought = memory.think(question, found=told.append)
    assert thought.left_out == (both[1],)
    assert told[1].left_out == (both[1],), "said before the answer"
    assert thought.dropped == (both[1],)
    body = server.asked("/api/chat")[-1]
    assert sources[0].document.title in body["messages"][1]["content"]
    assert f"> {sources[1].document.title}\n" not in body["messages"][1]["content"]
    assert (body["options"]["num_ctx"], body["options"]["num_predict"]) == (context, context // 4)
    server.models[CHAT].context, server.models[CHAT].version = 40, "3"
    assert "no source fits" in memory.think(question).problem


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ('{"answer": "a', "a"),
        ('{"answer": "a\\', "a"),
        ('{"answer": "a\\n', "a\n"),
        ('{"answer": "a\\u00e', "a"),
        ('{"answer": "a\\ud83e', "a"),
        ('{"answer": "a\\ud83e\\udda6 b", "gaps": ["x', "a\U0001f9a6 b"),
        ('{"ans', ""),
        ('{"gaps": ["answer"], "answer": "x"', "x"),
    ],
)
def test_of_json_that_is_not_whole_the_answer_is_read_as_far_as_it_goes(said: str, answer: str) -> None:
    assert think.written_so_far(said) == answer
