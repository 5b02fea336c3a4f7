"""Keeps the word index of messages up to date: before a search, or in a thread while many are new."""

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

NEXT_LOOK = 5_000  # new messages after which the thread starts without a search
MOST_MESSAGES = 20_000  # most chunks that a search indexes first
PATIENCE = 0.1  # seconds that a search waits for the thread
WRITTEN_WITHIN = 60.0  # seconds to wait for another thread that writes the index


class MessageIndex:
    """The word index of messages of one home. Thread-safe.

    While many messages are being indexed, a search misses the remaining ones: `Words.waiting` counts them.
    `afterwards` wraps each update and turns its errors into notices.
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
        """Count stored messages; start indexing when there are many."""
        self._new += count
        if self._new >= NEXT_LOOK:
            self._begin()

    def state(self) -> tuple[int, int]:
        """The mtime and inode of the index mark, which change with every write."""
        try:
            mark = self._mark.stat()
        except OSError:
            return 0, 0
        return mark.st_mtime_ns, mark.st_ino

    def behind(self, lease: Lease) -> int:
        """The number of chunks that are not indexed yet."""
        return self._follower().behind(lease)

    def caught_up(self, behind: int | None = None) -> MessageWords:
        """Update the index and return it; its `waiting` counts missing chunks. `behind`: if known."""
        follower, words = self._follower(), self._words()
        waiting = follower.state().behind if behind is None else behind
        if waiting:  # checked first, as an update reopens the index
            if waiting > MOST_MESSAGES:
                self._begin().join(PATIENCE)
            else:
                with self._afterwards():
                    follower.sync(wait=WRITTEN_WITHIN)
            waiting = follower.state().behind
        words.refresh()
        words.waiting = waiting
        return words

    def close(self) -> None:
        """Stop the thread; indexing resumes the next time."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _begin(self) -> threading.Thread:
        """The indexing thread; starts one if none is running."""
        with self._hold:
            if self._thread is None or not self._thread.is_alive():
                self._new = 0
                self._thread = threading.Thread(target=self._run, name="messages", daemon=True)
                self._thread.start()
            return self._thread

    def _run(self) -> None:
        with suppress(Cancelled), self._afterwards():
            self._follower().sync(self._over)
