"""Indexing with a Ray cluster: workers read, chunk and embed files; the home stores the results.

Results are processed in the order of the files (decision 87). An interrupted run keeps what it has stored.
"""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ark_tui.domain.documents import embedded_text, text_hash
from ark_tui.domain.errors import ArkError
from ark_tui.domain.protocols import OnProgress, Stop, check
from ark_tui.domain.work import Problem, Progress
from ark_tui.embedding import choice
from ark_tui.engine.workers import Workers
from ark_tui.index.vectors.table import Embeddings
from ark_tui.ingest.reading import Reading
from ark_tui.ingest.taking import Taken, Task, take
from ark_tui.ingest.walk import CHANGED, Entry
from ark_tui.settings import load
from ark_tui.settings.tree import Tree
from ark_tui.version import VERSION

if TYPE_CHECKING:
    from ark_tui.embedding.served import ServedModel
    from ark_tui.engine.services import Services
    from ark_tui.engine.workers import Address
    from ark_tui.index.vectors.follower import VectorsFollower
    from ark_tui.ingest.pipeline import Root

FILES, BYTES = 256, 4 << 20  # limits of a batch, which is one task and one transaction
WAIT = 60.0  # seconds to wait for another thread that writes the vectors


@dataclass(frozen=True, slots=True)
class Order:
    """The parameters of a worker: the folder, how to read files, and the embedding model."""

    root: str
    reading: Reading
    home: str  # contains the added models
    settings: Mapping[str, object]
    model: ServedModel | None  # in addition to the built-in one
    version: str = VERSION


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a batch: its files, the served model's vectors of their texts, and a remark."""

    files: Sequence[Taken]
    vectors: Embeddings | None = None
    remark: str = ""


def work(order: Order, tasks: Sequence[Task]) -> Done:
    """Read, chunk and embed files on a worker. Without tasks, only check version and folder.

    Raises `ArkError` with the host name of the worker.
    """
    with _named(), Tree(order.root) as files:
        if order.version != VERSION:
            raise ArkError(
                f"ark-tui is {VERSION} there, and {order.version} at the home.",
                "Install the same version at every machine.",
            )
        if not Path(order.root).is_dir():
            raise ArkError(f"There is no folder {order.root}.", "Have it at the same path at every machine.")
        taken = [_taken(files, task, order.reading) for task in tasks]
        return Done(taken, *_embedded(order, _texts(taken)))


@contextmanager
def _named() -> Iterator[None]:
    """Add the host name to each `ArkError` in this block."""
    try:
        yield
    except ArkError as error:
        raise type(error)(f"At the worker {socket.gethostname()}: {error.what}", error.hint) from None


def _taken(files: Tree, task: Task, reading: Reading) -> Taken:
    """Read a file if size and mtime match the home's scan; the inode may differ between machines."""
    try:
        here = Entry.of(files, task.entry.path)
    except OSError:
        here = None
    if here is None or (here.size, here.mtime_ns) != (task.entry.size, task.entry.mtime_ns):
        return Taken(task.entry, task.scanned, "", 0, Problem(task.entry.path, CHANGED, "failed"))
    return take(files, task._replace(entry=here), reading)._replace(entry=task.entry)


def _texts(taken: Iterable[Taken]) -> dict[str, str]:
    """The texts to embed of some files, by hash."""
    return {
        text_hash(about, text): embedded_text(about, text)
        for one in taken
        if isinstance(one.drafts, tuple)
        for draft in one.drafts
        for chunk in draft.chunks
        for about, text in [(draft.context(chunk), draft.body[chunk.start_char : chunk.end_char])]
    }


def _embedded(order: Order, texts: Mapping[str, str]) -> tuple[Embeddings | None, str]:
    """The served model's vectors of texts, or None and the reason; then the home embeds them."""
    if order.model is None or not texts:
        return None, ""
    try:
        embedder = choice.embedder(order.model, load(Path(order.home), order.settings))
        return Embeddings(tuple(texts), embedder.embed_documents(list(texts.values()))), ""
    except ArkError as error:
        return None, f"the worker {socket.gethostname()} left vectors to the home: {error.told}"


@contextmanager
def opened(
    parts: Services, address: Address, reading: Reading, stop: Stop, progress: OnProgress
) -> Iterator[Cluster]:
    """The workers for one run. Raises `ArkError` if there are none."""
    with Workers(address, stop) as workers:
        yield Cluster(parts, workers, reading, stop, progress)


class Cluster:
    """Reads files on workers; implements `Elsewhere` of `ingest/pipeline.py`."""

    def __init__(
        self, parts: Services, workers: Workers, reading: Reading, stop: Stop, progress: OnProgress
    ) -> None:
        self.notices: list[str] = []
        self._parts, self._workers, self._reading = parts, workers, reading
        self._stop, self._progress = stop, progress
        model = parts.models.building() or parts.models.in_force()
        followers = parts.models.followers() if model else ()
        self._served: VectorsFollower | None = next(
            (one for one in followers if model and one.embedder.fingerprint == model.fingerprint), None
        )
        self._model = model

    def __call__(self, root: Root, tasks: Sequence[Task]) -> Iterator[Iterable[Taken]]:
        """Yield the results in groups. The caller stores a group before it requests the next."""
        if not tasks:
            return
        workers, done, total = self._workers, 0, len(tasks)
        settings = self._parts.settings
        home, values = str(settings.home.path), dict(settings.values)
        order = Order(str(root.path), self._reading, home, values, self._model)
        ahead, held = workers.begin(work, order, []), workers.hold(order)
        waiting, flying = _batches(tasks), deque[tuple[Any, Sequence[Task]]]()
        while True:
            for some in islice(waiting, max(0, ahead - len(flying))):
                flying.append((workers.send(work, held, some), some))
            if not flying:
                return
            ref, batch = flying.popleft()
            self._progress(Progress("read", done, total, batch[0].entry.path))
            found: Done | None = workers.outcome(ref)
            if found is None and len(batch) > 1:  # one file may have killed it: bisect
                halves = batch[: len(batch) // 2], batch[len(batch) // 2 :]
                flying.extendleft((workers.send(work, held, half), half) for half in reversed(halves))
                continue
            yield self._group(found or _dead(batch[0]), done, total)
            done += len(batch)

    def _group(self, found: Done, done: int, total: int) -> Iterator[Taken]:
        if found.remark and found.remark not in self.notices:
            self.notices.append(found.remark)
        if self._served and found.vectors:
            self._served.take_over(found.vectors, WAIT)
        for i, one in enumerate(found.files, done):
            check(self._stop)
            self._progress(Progress("read", i, total, one.entry.path))
            yield one


def _dead(task: Task) -> Done:
    problem = Problem(task.entry.path, "each worker that read it has died", "failed")
    return Done([Taken(task.entry, task.scanned, "", 0, problem)])


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
