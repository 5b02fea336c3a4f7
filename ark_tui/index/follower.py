"""What every index does: remember how far it has followed the store's change log, and catch up.

A follower keeps a mark (store, epoch, version, change number) beside its files. Catching up reads the
changes after the mark in batches and applies them; applying one twice gives the same result, so a crash
between applying and marking costs nothing. A mark of another store, epoch or version, or one beyond the
log, means to start over.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from ark_tui.domain.documents import LiveChunk
from ark_tui.domain.errors import StoreError
from ark_tui.domain.failures import explained
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.stages import Stages
from ark_tui.domain.work import FollowerState, Progress
from ark_tui.index import seal
from ark_tui.index.standing import MARK
from ark_tui.settings.home import remove
from ark_tui.store import Lease, Store, changes

FOR_OTHERS = 1.0  # seconds in which catching up also applies what is written meanwhile


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a follower has come; `number` is the last change it has applied."""

    store: str = ""
    epoch: str = ""
    version: str = ""
    number: int = 0
    languages: Sequence[str] = ()  # besides English, in which texts are written that it has stemmed


class Follower(ABC):
    """One index that follows the store. One thread at a time lets it catch up; all may read it."""

    name: str
    batch: int = 2000  # changes read at once
    stream: changes.Stream = "documents"  # what it follows

    def __init__(self, store: Store, folder: Path, version: str) -> None:
        self.store = store
        self.folder = folder
        self.version = version
        self.stages = Stages(self.name)
        self.published_s = 0.0  # what making the last changes visible took
        self.midway = False  # whether more is sure to come: what can wait is put off
        self.until: Stop = NEVER  # the batch at hand is the last
        self.handed: changes.Handed | None = None  # what another index has looked up, while both follow
        self._tell: Callable[[int], object] = ignore  # how many changes of the batch at hand are taken up

    @abstractmethod
    def reset(self) -> None:
        """Drop everything and be empty."""

    def serves(self, version: str) -> bool:  # noqa: ARG002  (none, unless an index says so)
        """Whether files of this earlier version can be searched while their successors are built."""
        return False

    def supersede(self) -> None:
        """Start over because the files are of an earlier version, which may go on serving meanwhile."""
        self.reset()

    @abstractmethod
    def apply(self, batch: Sequence[LiveChunk], stop: Stop) -> None:
        """Take up changes; the same batch again must give the same result."""

    @abstractmethod
    def commit(self, mark: Mark, *, last: bool) -> bool:
        """Make what was applied durable and visible; false to put it off (never when it is the last)."""

    @abstractmethod
    def finish(self) -> None:
        """Let go of what catching up needed."""

    def sync(
        self,
        stop: Stop = NEVER,
        progress: OnProgress = ignore,
        wait: float = 0.0,
        *,
        midway: bool = False,
        until: Stop = NEVER,
    ) -> int:
        """Catch up; return how many changes were applied.

        When another thread is at it, wait up to `wait` seconds and otherwise leave it to that one. `midway`:
        there will be more soon, and what can wait until then is put off. `until`: the batch at hand is the
        last; `stop` drops what was not committed.
        """
        self.midway, self.until = midway, until
        with explained(self.folder), self._alone(wait) as mine:
            return self._catch_up(stop, progress) if mine else 0

    def state(self) -> FollowerState:
        """How far behind it is."""
        with self.store.read() as lease:
            return FollowerState(self.name, self.behind(lease))

    def behind(self, lease: Lease) -> int:
        """How many changes it has still to take up."""
        mark = self.mark()
        fits = self._fits(mark, changes.identity(lease), changes.latest(lease, self.stream))
        return changes.behind(lease, mark.number if fits else 0, self.stream)

    def mark(self) -> Mark:
        """The mark as it is on disk; an empty one where there is none or it cannot be read."""
        try:
            return Mark(**seal.read(self.folder / MARK) or {})
        except TypeError:  # of another program
            return Mark()

    def rebuild(self, stop: Stop = NEVER, progress: OnProgress = ignore) -> int:
        """Start over and catch up with everything."""
        with explained(self.folder), self._must_be_alone(wait=60.0):
            remove(self.folder / MARK)
            self.reset()
            return self._catch_up(stop, progress)

    def clear(self, wait: float) -> None:
        """Delete the files of the index; it starts over when it catches up next."""
        with explained(self.folder), self._must_be_alone(wait):
            self.reset()

    def _catch_up(self, stop: Stop, progress: OnProgress) -> int:
        mark, total = self._start()
        if not total:
            self.finish()
            return 0
        done, committed, end = 0, True, time.monotonic() + FOR_OTHERS
        try:
            while True:
                check(stop)
                if self.until.is_set():
                    break
                with self.stages.at("look up"):
                    batch = self._next(mark)
                if batch:
                    self._tell = partial(_told, progress, self.name, done, total)
                    with self.stages.at("take up"):
                        self.apply(batch, stop)
                    mark = replace(mark, number=batch[-1].change)
                    done += len(batch)
                    committed = self._committed(mark, last=len(batch) < self.batch)
                    progress(Progress(self.name, done, max(total, done)))
                if self._is_over(mark, len(batch), whole=done >= total and time.monotonic() > end):
                    break
            if not committed:
                self._committed(mark, last=True)
        finally:
            with self.stages.at("tidy up"):
                self.finish()
        return done

    def _is_over(self, mark: Mark, taken: int, *, whole: bool) -> bool:
        """Whether nothing has come meanwhile, or the `whole` of what there was at first is applied."""
        return not taken or whole or (self.stream == "documents" and mark.number == self.store.change())

    def _committed(self, mark: Mark, *, last: bool) -> bool:
        began = time.monotonic()
        with self.stages.at("publish"):
            committed = self.commit(mark, last=last)
        if committed:
            self.published_s = time.monotonic() - began
        return committed

    def _next(self, mark: Mark) -> list[LiveChunk]:
        """The changes that follow; none: there are no more."""
        with self.store.read() as lease:
            return changes.since(lease, mark.number, self.batch, self.stream, self.handed)

    def _start(self) -> tuple[Mark, int]:
        """From where there are how many changes to apply; from the beginning, where the mark is no good."""
        with self.store.read() as lease:
            identity, latest = changes.identity(lease), changes.latest(lease, self.stream)
            mark = self.mark()
            fits = self._fits(mark, identity, latest)
            sound = fits and self.sound()
            total = changes.behind(lease, mark.number if sound else 0, self.stream)
        if self.handed:
            self.handed.begin(identity)
        if sound:
            return mark, total
        if fits or (not mark.version and self.begun()):
            self.store.mended.append(f"The {self.name} index was damaged; it is rebuilt from the store.")
        earlier = not fits and self._fits(replace(mark, version=self.version), identity, latest)
        (self.supersede if earlier and self.sound() else self.reset)()
        mark = Mark(identity.store, identity.epoch, self.version)
        if not total:
            self.commit(mark, last=True)
        return mark, total

    @abstractmethod
    def sound(self, *, thorough: bool = False) -> bool:
        """Whether the files are as they were written; `thorough`: every byte is read."""

    @abstractmethod
    def begun(self) -> bool:
        """Whether there are files that a mark once spoke of."""

    def intact(self, wait: float) -> bool:
        """Whether no byte of the files is damaged; waits for another thread that writes them."""
        with self._must_be_alone(wait):
            return self.sound(thorough=True)

    def _fits(self, mark: Mark, identity: changes.Identity, latest: int) -> bool:
        mine = (mark.store, mark.epoch, mark.version)
        return mine == (identity.store, identity.epoch, self.version) and mark.number <= latest

    def _write_mark(self, mark: Mark) -> None:
        written = asdict(mark)
        if not mark.languages:
            del written["languages"]
        seal.write(self.folder / MARK, written)

    @contextmanager
    def _must_be_alone(self, wait: float) -> Iterator[None]:
        with self._alone(wait) as mine:
            if not mine:
                raise busy(self.name)
            yield

    def _alone(self, wait: float) -> AbstractContextManager[bool]:
        return alone(self.store, self.name, wait)


def busy(name: str) -> StoreError:
    """The error where another thread keeps an index for too long."""
    return StoreError(f"The index {name} is being written.", "Try again when that is done.")


@contextmanager
def alone(store: Store, name: str, wait: float) -> Iterator[bool]:
    """Whether this thread is the one that writes an index meanwhile; `wait`: seconds for another one."""
    lock = store.index_lock(name)
    mine = lock.acquire(timeout=wait) if wait > 0 else lock.acquire(blocking=False)
    try:
        yield mine
    finally:
        if mine:
            lock.release()


def _told(progress: OnProgress, stage: str, before: int, total: int, done: int) -> None:
    progress(Progress(stage, before + done, max(total, before + done)))
