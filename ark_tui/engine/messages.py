"""Brings the word index of messages up to date: a few when they are asked for, many without being asked."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from ark_tui.domain.errors import Cancelled
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, ignore
from ark_tui.index.standing import MARK
from ark_tui.store import published

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from ark_tui.index.words.follower import WordsFollower
    from ark_tui.index.words.message_reader import MessageWords
    from ark_tui.store import Lease
    from ark_tui.store.arrivals import Arrived

SOON = 5_000  # new messages from which on the thread begins without being asked
MOST = 20_000  # chunks that a search takes up before it answers
MUCH = 20_000  # messages that are to come from which on a process that ends with its command begins another
PATIENCE = 0.1  # seconds that a search waits for that thread
WAIT = 60.0  # seconds for another process that is writing the index


class Helper(Protocol):
    """A process beside that takes messages up: `engine/following.py` has it."""

    def hand(self, arrived: Arrived) -> None:
        """There are more: these."""

    def finish(self, stop: Stop, progress: OnProgress) -> object:
        """Have it take up everything; where it has died, the rest is to be done here."""

    def end(self) -> None:
        """Let it end after the batch at hand."""


class MessageIndex:
    """The index of messages of one home, for whoever adds to them and searches them. Thread-safe.

    A search while many are being taken up misses those that are still to come: `Words.waiting` counts them. A
    process that ends with its command takes up all of them before it answers; many by a process `beside`,
    which has begun while they came. `afterwards` is around each catching up: what fails there is told, and no
    refusal.
    """

    def __init__(
        self,
        folder: Path,
        words: Callable[[], MessageWords],
        follower: Callable[[], WordsFollower],
        afterwards: Callable[[], AbstractContextManager[None]],
        *,
        brief: bool,
    ) -> None:
        self._mark = folder / MARK
        self._words, self._follower, self._afterwards = words, follower, afterwards
        self._brief = brief
        self._new = 0  # messages that were added since the thread was begun
        self._hold = threading.Lock()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._side: Helper | None = None
        self.beside: Callable[[], Helper] | None = None  # what begins one, where many are about to come

    def expect(self, count: int) -> None:
        """So many messages are about to be stored."""
        if self._brief and count >= MUCH and self.beside and (os.cpu_count() or 1) > 1:
            self._side = self._side or self.beside()

    def added(self, count: int, arrived: Callable[[], Arrived] | None = None) -> None:
        """So many messages have been stored; `arrived` makes what spares the index to read them back."""
        self._new += count
        if self._new >= SOON and not self._brief:
            self._begin()
        elif self._side and arrived:
            self._side.hand(arrived())

    def state(self) -> tuple[int, int]:
        """Its files as they are: another value where it has been written since."""
        mark = published.stat(self._mark)
        return (mark.st_mtime_ns, mark.st_ino) if mark else (0, 0)

    def behind(self, lease: Lease) -> int:
        """How many chunks are to be taken up."""
        return self._follower().behind(lease)

    def caught_up(self, behind: int | None = None) -> MessageWords:
        """The index with all messages in it; or with all but `waiting` of them. `behind`: as asked before."""
        follower, words = self._follower(), self._words()
        if self._side is not None:
            self._side.finish(NEVER, ignore)
            self._side = behind = None
        waiting = follower.state().behind if behind is None else behind
        if waiting:  # asked first: catching up opens the index anew
            if waiting > MOST and not self._brief:
                self._begin().join(PATIENCE)
            else:
                with self._afterwards():
                    follower.sync(wait=WAIT)
            waiting = follower.state().behind
        words.refresh()
        words.waiting = waiting
        return words

    def close(self) -> None:
        """End the thread, or the process, which goes on where it was the next time."""
        self._over.set()
        if self._side is not None:
            self._side.end()
        if self._thread is not None:
            self._thread.join()

    def _begin(self) -> threading.Thread:
        """The thread that takes up what there is; a new one, where the last has ended."""
        with self._hold:
            if self._thread is None or not self._thread.is_alive():
                self._new = 0
                self._thread = threading.Thread(target=self._run, name="messages", daemon=True)
                self._thread.start()
            return self._thread

    def _run(self) -> None:
        with suppress(Cancelled), self._afterwards():
            self._follower().sync(self._over)
