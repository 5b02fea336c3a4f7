"""Answers over HTTP as they are written: server-sent events, for whoever accepts them."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ark_tui import settings
from ark_tui.domain.errors import Cancelled
from ark_tui.domain.protocols import Stop
from ark_tui.domain.recall import Thought
from ark_tui.engine import Engine
from ark_tui.interfaces.calls import lines as calls
from ark_tui.interfaces.calls.state import ServerState, state_for
from ark_tui.interfaces.http import streaming
from ark_tui.interfaces.http.gate import Rules
from ark_tui.operations.encoding import Json
from tests.http.conftest import calling
from tests.ollama_server import Model, OllamaServer

QUESTION = {"query": "what does the gap bound", "limit": 2}


@pytest.fixture
def server() -> Iterator[OllamaServer]:
    with OllamaServer(Model("qwen3:4b", embeds=False)) as server:
        yield server


@pytest.fixture
def chatting(notes: Path, tmp_path: Path, server: OllamaServer) -> Iterator[ServerState]:
    given = {"ollama_host": server.host, "chat_model": "qwen3:4b", "embedding": "static"}
    with Engine(settings.load(tmp_path / "home", given)) as engine:
        engine.index([notes])
        made = state_for(engine, searches=1)
        yield made
        made.jobs.close()


def read(text: str) -> list[tuple[str, Any]]:
    """The events of a stream."""
    found = []
    for block in filter(None, text.replace(":\n\n", "").split("\n\n")):
        event, data = block.split("\n")
        found.append((event.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


async def test_who_accepts_events_gets_the_answer_as_it_is_written(
    chatting: ServerState, server: OllamaServer
) -> None:
    server.answer = json.dumps({"answer": "It bounds the [feed01] mixing time of a walk.", "gaps": ["Why."]})
    async with calling(chatting, Rules()) as client:
        plain = await client.post("/think", json=QUESTION)
        found = await client.post("/think", json=QUESTION, headers={"Accept": "text/event-stream"})
        again = await client.post("/think", json=QUESTION)
    assert found.headers["content-type"].startswith("text/event-stream")
    events = read(found.text)
    names = [name for name, _ in events]
    assert names == ["sources", *["piece"] * (len(names) - 2), "answer"]
    assert events[0][1]["sources"]
    pieces = [value["text"] for name, value in events if name == "piece"]
    assert len(pieces) > 3
    assert "".join(pieces) == "It bounds the [feed01] mixing time of a "
    for whole in (events[-1][1], plain.json(), again.json()):
        assert whole["answer"] == "It bounds the mixing time of a walk."
        assert whole["dropped_citations"] == ["feed01"]


async def test_what_is_refused_is_refused_as_ever_and_the_place_is_given_back(chatting: ServerState) -> None:
    events = {"Accept": "text/event-stream"}
    async with calling(chatting, Rules()) as client:
        for _ in range(2):
            refused = await client.post("/think", json={"query": " ", "limit": 2}, headers=events)
            assert (refused.status_code, refused.json()["error"]) == (400, "There is no question.")


def test_it_is_stopped_when_nobody_listens_any_more() -> None:
    over, held = threading.Event(), ExitStack()
    held.callback(over.set)

    def work(stop: Stop, heard: Callable[[Thought], None]) -> Json:
        heard(Thought("q", "r", ()))
        while not stop.is_set():
            time.sleep(0.01)
        raise Cancelled

    lines = streaming.events(work, held)
    assert next(lines).startswith("event: sources")
    lines.close()
    assert over.wait(10)


def test_a_secret_in_a_piece_is_masked() -> None:
    answer = streaming._Answer()
    said = "the key is password=hunter2hunter2 as ever "
    told = [answer.more(Thought("q", "r", (), answer=said[:end])) for end in range(1, len(said) + 1)]
    text = "".join(one[1]["text"] for one in told if one)
    assert "hunter2" not in text
    assert text.endswith("as ever ")


def test_who_reads_slowly_misses_progress_and_nothing_else() -> None:
    lines, gone = asyncio.Queue[bytes | None](), threading.Event()
    loop = cast(
        "asyncio.AbstractEventLoop", SimpleNamespace(call_soon_threadsafe=lambda put, line: put(line))
    )
    tell = calls._teller(loop, lines, gone)
    for number in range(2 * calls.WAITING):
        tell("progress", number)
    assert lines.qsize() == calls.WAITING + 1
    with ThreadPoolExecutor(1) as thread:
        waits = thread.submit(tell, "item", 1)
        assert not waits.done()
        lines.get_nowait()
        waits.result()
    assert [*lines._queue][-1] == b'{"item":1}\n'  # type: ignore[attr-defined]
