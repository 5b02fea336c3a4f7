"""The ASGI app of the home socket: calls, stopping the process, and the routes of the HTTP server.

Only processes of the same user may connect.
"""

from __future__ import annotations

import asyncio
import os
import socket
import struct
import time
from base64 import b64decode
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ark_tui.interfaces.calls import carried, lines
from ark_tui.interfaces.calls.state import Refused, ServerState
from ark_tui.interfaces.http.connection import Connection
from ark_tui.operations import wire
from ark_tui.settings.caller import CALLER, Caller
from ark_tui.version import VERSION

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.types import Receive, Scope, Send

GONE = 410

CALLING = b"ark-caller"
"""The header that holds the caller of a forwarded MCP message, in Base64."""


CALLS = 32
"""Concurrent calls of one process; further ones are refused and can be retried."""


class Clients:
    """The open connections and running calls, by process id of the client."""

    def __init__(self) -> None:
        self.connections: Counter[int] = Counter()
        self.calls: Counter[int] = Counter()
        self.programs: dict[int, str] = {}
        self.last = time.monotonic()

    def came(self, process: int) -> None:
        """Register an opened connection."""
        self.connections[process] += 1
        self.last = time.monotonic()

    def left(self, process: int) -> None:
        """Remove a closed connection."""
        self.connections[process] -= 1
        if self.connections[process] <= 0:
            del self.connections[process]
            self.programs.pop(process, None)
        self.last = time.monotonic()

    def idle(self) -> float:
        """Seconds since the last client left; 0 while there is one."""
        return 0.0 if self.connections else time.monotonic() - self.last

    def named(self) -> list[str]:
        """The clients for display: program and process id."""
        return [f"{self.programs.get(one, 'client')} {one}" for one in self.connections]


def peer(connection: socket.socket) -> tuple[int, int]:
    """The process id and user id of the peer of a Unix socket; process id 0 where the system has none."""
    if hasattr(socket, "SO_PEERCRED"):
        process, user, _ = struct.unpack(
            "3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        )
        return process, user
    local_peercred, size = 0x001, 76  # for macOS and the BSDs, where Python has no getpeereid
    found = connection.getsockopt(0, local_peercred, size)
    return 0, struct.unpack_from("2I", found)[1]


def accepting(clients: Clients) -> type[Connection]:
    """A connection class that registers its connections with `clients` and checks the user."""

    class Local(Connection):
        process = 0

        def connection_made(self, transport: Any) -> None:
            self.process, user = peer(transport.get_extra_info("socket"))
            self.allowed = user == os.getuid()
            clients.came(self.process)
            super().connection_made(transport)
            self.client = (str(self.process), int(self.allowed))

        def overdue(self) -> float:
            """0 before the first request: an idle connection shows that the client is alive."""
            asked: object | None = self.cycle
            return super().overdue() if asked else 0.0

        def connection_lost(self, exc: Exception | None) -> None:
            clients.left(self.process)
            super().connection_lost(exc)

    return Local


class App:
    """The ASGI app of the socket. `ends` ends the process.

    `gone`: whether the home was moved; `outdated`: whether the program was updated, so that a new process has
    to replace this one.
    """

    def __init__(
        self,
        state: ServerState,
        clients: Clients,
        ends: Callable[[], object],
        gone: Callable[[], bool],
        outdated: Callable[[], bool],
    ) -> None:
        self._state, self._clients = state, clients
        self._ends, self._gone, self._outdated = ends, gone, outdated
        self._whole: FastAPI | None = None
        self._opening, self._end = asyncio.Lock(), asyncio.Event()
        self._living: asyncio.Task[None] | None = None
        self._under_way: set[Any] = set()  # stop tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        process, allowed = scope["client"]
        try:
            self._admit(allowed=bool(allowed))
            if scope["path"] == "/stop":
                self._ends()
                await Response(status_code=204)(scope, receive, send)
            elif scope["path"] == "/calls":
                await self._call(int(process), scope, receive, send)
            else:
                await self._other(scope, receive, send)
        except Refused as refused:
            await lines.refusal(refused)(scope, receive, send)

    def _admit(self, *, allowed: bool) -> None:
        if not allowed:
            raise Refused(403, "This home belongs to another user.", "Use one of your own: --home DIR.")
        if self._gone():  # the process ends immediately
            raise Refused(GONE, "The home has been moved or removed.", "Ask again.")
        if self._outdated():
            self._ends()
            raise Refused(GONE, "ark-tui was updated.", "Ask again.")

    async def _call(self, process: int, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        theirs = request.headers.get(wire.VERSION_HEADER, "")
        if theirs != VERSION:
            what = f"The home process is of ark-tui {VERSION}, and this is {theirs[:50] or 'something else'}."
            told = {"error": what, "hint": "Restart this program, or end the process: ark-tui stop"}
            await JSONResponse({**told, "version": VERSION}, 409)(scope, receive, send)
            return
        if self._clients.calls[process] >= CALLS:
            raise Refused(429, f"{CALLS} calls of this program are in progress.", "Wait for one.")
        asked = carried.read(await request.body(), None, local=True)
        if asked.caller:
            self._clients.programs[process] = asked.caller.program
        self._clients.calls[process] += 1
        self._under_way.add(asked.stop)
        try:
            await lines.Lines(self._state, asked)(scope, receive, send)
        finally:
            self._under_way.discard(asked.stop)
            self._clients.calls[process] -= 1

    async def _other(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request, such as MCP, to the routes of the HTTP server on behalf of its caller."""
        whole = await self._opened()
        caller = _caller(dict(scope["headers"]).get(CALLING, b""))
        if caller:
            state = replace(self._state, engine=await asyncio.to_thread(self._state.engine_of, caller))
            scope = {**scope, "ark.server": state}
        token = CALLER.set(caller)
        try:
            await whole(scope, receive, send)
        finally:
            CALLER.reset(token)

    async def _opened(self) -> FastAPI:
        """The HTTP app, created on first use: importing it takes half a second."""
        async with self._opening:
            if self._whole is None:
                whole = await asyncio.to_thread(self._made)
                ready = asyncio.get_running_loop().create_future()
                living = asyncio.create_task(self._live(whole, ready))
                await asyncio.wait((ready, living), return_when=asyncio.FIRST_COMPLETED)
                if living.done():
                    await living  # raises the error of the start
                self._whole, self._living = whole, living
            return self._whole

    def _made(self) -> FastAPI:
        os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
        from ark_tui.interfaces.http.app import bare

        return bare(self._state)

    async def _live(self, whole: FastAPI, ready: asyncio.Future[None]) -> None:
        """Keep the lifespan of the HTTP app, such as its MCP sessions, open until the end."""
        async with whole.router.lifespan_context(whole):
            ready.set_result(None)
            await self._end.wait()

    async def close(self) -> None:
        """End the lifespan of the HTTP app."""
        self._end.set()
        if self._living is not None:
            await self._living

    def stop(self) -> None:
        """Set the stop tokens of the running calls."""
        for stop in [*self._under_way]:
            stop.set()


def _caller(header: bytes) -> Caller | None:
    if not header:
        return None
    try:
        found = wire.loads(b64decode(header))
    except (wire.Garbled, ValueError) as error:
        raise Refused(422, "The request cannot be read.", "Ask with ark-tui of the same version.") from error
    return found if isinstance(found, Caller) else None
