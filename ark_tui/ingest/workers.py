"""Worker processes that parse files into documents and chunks.

Parsing holds the GIL: in this process, it would block the threads that serve requests. A worker receives
bytes and returns documents; it opens neither the store nor the folder. It runs at low priority and exits when
idle. If a file crashes its worker, that file becomes a problem.
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
from typing import TYPE_CHECKING, Any, NamedTuple

from ark_tui.domain import children
from ark_tui.domain.documents import Draft
from ark_tui.domain.work import Problem
from ark_tui.ingest.reading import Reading
from ark_tui.ingest.taking import Cut, Rules, cut
from ark_tui.ingest.walk import Entry

if TYPE_CHECKING:
    from msgspec.msgpack import Decoder

COUNT = min(4, os.cpu_count() or 1)  # processes
LITTLE = 1 << 20  # bytes up to which files are parsed in this process
BATCH_FILES, BATCH_BYTES = 32, 256 << 10  # size of one batch
NICE = 10
SECONDS = 120.0  # timeout of one batch
MEMORY = 2 << 30  # bytes: RLIMIT_DATA of one worker
DIED = "its reader died"


class Order(NamedTuple):
    """A file to parse: its entry, the rules that apply to it, its bytes."""

    entry: Entry
    rules: Rules
    data: bytes


class Workers:
    """The workers of one run. Not thread-safe."""

    def __init__(self, reading: Reading) -> None:
        self._how = (reading.strategy, reading.max_tokens, reading.overlap, reading.max_bytes)
        self._free: SimpleQueue[_Worker] = SimpleQueue()
        self._all = [_Worker(__name__) for _ in range(COUNT)]
        for worker in self._all:
            self._free.put(worker)
        self._over = False
        with _building:
            _answers()  # before threads use it
        self._threads = ThreadPoolExecutor(COUNT, thread_name_prefix="workers")
        self._flying: deque[Future[list[Cut]]] = deque()

    def cut(self, orders: Iterable[Order]) -> Iterator[Cut]:
        """Parse files in parallel; yield the results in order."""
        for batch in _batches(orders):
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

    def _ask(self, batch: Sequence[Order]) -> list[Cut]:
        worker = self._free.get()
        try:
            return worker.ask(self._how, batch)
        except (OSError, EOFError):
            worker.end()
            if self._over or len(batch) == 1:
                return [Problem(batch[0].entry.path, DIED)]
        finally:
            self._free.put(worker)
        return [one for order in batch for one in self._ask([order])]  # one by one, to find the file at fault


@contextmanager
def opened(reading: Reading, size: int) -> Iterator[Callable[[Iterable[Order]], Iterator[Cut]]]:
    """A function that parses files: in worker processes, or in this one for a small total size."""
    if size <= LITTLE or reading.measure is not None:
        yield lambda orders: (cut(order.entry, order.rules, order.data, reading) for order in orders)
        return
    workers = Workers(reading)
    try:
        yield workers.cut
    finally:
        workers.close()


class _Worker(children.Child):
    """One worker process."""

    def ask(self, how: tuple[Any, ...], batch: Sequence[Order]) -> list[Cut]:
        """Parse a batch of files. Raises `OSError` or `EOFError` if the process does not respond."""
        import msgspec

        answer = self.exchange(msgspec.msgpack.encode((how, batch)), SECONDS)
        return [problem or drafts for drafts, problem in _answers().decode(answer)]


_building = threading.Lock()
"""Lock for building decoders: msgspec crashes if two threads build one of the same types at once."""


@cache
def _answers() -> Decoder[list[tuple[tuple[Draft, ...], Problem | None]]]:
    from msgspec.msgpack import Decoder

    return Decoder(list[tuple[tuple[Draft, ...], Problem | None]])


def _batches(orders: Iterable[Order]) -> Iterator[list[Order]]:
    batch: list[Order] = []
    size = 0
    for order in orders:
        batch.append(order)
        size += len(order.data)
        if len(batch) >= BATCH_FILES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


# -- worker process ----------------------------------------------------------------------------


def main() -> None:
    """Answer with the documents of files, at low priority."""
    import msgspec

    decoder: Decoder[tuple[tuple[Any, ...], list[Order]]] = msgspec.msgpack.Decoder(
        tuple[tuple[Any, ...], list[Order]]
    )

    def answer(message: bytes) -> bytes:
        how, batch = decoder.decode(message)
        reading = Reading(*how)
        found = [cut(order.entry, order.rules, order.data, reading) for order in batch]
        return msgspec.msgpack.encode(
            [((), one) if isinstance(one, Problem) else (one, None) for one in found]
        )

    with suppress(OSError):
        os.nice(NICE)
    children.serve(MEMORY, answer)


if __name__ == "__main__":
    main()
