"""Indexing with the workers of a Ray cluster: they read, cut, embed and stage, the home takes that up.

Outcomes are taken in the order of the files: decision 87. What is staged and was not taken up, because this
process was ended, is taken up by the next run that has workers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import Busy, StoreError
from ark_tui.domain.protocols import OnProgress, Stop, check
from ark_tui.domain.work import Problem, Progress
from ark_tui.engine import bulk
from ark_tui.engine.bulk import Order, Said, Staged
from ark_tui.engine.workers import Workers
from ark_tui.index.follower import alone
from ark_tui.ingest.taking import Taken, Task

if TYPE_CHECKING:
    from ark_tui.engine.services import Services
    from ark_tui.engine.workers import Address
    from ark_tui.index.vectors.follower import VectorsFollower
    from ark_tui.ingest.pipeline import Root
    from ark_tui.ingest.reading import Reading

FILES, BYTES = 256, 4 << 20  # of a batch, which is one task, one table and one transaction
WAIT = 60.0  # seconds for another process that is writing the vectors


@contextmanager
def opened(
    parts: Services,
    address: Address,
    reading: Reading,
    stop: Stop,
    progress: OnProgress,
) -> Iterator[Cluster]:
    """Workers for one run, which are let go at its end. Raises `ArkError` where there are none."""
    with Workers(address, stop) as workers, alone(parts.store, "staged", 0.0) as mine:
        if not mine:
            raise Busy("Another process has workers index for this home.", "Try again when it is done.")
        cluster = Cluster(parts, workers, reading, stop, progress)
        yield cluster
        cluster.tidy()


class Cluster:
    """The workers, as `ingest/pipeline.py` asks them to read files: see `Elsewhere` there."""

    def __init__(
        self, parts: Services, workers: Workers, reading: Reading, stop: Stop, progress: OnProgress
    ) -> None:
        self.notices: list[str] = []
        self._parts, self._workers = parts, workers
        self._staging, self._reading = parts.staging(), reading
        self._stop, self._progress = stop, progress
        self._left = self._staging.names()  # by a run that was ended
        self._token = ""
        model = parts.models.building() or parts.models.in_force()
        followers = parts.models.followers() if model else ()
        self._served: VectorsFollower | None = next(
            (one for one in followers if model and one.embedder.fingerprint == model.fingerprint), None
        )
        self._model = model

    def __call__(self, root: Root, tasks: Sequence[Task]) -> Iterator[Iterable[Taken]]:
        """What comes of files, in groups; a group is in the store when the next one is asked for."""
        if not tasks:
            return
        order = self._order(root)
        wanted = {order.key(task): task for task in map(_said, [root] * len(tasks), tasks)}
        total = len(wanted)
        for name in self._left:
            if group := self._resumed(name, wanted):
                yield self._group(group, total - len(wanted) - len(group), total)
        if wanted:
            self._token = self._token or self._staging.begin()
            yield from self._done(replace(order, token=self._token), wanted, total)

    def tidy(self) -> None:
        """Remove what is staged: all of it is in the store."""
        if self._left or self._token:
            self._staging.clear()

    def _order(self, root: Root) -> Order:
        settings = self._parts.settings
        return Order(
            self._staging, self._token, str(root.path), root.collection, self._reading,
            str(settings.home.path), dict(settings.values), self._model,
        )  # fmt: skip

    def _resumed(self, name: str, wanted: dict[str, Task]) -> list[Staged]:
        """What a run before has staged of files that are still as they were then."""
        rows: list[dict[str, Any]] = []
        with suppress(StoreError):  # it was cut off while it was written
            rows = self._staging.read(name)
        found = [self._staged(row, wanted[row["key"]]) for row in rows if row["key"] in wanted]
        lasting = [(row["key"], one) for row, one in zip(rows, found, strict=False) if one.lasting]
        for key, _ in lasting:
            del wanted[key]
        return [one for _, one in lasting]

    def _done(self, order: Order, wanted: Mapping[str, Task], total: int) -> Iterator[Iterable[Taken]]:
        """What workers make of files, batch by batch."""
        workers, done = self._workers, total - len(wanted)
        ahead, asked = workers.begin(bulk.work, order, []), workers.hold(order)
        waiting, flying = _batches(wanted.values()), deque[tuple[Any, Sequence[Task]]]()
        while True:
            for some in islice(waiting, max(0, ahead - len(flying))):
                flying.append((workers.send(bulk.work, asked, some), some))
            if not flying:
                return
            ref, batch = flying.popleft()
            self._progress(Progress("read", done, total, batch[0].entry.path))
            found = workers.outcome(ref)
            if found is None and len(batch) > 1:  # one file may have been too much: which one?
                halves = batch[: len(batch) // 2], batch[len(batch) // 2 :]
                flying.extendleft((workers.send(bulk.work, asked, half), half) for half in reversed(halves))
                continue
            yield self._read(found, order, batch, done, total)
            done += len(batch)
            if found:
                self._staging.drop(found[0])

    def _read(
        self, found: tuple[str, str] | None, order: Order, batch: Sequence[Task], done: int, total: int
    ) -> Iterable[Taken]:
        if found is None:
            entry, scanned, *_ = batch[0]
            dead = Problem(entry.path, "each worker that read it has died", "failed")
            return [Taken(entry, scanned, "", 0, dead)]
        name, said = found
        self.notices += [said] if said and said not in self.notices else []
        tasks = {order.key(task): task for task in batch}
        staged = [self._staged(row, tasks[row["key"]]) for row in self._staging.read(name)]
        return self._group(staged, done, total)

    def _group(self, staged: Sequence[Staged], done: int, total: int) -> Iterator[Taken]:
        for i, one in enumerate(staged, done):
            check(self._stop)
            self._progress(Progress("read", i, total, one.taken.entry.path))
            if self._served and one.vectors.hashes:
                self._served.take_over(one.vectors, WAIT)
            yield one.taken

    def _staged(self, row: Mapping[str, Any], task: Task) -> Staged:
        return Staged.of(row, task, self._model.dims if self._model else 0)


def _said(root: Root, task: Task) -> Task:
    path = task.entry.path
    return task._replace(rules=Said(root.ignore.keeps(path), root.ignore.submodule(path)))


def _batches(tasks: Iterable[Task]) -> Iterator[list[Task]]:
    batch: list[Task] = []
    size = 0
    for task in tasks:
        if batch and (len(batch) == FILES or size + task.entry.size > BYTES):
            yield batch
            batch, size = [], 0
        batch.append(task)
        size += task.entry.size
    if batch:
        yield batch
