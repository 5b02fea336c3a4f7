"""Clients that are silent, slow or greedy keep nobody else out."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
import uvicorn

from ark_tui import settings
from ark_tui.engine import Engine
from ark_tui.interfaces.calls.state import state_for
from ark_tui.interfaces.http import connection, gate
from ark_tui.interfaces.http.app import make
from tests.http.conftest import served

BEGINNINGS = (
    b"",
    b"GET /health HT",
    b"GET /health HTTP/1.1\r\nHost: 127",
    b"POST /search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5000\r\n\r\n{",
    b"POST /search HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
    b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 20,  # and nothing is read
)


@contextmanager
def silent(url: str, count: int) -> Iterator[list[socket.socket]]:
    """So many connections, each with the beginning of a request."""
    address = urlsplit(url)
    with ExitStack() as stack:
        held = []
        for number in range(count):
            one = stack.enter_context(socket.create_connection((address.hostname, address.port)))
            one.sendall(BEGINNINGS[number % len(BEGINNINGS)])
            held.append(one)
        yield held


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("home")
    with Engine(settings.load(home)) as engine:
        engine.status()
    with served(home) as (url, _):
        yield url


def test_a_crowd_of_silent_connections_keeps_nobody_out(url: str) -> None:
    with silent(url, connection.MOST + 60):
        for _ in range(20):
            assert httpx.get(f"{url}/health", timeout=10).status_code == 200
            assert httpx.get(f"{url}/tasks", timeout=10).status_code == 200


def test_the_connection_that_has_waited_longest_gives_way_first(url: str) -> None:
    with silent(url, connection.MOST) as held, silent(url, 1):
        assert httpx.get(f"{url}/health", timeout=10).status_code == 200
        assert is_cut_off(held[0])
        held[-6].setblocking(False)
        with pytest.raises(BlockingIOError):  # it is still there, and nothing is said
            held[-6].recv(1)


def test_requests_that_are_sent_ahead_get_no_more_turns_than_others(url: str) -> None:
    address = urlsplit(url)
    with socket.create_connection((address.hostname, address.port), timeout=20) as one:
        one.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 20)
        answer = b""
        with suppress(ConnectionResetError):  # what was sent ahead was not read
            while part := one.recv(65536):
                answer += part
    assert answer.count(b"HTTP/1.1 200") <= 1


def is_cut_off(one: socket.socket) -> bool:
    """Whether the other side has closed a connection without an answer."""
    one.settimeout(10)
    try:
        return one.recv(1) == b""
    except ConnectionError:
        return True


async def test_whoever_does_not_go_on_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("LOOK", "REQUEST", "TRANSFER"):
        monkeypatch.setattr(connection, limit, 0.05)
    lost = asyncio.Semaphore(0)

    class Watched(connection.Connection):
        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            lost.release()

    with Engine(settings.load(tmp_path)) as engine, socket.create_server(("127.0.0.1", 0)) as listening:
        app = make(state_for(engine), gate.Rules())
        config = uvicorn.Config(app, http=Watched, log_config=None, timeout_keep_alive=60)
        server = uvicorn.Server(config)
        running = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            for beginning in BEGINNINGS:
                _, writer = await asyncio.open_connection(*listening.getsockname(), limit=1)
                writer.write(beginning)
                async with asyncio.timeout(20):
                    await lost.acquire()
                writer.transport.abort()
        finally:
            server.should_exit = True
            await running
