"""Messages handed over to their index by whoever has stored them, so that it need not read them back.

Only what is committed is handed over. It is taken up by an index that has every change before it, of the same
store and epoch; else it is dropped, and the index reads the store. A chunk that was changed since has a later
change, which comes behind it as it would have done anyway.
"""

from __future__ import annotations

import marshal
import threading
from collections import deque
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from ark_tui.domain.documents import LiveChunk, context
from ark_tui.domain.layers import HISTORY, WORKING
from ark_tui.store.changes import EPOCH_DAY

MOST = 64 << 20  # bytes that wait for an index; what comes beyond them it reads from the store
PATIENCE = 1.0  # seconds for which an index waits for more

Span = tuple[int, int, int, int, int, int, str, str, str]
"""Of a chunk: the place of its message, ordinal, both ends, both lines, heading, language, hash."""


class Arrived(NamedTuple):
    """The messages of a transaction, by column, and their chunks: nothing but lists, texts and numbers."""

    store: str
    epoch: str
    document: int  # the first number; the others follow it, as those of chunks and changes do
    chunk: int
    change: int
    since: int  # in minutes
    agent: str
    session: str
    ids: Sequence[str]
    paths: Sequence[str]
    titles: Sequence[str]
    texts: Sequence[str]
    sources: Sequence[str]
    conversations: Sequence[str]  # their ids
    sequences: Sequence[int]
    moments: Sequence[str]  # in ISO 8601
    queries: Sequence[str]
    roles: Sequence[str]
    names: Sequence[str]
    tool_call_ids: Sequence[str]
    given: Sequence[str]
    spans: Sequence[Span]

    def written(self) -> bytes:
        """For a process beside, which runs the same Python: JSON takes four times as long."""
        columns: Any = tuple(self)
        return marshal.dumps(columns)

    @staticmethod
    def read(written: bytes) -> Arrived:
        """What was written so."""
        return Arrived(*marshal.loads(written))  # noqa: S302  (by who has begun this process)

    def live(self) -> list[LiveChunk]:
        """The chunks, as `changes.since` reads them from the store."""
        moments = [datetime.fromisoformat(one) for one in self.moments]
        return [
            LiveChunk(
                number=self.chunk + n, change=self.change + n, gone=False, document=self.document + at,
                document_id=self.ids[at], ordinal=ordinal, collection=HISTORY,
                path=self.paths[at], title=self.titles[at], heading=heading, context=context("", heading),
                text=self.texts[at][start:end], language=language, text_hash=text_hash, tier="raw",
                type=self.roles[at], day=moments[at].toordinal() - EPOCH_DAY.toordinal(), dated=True,
                source=self.sources[at], place=self.sequences[at], layer=WORKING, since=self.since,
                date_source="given", start_char=start, end_char=end, start_line=first, end_line=last,
                said=() if (start, end) != (0, len(self.texts[at])) else (
                    self.conversations[at], self.queries[at], self.roles[at], self.sequences[at],
                    moments[at], self.agent, self.session, self.names[at], self.tool_call_ids[at],
                    self.given[at],
                ),
            )
            for n, (at, ordinal, start, end, first, last, heading, language, text_hash)
            in enumerate(self.spans)
        ]  # fmt: skip


class Arrivals:
    """What was handed over and not taken up yet, in the order it came. Thread-safe."""

    def __init__(self) -> None:
        self._waiting: deque[bytes] = deque()  # each an `Arrived`
        self._first: Arrived | None = None  # the one before these
        self._news = threading.Condition()
        self._over = False

    def add(self, written: bytes) -> None:
        """Keep another one, as it was written, unless too much waits already."""
        with self._news:
            if sum(map(len, self._waiting)) + len(written) <= MOST:
                self._waiting.append(written)
                self._news.notify()

    def waits(self) -> bool:
        """Whether more is at hand."""
        return self._first is not None or bool(self._waiting)

    def close(self) -> None:
        """No more will come: nobody waits any longer."""
        with self._news:
            self._over = True
            self._news.notify()

    def after(self, store: str, epoch: str, mark: int) -> tuple[list[LiveChunk], int | None]:
        """The chunks that follow a change; else none, and which change is handed over next, if any is.

        Waits for more for a moment: whoever reads the store waits, too, while messages are being stored.
        """
        while (first := self._looked()) is not None:
            if (first.store, first.epoch) == (store, epoch) and first.change > mark:
                if first.change > mark + 1:
                    return [], first.change
                self._first = None
                return first.live(), None
            self._first = None
        return [], None

    def _looked(self) -> Arrived | None:
        """The first one; only who follows asks for it."""
        if self._first is None:
            with self._news:
                self._news.wait_for(lambda: self._waiting or self._over, PATIENCE)
                written = self._waiting.popleft() if self._waiting else None
            self._first = Arrived.read(written) if written else None
        return self._first
