"""Brings the word index of messages up to date: a few when they are asked for, many by a thread."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from ark_tui.domain.errors import Cancelled
from ark_tui.index.standing import MARK

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from ark_tui.index.words.follower import WordsFollower
    from ark_tui.index.words.messages import MessageWords
    from ark_tui.store import Lease

SOON = 5_000  # new messages from which on the thread begins without being asked
MOST = 20_000  # chunks that a search applies before it answers
PATIENCE = 0.1  # seconds that a search waits for that thread
WAIT = 60.0  # seconds for another thread that is writing the index


class MessageIndex:
    """The index of messages of one home, for those who add to them and search them. Thread-safe.

    A search while many are being indexed misses those that are still to come: `Words.waiting` counts them.
    `afterwards` is around each catching up: what fails there is told, and no refusal.
    """

    def __init__(
        self,
        folder: Path,
        words: Callable[[], MessageWords],
        follower: Callable[[], WordsFollower],
        afterwards: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._mark = folder / MARK
        self._words = words
        self._follower = follower
        self._afterwards = afterwards
        self._new = 0  # messages stored since the thread began last
        self._hold = threading.Lock()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def added(self, count: int) -> None:
        """So many messages have been stored."""
        self._new += count
        if self._new >= SOON:
            self._begin()

    def state(self) -> tuple[int, int]:
        """Its files as they are: another value where it has been written since."""
        try:
            mark = self._mark.stat()
        except OSError:
            return 0, 0
        return mark.st_mtime_ns, mark.st_ino

    def behind(self, lease: Lease) -> int:
        """How many chunks are to be applied."""
        return self._follower().behind(lease)

    def caught_up(self, behind: int | None = None) -> MessageWords:
        """The index with all messages in it; or with all but `waiting` of them. `behind`: as asked before."""
        follower, words = self._follower(), self._words()
        waiting = follower.state().behind if behind is None else behind
        if waiting:  # asked first: catching up opens the index anew
            if waiting > MOST:
                self._begin().join(PATIENCE)
            else:
                with self._afterwards():
                    follower.sync(wait=WAIT)
            waiting = follower.state().behind
        words.refresh()
        words.waiting = waiting
        return words

    def close(self) -> None:
        """End the thread, which goes on where it was the next time."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _begin(self) -> threading.Thread:
        """The thread that applies what there is; a new one, where the last has ended."""
        with self._hold:
            if self._thread is None or not self._thread.is_alive():
                self._new = 0
                self._thread = threading.Thread(target=self._run, name="messages", daemon=True)
                self._thread.start()
            return self._thread

    def _run(self) -> None:
        with suppress(Cancelled), self._afterwards():
            self._follower().sync(self._over)
