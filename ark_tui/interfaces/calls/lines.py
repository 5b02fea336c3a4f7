"""Calls over HTTP: `POST /calls`, on the home socket and, with a token, from other machines.

The request is JSON of `operations.wire`. The response is a stream of JSON lines, each with a kind and a
value, and `alive` after a second without others. When the client disconnects, its call is stopped, unless it
changes something: then it runs to its end, and its answer can be fetched again by its key.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ark_tui.domain.errors import ArkError
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


class Channel:
    """From the thread of a call to its client. `gone`: the client has disconnected."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.gone = threading.Event()
        self._loop, self._pieces = loop, asyncio.Queue[bytes | None]()

    def put(self, piece: bytes | None) -> None:
        """Send a piece; None ends the stream."""
        self._loop.call_soon_threadsafe(self._pieces.put_nowait, piece)

    @property
    def full(self) -> bool:
        """Whether the client reads more slowly than the call sends."""
        return self._pieces.qsize() > WAITING and not self.gone.is_set()

    def wait(self) -> None:
        """Block until the client has read some pieces."""
        pause = threading.Event()
        while self.full:
            pause.wait(0.02)

    async def next(self, alive: bytes) -> bytes | None:
        """The next piece; `alive` if there is none within a second."""
        try:
            async with asyncio.timeout(ALIVE):
                return await self._pieces.get()
        except TimeoutError:
            return alive


class Streamed(Response):
    """Streams what `work` sends from a thread, and `alive` after a second without any.

    `stop` is set when the client disconnects. An error of `work` before the response has begun is raised.
    """

    alive: bytes

    def __init__(self, stop: threading.Event) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._stop = stop

    def work(self, channel: Channel) -> None:
        """Send the pieces. Runs in a thread."""
        raise NotImplementedError

    def failed(self, error: ArkError) -> bytes:
        """The last piece of a response that had begun when `work` failed."""
        raise error

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope
        loop = asyncio.get_running_loop()
        channel = Channel(loop)

        def work() -> None:
            try:
                self.work(channel)
            finally:
                channel.put(None)

        def left() -> None:
            channel.gone.set()
            self._stop.set()

        async def leave() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            left()

        working = loop.run_in_executor(_threads, copy_context().run, work)
        leaving = asyncio.create_task(leave())
        try:
            await self._send(channel, working, send)
        finally:
            leaving.cancel()
            left()
            await asyncio.wait((working,))

    async def _send(self, channel: Channel, working: Awaitable[None], send: Send) -> None:
        begun, last = False, b""
        while (piece := await channel.next(self.alive)) is not None:
            if not begun:
                await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
                begun = True
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        try:
            await working
        except ArkError as error:
            if not begun:
                raise
            last = self.failed(error)
        await send({"type": "http.response.body", "body": last, "more_body": False})


class Lines(Streamed):
    """The lines of a call."""

    media_type = LINES
    alive = b'{"alive":1}\n'

    def __init__(self, server: ServerState, asked: carried.Asked) -> None:
        super().__init__(threading.Event() if asked.lasting else asked.stop)
        self._server, self._asked = server, asked

    def work(self, channel: Channel) -> None:
        carried.answer(self._server, self._asked, partial(tell, channel))


def tell(channel: Channel, kind: str, value: Any) -> None:
    """Send a line; while the client does not read, progress is dropped and other lines wait."""
    if channel.full and kind not in DONE:
        if kind == "progress":
            return
        channel.wait()
    line = (value if kind in DONE else wire.dumps(value)).encode()
    channel.put(b'{"%b":%b}\n' % (kind.encode(), line))
