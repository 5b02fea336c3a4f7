"""Calls over HTTP: `POST /calls`, on the home socket and, with a token, from other machines.

The request is JSON of `operations.wire`. The response is a stream of JSON lines, each with a kind and a
value, and `alive` after a second without others. When the client disconnects, its call is stopped, unless it
changes something: then it runs to its end, and its answer can be fetched again by its key.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ark_tui.interfaces.calls import carried
from ark_tui.interfaces.calls.state import PRINCIPAL, Refused, ServerState
from ark_tui.operations import wire
from ark_tui.version import VERSION

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send

LINES = "application/x-ndjson"
ALIVE = 1.0  # seconds without a line after which `alive` is sent
WAITING = 1000  # queued lines per caller; above it calls wait, and progress is dropped
THREADS = 128  # concurrent calls; those of one client have a lower limit

DONE = ("result", "error")
"""Kinds of the last line; its value is JSON already."""

_threads = ThreadPoolExecutor(THREADS, "call")


async def calls(request: Request) -> Response:
    """Run a call for a person on another machine."""
    server: ServerState = request.app.state.server
    principal = request.scope.get(PRINCIPAL)
    if principal is None and not server.guarded:
        raise Refused(403, "This server requires no token, so it cannot be used from another machine.",
                      "Serve with one: ark-tui serve --require-token")  # fmt: skip
    ark_version = request.headers.get(wire.VERSION_HEADER, "")
    if ark_version != VERSION:
        theirs = ark_version[:200] or "something else"
        raise Refused(409, f"The server has ark-tui {VERSION}, and the client has {theirs}.",
                      "Install the same version on both sides.")  # fmt: skip
    asked = carried.read(await request.body(), principal, local=False)
    return Lines(server, asked)


route = Route("/calls", calls, methods=["POST"])
"""A plain Starlette route, because the parameter handling of FastAPI adds a millisecond."""


def refusal(refused: Refused) -> Response:
    """The response to a refused request."""
    return JSONResponse({"error": refused.what, "hint": refused.hint}, refused.status)


class Lines(Response):
    """Streams the lines of a call that runs in a thread."""

    media_type = LINES

    def __init__(self, server: ServerState, asked: carried.Asked) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._server, self._asked = server, asked
        self._stop = asked.stop if isinstance(asked.stop, threading.Event) else threading.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope
        loop, lines, gone = asyncio.get_running_loop(), asyncio.Queue[bytes | None](), threading.Event()

        def work() -> None:
            try:
                carried.answer(self._server, self._asked, _teller(loop, lines, gone))
            finally:
                loop.call_soon_threadsafe(lines.put_nowait, None)

        async def leave() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            self._left(gone)

        working = loop.run_in_executor(_threads, copy_context().run, work)
        leaving = asyncio.create_task(leave())
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            while (line := await _next(lines)) is not None:
                await send({"type": "http.response.body", "body": line, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            leaving.cancel()
            self._left(gone)
            await working

    def _left(self, gone: threading.Event) -> None:
        """The client disconnected: stop the call unless it is lasting."""
        gone.set()
        if not self._asked.lasting:
            self._stop.set()


def _teller(
    loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[bytes | None], gone: threading.Event
) -> carried.Tell:
    """The function by which the call's thread sends lines; it blocks while the client does not read."""

    def tell(kind: str, value: Any) -> None:
        if lines.qsize() > WAITING and kind not in DONE:
            if kind == "progress":
                return
            _wait(lambda: gone.is_set() or lines.qsize() <= WAITING)
        line = (value if kind in DONE else wire.dumps(value)).encode()
        loop.call_soon_threadsafe(lines.put_nowait, b'{"%b":%b}\n' % (kind.encode(), line))

    return tell


def _wait(until: Callable[[], bool]) -> None:
    """Block the thread of a call until its client has read some queued lines."""
    pause = threading.Event()
    while not until():
        pause.wait(0.02)


async def _next(lines: asyncio.Queue[bytes | None]) -> bytes | None:
    try:
        async with asyncio.timeout(ALIVE):
            return await lines.get()
    except TimeoutError:
        return b'{"alive":1}\n'
