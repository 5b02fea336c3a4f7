"""Calls over HTTP: `POST /calls`, on the socket of the home and, with a token, from other machines.

The request is the JSON of `operations.wire`. The answer is lines of JSON as they come, each a kind and its
value; `alive` where nothing has come for a second. A caller that leaves stops its call, unless that changes
something: then it goes on to its end, and its answer may be asked for again.
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
ALIVE = 1.0  # seconds without a word after which a sign of life is sent
WAITING = 1000  # lines for a caller who does not read: what tells more waits, and progress is left out
THREADS = 128  # calls at once; those of one client are limited besides

DONE = ("result", "error")
"""Kinds of the last line, whose value is JSON already."""

_threads = ThreadPoolExecutor(THREADS, "call")


async def calls(request: Request) -> Response:
    """Carry out an operation for a person at another machine."""
    server: ServerState = request.app.state.server
    principal = request.scope.get(PRINCIPAL)
    if principal is None and not server.guarded:
        raise Refused(403, "This server asks for no token, so that it serves no person elsewhere.",
                      "Serve with one: ark-tui serve --require-token")  # fmt: skip
    ark_version = request.headers.get(wire.VERSION_HEADER, "")
    if ark_version != VERSION:
        theirs = ark_version[:200] or "something else"
        raise Refused(409, f"This is the server of ark-tui {VERSION}, and {theirs} asks.",
                      "Install the same version on both sides.")  # fmt: skip
    asked = carried.read(await request.body(), principal, local=False)
    return Lines(server, asked)


route = Route("/calls", calls, methods=["POST"])
"""Before all others, and none of FastAPI's, whose reading of parameters costs a key a millisecond."""


def refusal(refused: Refused) -> Response:
    """What a refused request gets."""
    return JSONResponse({"error": refused.what, "hint": refused.hint}, refused.status)


class Lines(Response):
    """The lines of a call, which runs in a thread."""

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
        """Nobody listens any more."""
        gone.set()
        if not self._asked.lasting:
            self._stop.set()


def _teller(
    loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[bytes | None], gone: threading.Event
) -> carried.Tell:
    """What the thread of a call tells its lines with; it waits for a caller who does not read them."""

    def tell(kind: str, value: Any) -> None:
        if lines.qsize() > WAITING and kind not in DONE:
            if kind == "progress":
                return
            _wait(lambda: gone.is_set() or lines.qsize() <= WAITING)
        line = (value if kind in DONE else wire.dumps(value)).encode()
        loop.call_soon_threadsafe(lines.put_nowait, b'{"%b":%b}\n' % (kind.encode(), line))

    return tell


def _wait(until: Callable[[], bool]) -> None:
    """Wait, in the thread of a call, until its caller has read some of what waits."""
    pause = threading.Event()
    while not until():
        pause.wait(0.02)


async def _next(lines: asyncio.Queue[bytes | None]) -> bytes | None:
    try:
        async with asyncio.timeout(ALIVE):
            return await lines.get()
    except TimeoutError:
        return b'{"alive":1}\n'
