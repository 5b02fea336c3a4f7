"""Worker processes that parse files into documents and chunks.

Parsing holds the GIL: in this process, it would block the threads that serve requests. A worker reads files
of the folder and returns documents; it never opens the store. It runs at low priority and exits when idle. If
a file crashes its worker, that file becomes a problem.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from ark_tui.domain import children
from ark_tui.domain.work import Problem
from ark_tui.ingest.reading import Reading
from ark_tui.ingest.taking import Taken, Task, take
from ark_tui.settings.tree import Tree

if TYPE_CHECKING:
    from msgspec.msgpack import Decoder

COUNT = min(4, os.cpu_count() or 1)  # processes
LITTLE = 1 << 20  # bytes up to which files are parsed in this process
BATCH_FILES, BATCH_BYTES = 32, 256 << 10  # size of one batch
NICE = 10
SECONDS = 120.0  # timeout of one batch
MEMORY = 2 << 30  # bytes: RLIMIT_DATA of one worker
DIED = "its reader died"


class Workers:
    """The workers of one run. Not thread-safe."""

    def __init__(self, tree: Tree, reading: Reading) -> None:
        self._how = (str(tree.path), reading.strategy, reading.max_tokens, reading.overlap, reading.max_bytes)
        self._free: SimpleQueue[_Worker] = SimpleQueue()
        self._all = [_Worker(__name__) for _ in range(COUNT)]
        for worker in self._all:
            self._free.put(worker)
        self._over = False
        with _building:
            _answers()  # before threads use it
        self._threads = ThreadPoolExecutor(COUNT, thread_name_prefix="workers")
        self._flying: deque[Future[list[Taken]]] = deque()

    def take(self, tasks: Iterable[Task]) -> Iterator[Taken]:
        """Read files in parallel; yield the results in order."""
        for batch in _batches(tasks):
            self._flying.append(self._threads.submit(self._ask, batch))
            if len(self._flying) >= 2 * COUNT:
                yield from self._flying.popleft().result()
        while self._flying:
            yield from self._flying.popleft().result()

    def close(self) -> None:
        """Stop all workers at once; running work is lost."""
        self._over = True
        for worker in self._all:
            worker.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._all:
            worker.end()

    def _ask(self, batch: Sequence[Task]) -> list[Taken]:
        worker = self._free.get()
        try:
            return worker.ask(self._how, batch)
        except (OSError, EOFError):
            worker.end()
            if self._over or len(batch) == 1:
                entry, scanned, *_ = batch[0]
                return [Taken(entry, scanned, "", 0, Problem(entry.path, DIED))]
        finally:
            self._free.put(worker)
        return [one for task in batch for one in self._ask([task])]  # one by one, to find the file at fault


@contextmanager
def opened(tree: Tree, reading: Reading, size: int) -> Iterator[Callable[[Iterable[Task]], Iterator[Taken]]]:
    """A function that reads files: in worker processes, or in this one for a small total size."""
    if size <= LITTLE or reading.measure is not None:
        yield lambda tasks: (take(tree, task, reading) for task in tasks)
        return
    workers = Workers(tree, reading)
    try:
        yield workers.take
    finally:
        workers.close()


class _Worker(children.Child):
    """One worker process."""

    def ask(self, how: tuple[Any, ...], batch: Sequence[Task]) -> list[Taken]:
        """Read a batch of files. Raises `OSError` or `EOFError` if the process does not respond."""
        import msgspec

        return _answers().decode(self.exchange(msgspec.msgpack.encode((how, batch)), SECONDS))


_building = threading.Lock()
"""Lock for building decoders: msgspec crashes if two threads build one of the same types at once."""


@cache
def _answers() -> Decoder[list[Taken]]:
    from msgspec.msgpack import Decoder

    return Decoder(list[Taken])


def _batches(tasks: Iterable[Task]) -> Iterator[list[Task]]:
    batch: list[Task] = []
    size = 0
    for task in tasks:
        batch.append(task)
        size += task.entry.size
        if len(batch) >= BATCH_FILES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


# -- worker process ----------------------------------------------------------------------------


def main() -> None:
    """Answer with the documents of files, at low priority."""
    import msgspec

    decoder: Decoder[tuple[tuple[Any, ...], list[Task]]] = msgspec.msgpack.Decoder(
        tuple[tuple[Any, ...], list[Task]]
    )

    def answer(message: bytes) -> bytes:
        (root, *how), batch = decoder.decode(message)
        with Tree(root) as tree:
            return msgspec.msgpack.encode([take(tree, task, Reading(*how)) for task in batch])

    with suppress(OSError):
        os.nice(NICE)
    children.serve(MEMORY, answer)


if __name__ == "__main__":
    main()
