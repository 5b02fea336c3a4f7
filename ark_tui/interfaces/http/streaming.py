"""A streamed answer as server-sent events, for clients that accept `text/event-stream`.

Event `sources` has the sources of the answer, each `piece` more of its text, and `answer` the whole JSON as
without streaming, with checked citations. `error` replaces `answer` on failure.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator
from contextlib import ExitStack
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeAlias

import anyio
from starlette.responses import StreamingResponse

from ark_tui.domain.errors import ArkError
from ark_tui.domain.protocols import Stop
from ark_tui.domain.recall import Thought
from ark_tui.domain.secrets import masked
from ark_tui.interfaces.http.failures import refusal, worded
from ark_tui.interfaces.reports.text import hidden
from ark_tui.operations.encoding import Json, encoded

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

EVENTS = "text/event-stream"
ALIVE = 1.0  # seconds after which a keep-alive is sent, which detects closed connections

SIGN = ":\n\n"  # the keep-alive comment of server-sent events

SCHEMA: dict[str, Any] = {
    "content": {
        EVENTS: {
            "schema": {
                "type": "string",
                "description": "Each event has JSON: `sources` the answer without its text, "
                '`piece` some more words as `{"text": …}`, `answer` the whole as without streaming, `error` '
                "`{error, hint}` in its place. A line with `:` alone is a sign of life.",
            }
        }
    }
}
"""The OpenAPI description of the event stream, next to that of the JSON."""

Event: TypeAlias = tuple[str, Any]
Told: TypeAlias = "SimpleQueue[Event | ArkError | None]"  # None: the end
Work: TypeAlias = Callable[[Stop, Callable[[Thought], None]], Json]


def wanted(accept: str) -> bool:
    """Whether an `Accept` header asks for events."""
    return EVENTS in accept.lower()


class Events(StreamingResponse):
    """Events from a generator that is closed when the client disconnects.

    The server drops what is sent to a closed connection silently, so the stream would never end by itself.
    """

    def __init__(self, told: Generator[str, None, None]) -> None:
        super().__init__(told, media_type=EVENTS)
        self._told = told

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._leave, receive, group.cancel_scope)
                await self.stream_response(send)
                group.cancel_scope.cancel()
        finally:
            self._told.close()

    async def _leave(self, receive: Receive, scope: anyio.CancelScope) -> None:
        await self.listen_for_disconnect(receive)
        scope.cancel()


def response(work: Work, held: ExitStack) -> Events:
    """The event stream of some work. Raises an error that occurs before the first event."""
    return Events(events(work, held))


def events(work: Work, held: ExitStack) -> Generator[str, None, None]:
    """The same events as text. The work runs in a thread; `held` is closed at its end.

    The work is stopped when the client disconnects.
    """
    told: Told = SimpleQueue()
    stop = threading.Event()
    answer = _Answer()

    def run() -> None:
        with held:
            try:
                told.put(("answer", work(stop, lambda found: _put(told, answer.more(found)))))
            except ArkError as error:
                told.put(error)
            finally:
                told.put(None)

    threading.Thread(target=run, name="streaming", daemon=True).start()
    first = told.get()
    if isinstance(first, ArkError):
        raise first
    return _lines(first, told, stop)


class _Answer:
    """Tracks how much of an answer was sent: whole words, with secrets masked."""

    def __init__(self) -> None:
        self._told = ""

    def more(self, found: Thought) -> Event | None:
        if not found.answer:
            return "sources", hidden(worded(encoded(found)))
        words = found.answer[: max(found.answer.rfind(" "), found.answer.rfind("\n")) + 1]
        text = masked(words)[0]
        if not text.startswith(self._told) or text == self._told:
            return None
        new, self._told = text[len(self._told) :], text
        return "piece", {"text": new}


def _put(told: Told, event: Event | None) -> None:
    if event is not None:
        told.put(event)


def _lines(first: Event | None, told: Told, stop: threading.Event) -> Generator[str, None, None]:
    try:
        one: Event | ArkError | None = first
        while one is not None:
            yield _line(one)
            one = yield from _next(told)
    finally:
        stop.set()


def _next(told: Told) -> Generator[str, None, Event | ArkError | None]:
    """Wait for the next event and yield keep-alives meanwhile."""
    while True:
        try:
            return told.get(timeout=ALIVE)
        except Empty:
            yield SIGN


def _line(one: Event | ArkError) -> str:
    """Format an event."""
    if isinstance(one, ArkError):
        refused = refusal(one)
        one = ("error", {"error": refused.what, "hint": refused.hint})
    name, value = one
    return f"event: {name}\ndata: {json.dumps(value)}\n\n"
