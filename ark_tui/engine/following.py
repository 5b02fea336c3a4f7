"""Updating the document indexes: a thread applies commits to the word index and to the vectors.

A commit returns before its changes are in the indexes; a search waits until they are (`reached`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from ark_tui.domain.errors import ArkError, Cancelled
from ark_tui.domain.protocols import OnProgress, Stop

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ark_tui.index.follower import Follower
    from ark_tui.index.words.follower import WordsFollower
    from ark_tui.index.words.messages import MessageWords
    from ark_tui.store import Lease

WAIT = 60.0  # seconds to wait for another thread that writes the same index
LOOK = 0.02  # seconds between two checks whether a waiting search was stopped
SETTLE = 0.1  # seconds after a change in which further ones join its round, unless a search waits
RESTS = 4  # pause after a round while files are read, as a multiple of its publication time
LEAST_BETWEEN = 0.5  # seconds between two rounds while files are read


@contextmanager
def suppressed(notices: list[str], follower: Follower) -> Iterator[None]:
    """Turn the error of an index into a notice: the text is stored and the index is updated later."""
    try:
        yield
    except Cancelled:
        raise
    except ArkError as error:
        notices.append(f"{follower.name}: " + error.told)


class ChangeFeed:
    """Applies small changes to the indexes of a home, in a thread that ends when it has no work."""

    def __init__(
        self,
        followers: Callable[[], Sequence[Follower]],
        change: Callable[[], int],
        afterwards: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """`change` returns the latest change of the store. `afterwards` turns index errors into notices."""
        self._followers = followers
        self._change = change
        self._afterwards = afterwards
        self._news = threading.Condition()
        self._wanted = self._tried = 0  # last change announced; last change given to all indexes
        self._waiting = 0  # callers that need the announced changes now
        self._failed = False  # whether an index could not apply the last round
        self._thread: threading.Thread | None = None

    def tell(self) -> None:
        """Announce new changes in the store; start the thread if needed."""
        change = self._change()
        with self._news:
            self._wanted = max(self._wanted, change)
            if self._wanted > self._tried and self._thread is None:
                self._thread = threading.Thread(target=self._run, name="change feed", daemon=True)
                self._thread.start()

    def reached(self, stop: Stop) -> None:
        """Wait until the changes announced so far were given to the indexes, or until `stop` is set.

        A round that failed, as on a full disk, is tried again: each caller learns why changes are missing.
        """
        with self._news:
            if self._failed:
                self._tried, self._failed = 0, False
                self.tell()
            wanted = self._wanted  # later ones are not waited for: others may write without pause
        with self._at_once(), self._news:
            while self._tried < wanted and not stop.is_set():
                self._news.wait(LOOK)

    def close(self) -> None:
        """Wait until all announced changes were given to the indexes."""
        thread = self._thread
        if thread is not None:
            with self._at_once():
                thread.join()

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """Within this block no round waits for further changes."""
        with self._news:
            self._waiting += 1
            self._news.notify_all()
        try:
            yield
        finally:
            with self._news:
                self._waiting -= 1

    def _run(self) -> None:
        while True:
            with self._news:
                if self._tried >= self._wanted:
                    self._thread = None
                    return
                self._news.wait_for(lambda: self._waiting, SETTLE)
                wanted = self._wanted
            try:
                self._failed = not follow(self._followers(), self._afterwards)
            finally:
                with self._news:
                    self._tried = max(self._tried, wanted)
                    self._news.notify_all()


def follow(followers: Sequence[Follower], afterwards: Callable[[], AbstractContextManager[None]]) -> bool:
    """Update indexes side by side; return whether all could be updated."""

    def update(follower: Follower) -> bool:
        with afterwards():
            follower.sync(wait=WAIT)
            return True
        return False

    with ThreadPoolExecutor(max(1, len(followers)), "index") as threads:
        return all([*threads.map(update, followers)])


class WhileReading:
    """Updates indexes in a thread while files are being read."""

    def __init__(self, followers: Sequence[Follower], stop: Stop) -> None:
        self.followers = tuple(followers)
        self.notices: list[str] = []
        self._stop = stop
        self._news = threading.Event()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def poke(self) -> None:
        """Announce new changes in the store; start the thread if needed."""
        self._news.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="followers", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Stop the thread after its current batch."""
        self._over.set()
        self._news.set()
        if self._thread is not None:
            self._thread.join()

    def finish(self, stop: Stop, progress: OnProgress) -> None:
        """Stop the thread and apply all remaining changes."""
        self.end()
        for follower in self.followers:
            with suppressed(self.notices, follower):
                follower.sync(stop, progress, WAIT)

    def _run(self) -> None:
        """Update the indexes in turn.

        Publication costs more with a larger corpus, so each index pauses in proportion to its last one.
        """
        next_round = dict.fromkeys(self.followers, 0.0)
        while not self._over.wait(LEAST_BETWEEN):
            self._news.wait()
            self._news.clear()
            for follower in self.followers:
                if time.monotonic() < next_round[follower]:
                    self._news.set()  # it was skipped: check again
                    continue
                try:
                    with suppressed(self.notices, follower):
                        follower.sync(self._stop, midway=True, until=self._over)
                except Cancelled:
                    return  # the reading thread has the same stop signal
                next_round[follower] = time.monotonic() + RESTS * follower.published_s


def count(followers: Sequence[Follower], what: str) -> int:
    """Sum a counter of the vector followers; other followers have none."""
    return sum(getattr(follower, what, 0) for follower in followers)


NEXT_LOOK = 5_000  # new messages after which the thread starts without a search
MOST_MESSAGES = 20_000  # most chunks that a search indexes first
PATIENCE = 0.1  # seconds that a search waits for the thread


class MessageIndex:
    """The word index of messages of one home. Thread-safe.

    While many messages are being indexed, a search misses the remaining ones: `Words.waiting` counts them.
    `afterwards` wraps each update and turns its errors into notices.
    """

    def __init__(
        self,
        words: Callable[[], MessageWords],
        follower: Callable[[], WordsFollower],
        afterwards: Callable[[], AbstractContextManager[None]],
    ) -> None:
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
                    follower.sync(wait=WAIT)
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
