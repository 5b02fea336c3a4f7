"""A streamed answer as server-sent events, for clients that accept `text/event-stream`.

Event `sources` has the sources of the answer, each `piece` more of its text, and `answer` the whole JSON as
without streaming, with checked citations. `error` replaces `answer` on failure.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, TypeAlias

from ark_tui.domain.errors import ArkError
from ark_tui.domain.protocols import Stop
from ark_tui.domain.recall import Thought
from ark_tui.domain.secrets import masked
from ark_tui.interfaces.calls.lines import Channel, Streamed
from ark_tui.interfaces.http.failures import refusal, worded
from ark_tui.interfaces.reports.text import hidden
from ark_tui.operations.encoding import Json, encoded

EVENTS = "text/event-stream"

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

Work: TypeAlias = Callable[[Stop, Callable[[Thought], None]], Json]


class Events(Streamed):
    """The events of some work. `held` is closed at its end."""

    media_type = EVENTS
    alive = b":\n\n"

    def __init__(self, work: Work, held: ExitStack) -> None:
        self._told = ""
        self._run, self._held, self._over = work, held, threading.Event()
        super().__init__(self._over)

    def work(self, channel: Channel) -> None:
        with self._held:
            answer = self._run(self._over, lambda found: channel.put(self.more(found)))
            channel.put(event("answer", answer))

    def failed(self, error: ArkError) -> bytes:
        refused = refusal(error)
        return event("error", {"error": refused.what, "hint": refused.hint})

    def more(self, found: Thought) -> bytes:
        """The sources, or what is new of the answer: whole words, with secrets masked; empty for nothing."""
        if not found.answer:
            return event("sources", hidden(worded(encoded(found))))
        words = found.answer[: max(found.answer.rfind(" "), found.answer.rfind("\n")) + 1]
        text = masked(words)[0]
        if not text.startswith(self._told) or text == self._told:
            return b""
        new, self._told = text[len(self._told) :], text
        return event("piece", {"text": new})


def event(name: str, value: Any) -> bytes:
    """An event in the format of server-sent events."""
    return f"event: {name}\ndata: {json.dumps(value)}\n\n".encode()
