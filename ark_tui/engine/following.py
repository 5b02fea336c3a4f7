"""The indexes of documents follow the store: one thread applies what was committed, words before vectors.

A commit is acknowledged before its changes are in the indexes; a search waits until they are (`reached`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ark_tui.domain.errors import ArkError, Cancelled
from ark_tui.domain.protocols import OnProgress, Stop
from ark_tui.domain.stages import StageTime
from ark_tui.store import changes

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ark_tui.index.follower import Follower

WAIT = 60.0  # seconds for another thread that is writing the same index
LOOK = 0.02  # seconds between two looks whether a search that waits was stopped
RESTS = 4  # times as long as a round's publication took, until the next one, while files are read
LEAST_BETWEEN = 0.5  # seconds between two rounds while files are read


@dataclass(slots=True)
class Followed:
    """What the indexes have done while files were read."""

    embedded: int = 0
    duplicates: int = 0
    notices: list[str] = field(default_factory=list)
    stages: list[StageTime] = field(default_factory=list)


@contextmanager
def suppressed(notices: list[str], follower: Follower) -> Iterator[None]:
    """An index that cannot follow is a notice: the text is safe and the index catches up later."""
    try:
        yield
    except Cancelled:
        raise
    except ArkError as error:
        notices.append(f"{follower.name}: " + error.told)


class ChangeFeed:
    """Applies small changes to the indexes of a home, in a thread that lives while there is work."""

    def __init__(
        self,
        followers: Callable[[], Sequence[Follower]],
        change: Callable[[], int],
        afterwards: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """`change`: the latest one of the store. `afterwards` turns what fails in an index into a notice."""
        self._followers = followers
        self._change = change
        self._afterwards = afterwards
        self._news = threading.Condition()
        self._wanted = self._tried = 0  # changes: that somebody has told of, and that all indexes were given
        self._thread: threading.Thread | None = None

    def tell(self) -> None:
        """There is something new in the store."""
        change = self._change()
        with self._news:
            self._wanted = max(self._wanted, change)
            if self._wanted > self._tried and self._thread is None:
                self._thread = threading.Thread(target=self._run, name="change feed", daemon=True)
                self._thread.start()

    def reached(self, stop: Stop) -> None:
        """Wait until the indexes were given all that was told of, or somebody stops."""
        with self._news:
            while self._tried < self._wanted and not stop.is_set():
                self._news.wait(LOOK)

    def close(self) -> None:
        """Wait until the indexes were given all that was told of."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while True:
            with self._news:
                if self._tried >= self._wanted:
                    self._thread = None
                    return
                wanted = self._wanted
            try:
                follow(self._followers(), self._afterwards)
            finally:
                with self._news:
                    self._tried = max(self._tried, wanted)
                    self._news.notify_all()


def follow(followers: Sequence[Follower], afterwards: Callable[[], AbstractContextManager[None]]) -> None:
    """Let indexes catch up, one after the other; what one has looked up the others need not."""
    share(followers, changes.Handed() if len(followers) > 1 else None)
    for follower in followers:
        with afterwards():
            follower.sync(wait=WAIT)


class WhileReading:
    """Lets indexes catch up in a thread while files are being read."""

    def __init__(self, followers: Sequence[Follower], stop: Stop) -> None:
        self._followers = followers
        share(followers, changes.Handed() if len(followers) > 1 else None)
        self._stop = stop
        self._news = threading.Event()
        self._over = threading.Event()
        self._notices: list[str] = []
        self._thread: threading.Thread | None = None

    def poke(self) -> None:
        """There is something new in the store."""
        self._news.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="followers", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Stop after the batch at hand, which is not to be done again."""
        self._over.set()
        self._news.set()
        if self._thread is not None:
            self._thread.join()

    def finish(self, stop: Stop, progress: OnProgress) -> Followed:
        """Catch up with everything."""
        self.end()
        for follower in self._followers:
            with suppressed(self._notices, follower):
                follower.sync(stop, progress, WAIT)
        share(self._followers, None)
        stages = [taken for follower in self._followers for taken in follower.stages.told()]
        return Followed(
            count(self._followers, "embedded"), count(self._followers, "duplicates"), self._notices, stages
        )

    def _run(self) -> None:
        """Each index in turn; what it publishes costs the more the larger the corpus: then it rests."""
        next_round = dict.fromkeys(self._followers, 0.0)
        while not self._over.wait(LEAST_BETWEEN):
            self._news.wait()
            self._news.clear()
            for follower in self._followers:
                if time.monotonic() < next_round[follower]:
                    self._news.set()  # it has not been looked at
                    continue
                try:
                    with suppressed(self._notices, follower):
                        follower.sync(self._stop, midway=True, until=self._over)
                except Cancelled:
                    return  # the thread that reads is told, too
                next_round[follower] = time.monotonic() + RESTS * follower.published_s


def share(followers: Sequence[Follower], handed: changes.Handed | None) -> None:
    """From now on what one of these has looked up the others need not; None: each looks for itself."""
    for follower in followers:
        follower.handed = handed


def count(followers: Sequence[Follower], what: str) -> int:
    """What the followers of vectors have counted; the others count nothing."""
    return sum(getattr(follower, what, 0) for follower in followers)
