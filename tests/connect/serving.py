"""A server with a token in a thread of this process."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import uvicorn

from ark_tui.engine import Engine
from ark_tui.interfaces.calls.own import OWN
from ark_tui.interfaces.calls.state import state_for
from ark_tui.interfaces.client.home import ServedHome
from ark_tui.interfaces.http import assistants
from ark_tui.interfaces.http.app import bare
from ark_tui.interfaces.http.connection import Connection
from ark_tui.interfaces.http.gate import Gate, rules
from ark_tui.settings.caller import Caller
from tests.support import until

TOKEN = "the-token-of-a-test"


def home_at(url: str, token: str = TOKEN, ca: str = "") -> ServedHome:
    """A client of a server."""
    return ServedHome(url, token, Caller(Path("/")), ca)


@contextmanager
def serving(engine: Engine, token: str = TOKEN) -> Iterator[str]:
    """The address of a server over an engine."""
    listening = socket.create_server(("127.0.0.1", 0))
    state = replace(state_for(engine, guarded=bool(token)), own=OWN)
    routes = bare(state)
    app = Gate(routes, rules("127.0.0.1", (), token, engine.memory.tokens.holder))
    config = uvicorn.Config(
        app, log_config=None, http=Connection, ws="none", lifespan="off", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)

    async def serve() -> None:
        async with assistants.serving(routes):
            await server.serve([listening])

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    until(lambda: server.started or not thread.is_alive())
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()
