"""Base class of the indexes: track the position in the store's change log, and catch up.

A follower stores a mark (store, epoch, version, change number) next to its files. Catching up reads the
changes after the mark in batches and applies them. Applying is idempotent, so a crash before the mark is
written loses nothing. With a mark of another store, epoch or version, or beyond the log, it starts over.
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
from ark_tui.domain.work import FollowerState, Progress
from ark_tui.index.seal import MARK
from ark_tui.settings.home import read_checked, remove, write_checked
from ark_tui.store import Lease, Store, changes


@dataclass(frozen=True, slots=True)
class Mark:
    """The position of a follower; `number` is the last applied change."""

    store: str = ""
    epoch: str = ""
    version: str = ""
    number: int = 0
    languages: Sequence[str] = ()  # languages besides English of the indexed texts

    def continues(self, before: Mark) -> bool:
        """Whether an index with the other mark gets to this one by applying changes."""
        return replace(before, number=self.number) == self and before.number <= self.number


class Follower(ABC):
    """An index that follows the store. One thread at a time may write it; all may read it."""

    name: str
    batch: int = 2000  # changes per batch
    stream: changes.Stream = "documents"  # the followed change stream

    def __init__(self, store: Store, folder: Path, version: str) -> None:
        self.store = store
        self.folder = folder
        self.version = version
        self.published_s = 0.0  # duration of the last commit
        self.midway = False  # more changes will follow, so deferrable work is postponed
        self.until: Stop = NEVER  # stop after the current batch
        self._tell: Callable[[int], object] = ignore  # reports the applied changes of the current batch

    @abstractmethod
    def reset(self) -> None:
        """Delete everything and start empty."""

    @abstractmethod
    def apply(self, batch: Sequence[LiveChunk], stop: Stop) -> None:
        """Apply changes. Must be idempotent."""

    @abstractmethod
    def commit(self, mark: Mark, *, last: bool) -> bool:
        """Make applied changes durable and visible; false if postponed (never for the last batch)."""

    @abstractmethod
    def finish(self) -> None:
        """Release the resources of catching up."""

    def sync(
        self,
        stop: Stop = NEVER,
        progress: OnProgress = ignore,
        wait: float = 0.0,
        *,
        midway: bool = False,
        until: Stop = NEVER,
    ) -> int:
        """Catch up and return the number of applied changes.

        If another thread is catching up, wait up to `wait` seconds for the lock, then return 0.

        `midway`: more changes will follow soon, so deferrable work is postponed.
        `until`: finish the current batch and stop. `stop`: abort and discard uncommitted changes.
        """
        self.midway, self.until = midway, until
        with explained(self.folder), self._alone(wait) as mine:
            return self._catch_up(stop, progress) if mine else 0

    def state(self) -> FollowerState:
        """The state of the follower: how many changes it is behind."""
        with self.store.read() as lease:
            return FollowerState(self.name, self.behind(lease))

    def behind(self, lease: Lease) -> int:
        """The number of changes still to apply."""
        mark = self.mark()
        fits = self._fits(mark, changes.identity(lease), changes.latest(lease, self.stream))
        return changes.behind(lease, mark.number if fits else 0, self.stream)

    def mark(self) -> Mark:
        """The mark on disk; an empty one if it is missing or unreadable."""
        try:
            return Mark(**read_checked(self.folder / MARK) or {})
        except TypeError:  # written by another program
            return Mark()

    def rebuild(self, stop: Stop = NEVER, progress: OnProgress = ignore) -> int:
        """Start over and apply all changes."""
        with explained(self.folder), self._must_be_alone(wait=60.0):
            remove(self.folder / MARK)
            self.reset()
            return self._catch_up(stop, progress)

    def clear(self, wait: float) -> None:
        """Delete the files of the index; the next catch-up starts over."""
        with explained(self.folder), self._must_be_alone(wait):
            self.reset()

    def _catch_up(self, stop: Stop, progress: OnProgress) -> int:
        mark, total = self._start()
        if not total:
            self.finish()
            return 0
        done, committed = 0, True
        try:
            while done < total and not self.until.is_set():
                check(stop)
                batch = self._next(mark)
                if not batch:
                    break
                self._tell = partial(_told, progress, self.name, done, total)
                self.apply(batch, stop)
                mark = replace(mark, number=batch[-1].change)
                done += len(batch)
                committed = self._committed(mark, last=len(batch) < self.batch)
                progress(Progress(self.name, done, max(total, done)))
            if not committed:
                self._committed(mark, last=True)
        finally:
            self.finish()
        return done

    def _committed(self, mark: Mark, *, last: bool) -> bool:
        began = time.monotonic()
        committed = self.commit(mark, last=last)
        if committed:
            self.published_s = time.monotonic() - began
        return committed

    def _next(self, mark: Mark) -> list[LiveChunk]:
        """The next batch of changes; empty at the end of the log."""
        with self.store.read() as lease:
            return changes.since(lease, mark.number, self.batch, self.stream)

    def _start(self) -> tuple[Mark, int]:
        """The starting mark and the number of changes to apply; resets the index if the mark is invalid."""
        with self.store.read() as lease:
            identity, latest = changes.identity(lease), changes.latest(lease, self.stream)
            mark = self.mark()
            fits = self._fits(mark, identity, latest)
            sound = fits and self.sound()
            total = changes.behind(lease, mark.number if sound else 0, self.stream)
        if sound:
            return mark, total
        if fits or (not mark.version and self.begun()):
            self.store.repairs.append(f"The {self.name} index was damaged; it is rebuilt from the store.")
        self.reset()
        mark = Mark(identity.store, identity.epoch, self.version)
        if not total:
            self.commit(mark, last=True)
        return mark, total

    @abstractmethod
    def sound(self, *, thorough: bool = False) -> bool:
        """Whether the files are undamaged; `thorough`: every byte is read."""

    @abstractmethod
    def begun(self) -> bool:
        """Whether the index was written before, even if its mark is missing."""

    def intact(self, wait: float) -> bool:
        """Whether every byte of the files is undamaged; waits for another thread that writes them."""
        with self._must_be_alone(wait):
            return self.sound(thorough=True)

    def _fits(self, mark: Mark, identity: changes.Identity, latest: int) -> bool:
        mine = (mark.store, mark.epoch, mark.version)
        return mine == (identity.store, identity.epoch, self.version) and mark.number <= latest

    def _write_mark(self, mark: Mark) -> None:
        written = asdict(mark)
        if not mark.languages:
            del written["languages"]
        write_checked(self.folder / MARK, written)

    @contextmanager
    def _must_be_alone(self, wait: float) -> Iterator[None]:
        with self._alone(wait) as mine:
            if not mine:
                raise busy(self.name)
            yield

    def _alone(self, wait: float) -> AbstractContextManager[bool]:
        return alone(self.store, self.name, wait)


def busy(name: str) -> StoreError:
    """The error if another thread holds the lock of an index for too long."""
    return StoreError(f"The index {name} is being written.", "Try again when that is done.")


@contextmanager
def alone(store: Store, name: str, wait: float) -> Iterator[bool]:
    """Acquire the write lock of an index; yields whether it succeeded within `wait` seconds."""
    lock = store.index_lock(name)
    mine = lock.acquire(timeout=wait) if wait > 0 else lock.acquire(blocking=False)
    try:
        yield mine
    finally:
        if mine:
            lock.release()


def _told(progress: OnProgress, stage: str, before: int, total: int, done: int) -> None:
    progress(Progress(stage, before + done, max(total, before + done)))
