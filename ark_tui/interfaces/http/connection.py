"""A server connection with client deadlines, closed early when there are too many connections.

uvicorn has no deadline for headers, does not close connections whose response is not read, and counts idle
connections as active requests. Idle or slow clients could therefore block all others.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, Literal, cast

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

MOST = 200  # connections at once
REQUEST = 10.0  # seconds for a request line and headers, from the first byte or the last response
TRANSFER = 30.0  # seconds for a body to arrive or a response to be read
LOOK = 1.0  # seconds between two checks of a connection
LAST_WORDS = 10  # seconds that running requests get at shutdown

Owed = Literal["", "request", "body", "reading"]


class Connection(H11Protocol):
    """One client's connection."""

    transport: asyncio.Transport

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self._state: tuple[Owed, Any] = ("request", None)
        self._since = self.loop.time()
        self._timer = self.loop.call_later(LOOK, self._look)
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        if self.conn.their_state is h11.DONE and self.conn.trailing_data[0]:
            self.transport.close()  # pipelined requests would get more turns than those of other clients
        super().on_response_complete()

    def owed(self) -> Owed:
        """What the client has to do next; empty while the server works."""
        if self.transport.get_write_buffer_size():
            return "reading"
        if self._idle():
            return "request"
        return "body" if self.cycle.more_body else ""

    def _idle(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request
        return cycle is None or cycle.response_complete

    def overdue(self) -> float:
        """Seconds since the state in which the server waits for the client last changed."""
        state = (self.owed(), self.cycle)
        if state != self._state or not state[0]:
            self._state, self._since = state, self.loop.time()
        return self.loop.time() - self._since

    def _look(self) -> None:
        if self.overdue() > (REQUEST if self._state[0] == "request" else TRANSFER):
            self.transport.abort()
        else:
            self._timer = self.loop.call_later(LOOK, self._look)

    def _make_room(self) -> None:
        """Close the longest waiting connection of the client with the most connections."""
        everyone = cast("set[Connection]", self.connections)
        if len(everyone) <= MOST:
            return
        held = Counter(one.address for one in everyone)
        owing = [one for one in everyone if one is not self and one.owed()]
        victim = max(owing, key=lambda one: (held[one.address], one.overdue()), default=self)
        everyone.discard(victim)
        victim.transport.abort()


def config(app: Any, connection: type[Connection], **about: Any) -> uvicorn.Config:
    """A server of this app that says nothing about itself; client errors are not logged."""
    return uvicorn.Config(
        app,
        http=connection,
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        ws="none",
        proxy_headers=False,
        timeout_graceful_shutdown=LAST_WORDS,
        **about,
    )
