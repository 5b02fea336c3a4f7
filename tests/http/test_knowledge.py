"""Adding, searching and reading over HTTP; long work as jobs (H1, H3); server-sent events."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from ark_tui import settings
from ark_tui.domain.errors import Cancelled
from ark_tui.domain.protocols import Stop, check
from ark_tui.domain.query import Request
from ark_tui.domain.recall import Thought
from ark_tui.domain.work import IndexReport
from ark_tui.engine import Engine
from ark_tui.interfaces.calls import lines as calls
from ark_tui.interfaces.calls.state import ServerState, state_for
from ark_tui.interfaces.http import streaming
from ark_tui.interfaces.http.gate import Rules
from ark_tui.operations.encoding import Json
from tests.http.conftest import calling, served
from tests.ollama_server import Model, OllamaServer


async def finished(client: httpx.AsyncClient, counter: ServerState, job_id: str) -> dict[str, object]:
    counter.jobs.get(job_id).over.wait()
    return dict((await client.get(f"/jobs/{job_id}")).json())


WAITS = {"stage": "wait", "done": 0, "total": None}


async def test_a_job_can_be_cancelled_and_a_third_one_is_asked_to_wait(
    client: httpx.AsyncClient, counter: ServerState, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = threading.Semaphore(0)

    def slow(*_: object, stop: Stop, **__: object) -> IndexReport:
        started.release()
        while True:
            check(stop)

    monkeypatch.setattr(type(counter.engine), "index", slow)
    begun = [(await client.post("/index", json={})).json() for _ in range(2)]
    ids = [job["job_id"] for job in begun]
    assert started.acquire(timeout=10)
    assert [job["progress"] for job in begun] == [None, {**WAITS, "note": "for its turn"}]
    third = await client.post("/index", json={})
    assert third.status_code == 429
    assert third.headers["retry-after"]
    for job_id in ids:
        assert (await client.delete(f"/jobs/{job_id}")).status_code == 202
        assert (await finished(client, counter, job_id))["state"] == "cancelled"


async def test_more_searches_than_there_is_room_for_are_asked_to_come_again(
    client: httpx.AsyncClient, counter: ServerState
) -> None:
    with counter.searches.one(), counter.searches.one():
        response = await client.post("/search", json={"query": "tea"})
        assert response.status_code == 429
        assert response.headers["retry-after"]
    assert (await client.post("/search", json={"query": "tea"})).status_code == 200


async def test_a_search_can_follow_links_further(client: httpx.AsyncClient) -> None:
    found = await client.post("/graph-search", json={"query": "steeped tea", "hops": 2})
    paths = [hit["document"]["path"] for hit in found.json()["hits"]]
    assert paths[0] == "tea.md"
    assert "gap.md" in paths, "tea links to it"
    assert (await client.post("/graph-search", json={"query": "tea", "hops": 50})).status_code == 422


def test_a_served_home_keeps_what_it_acknowledged_when_it_is_told_to_end(tmp_path: Path) -> None:
    with served(tmp_path / "home") as (url, process):
        text = {"content": "Owls fly without a sound.", "title": "Owls"}
        assert httpx.post(f"{url}/ingest", json=text, timeout=60).status_code == 200
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
        assert process.returncode == 0
        assert "Listening on" in said
    with Engine(settings.load(tmp_path / "home")) as engine:
        assert [hit.document.title for hit in engine.search(Request("owls")).hits] == ["Owls"]


def test_a_served_home_indexes_what_is_saved(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "tea.md").write_text("# Tea")
    with Engine(settings.load(tmp_path / "home")) as engine:
        engine.index([notes])
    with served(tmp_path / "home") as (url, process):

        def kinds() -> set[str]:
            return {job["kind"] for job in httpx.get(f"{url}/jobs", timeout=60).json()["jobs"]}

        def documents() -> int:
            return int(httpx.get(f"{url}/status", timeout=60).json()["documents"])

        end = time.monotonic() + 120
        while "watch" not in kinds():
            assert time.monotonic() < end
            time.sleep(0.1)
        (notes / "rye.md").write_text("# Rye")
        while documents() < 2:
            assert time.monotonic() < end
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        assert process.returncode == 0


def refusing(*options: str, home: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ark_tui", "serve", *options, "--home", str(home)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_an_address_that_others_can_reach_needs_a_token(tmp_path: Path) -> None:
    refused = refusing("--host", "0.0.0.0", "--port", "0", home=tmp_path / "home")
    assert refused.returncode == 2
    assert "serve --require-token" in refused.stderr
    with served(tmp_path / "home", "--host", "0.0.0.0", "--require-token") as (address, process):
        url = address.replace("0.0.0.0", "127.0.0.1")
        keys = tmp_path / "home" / "keys"
        assert keys.stat().st_mode & 0o077 == 0
        token = keys.read_text().split('"')[1]
        assert httpx.get(f"{url}/status", timeout=60).status_code == 401
        assert (
            httpx.get(f"{url}/status", headers={"Authorization": f"Bearer {token}"}, timeout=60).status_code
            == 200
        )
        process.send_signal(signal.SIGTERM)
        assert token in process.communicate(timeout=30)[1], "whoever starts it is told the token"


def test_a_port_that_is_taken_is_one_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = refusing("--port", str(taken.getsockname()[1]), home=tmp_path / "home")
    assert refused.returncode == 2
    assert "--port" in refused.stderr


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "text/plain", None])
async def test_a_body_is_json_whatever_it_is_called(client: httpx.AsyncClient, kind: str | None) -> None:
    headers = {"Content-Type": kind} if kind else {}
    found = await client.post("/search", content=b'{"query": "tea"}', headers=headers)
    assert found.json()["hits"][0]["document"]["path"] == "tea.md"


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


async def test_it_is_stopped_when_nobody_listens_any_more() -> None:
    over, held, gone = threading.Event(), ExitStack(), asyncio.Event()
    held.callback(over.set)
    sent: list[Any] = []

    def work(stop: Stop, heard: Callable[[Thought], None]) -> Json:
        heard(Thought("q", "r", ()))
        while not stop.is_set():
            time.sleep(0.01)
        raise Cancelled

    async def receive() -> dict[str, str]:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)
        if message.get("body", b"").startswith(b"event: sources"):
            gone.set()

    await streaming.Events(work, held)({"type": "http"}, receive, send)
    assert [message["type"] for message in sent[:2]] == ["http.response.start", "http.response.body"]
    assert over.is_set()


def test_a_secret_in_a_piece_is_masked() -> None:
    events = streaming.Events(lambda *_: {}, ExitStack())
    said = "the key is password=hunter2hunter2 as ever "
    told = b"".join(events.more(Thought("q", "r", (), answer=said[:end])) for end in range(1, len(said) + 1))
    text = "".join(value["text"] for _, value in read(told.decode()))
    assert "hunter2" not in text
    assert text.endswith("as ever ")


async def test_who_reads_slowly_misses_progress_and_nothing_else() -> None:
    channel = calls.Channel(asyncio.get_running_loop())
    for number in range(2 * calls.WAITING):
        calls.tell(channel, "progress", number)
        await asyncio.sleep(0)
    assert channel.full
    waits = asyncio.create_task(asyncio.to_thread(calls.tell, channel, "item", 1))
    await asyncio.sleep(0.1)
    assert not waits.done()
    kept = [await channel.next(b"")]
    await waits
    while (piece := await channel.next(b"")) != b"":
        kept.append(piece)
    assert len(kept) == calls.WAITING + 2
    assert kept[-1] == b'{"item":1}\n'
