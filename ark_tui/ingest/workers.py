"""Worker processes that cut files into documents and chunks.

Cutting is Python's own work: done here, it would hold up every thread that answers a person. A worker gets
bytes and answers with documents; it opens neither the store nor the folder, stands back for other processes,
and ends by itself when nothing comes. A file that ends its worker is a problem of that file.
"""

from __future__ import annotations

import os
import resource
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from ark_tui.domain import children
from ark_tui.domain.children import readable
from ark_tui.domain.documents import Draft
from ark_tui.domain.work import Problem
from ark_tui.ingest.reading import Reading
from ark_tui.ingest.taking import Cut, Rules, cut
from ark_tui.ingest.walk import Entry

if TYPE_CHECKING:
    from msgspec.msgpack import Decoder

COUNT = min(4, os.cpu_count() or 1)  # processes
LITTLE = 1 << 20  # bytes up to which no process is worth starting
BATCH_FILES, BATCH_BYTES = 32, 256 << 10  # of one order
NICE = 10
IDLE = 60.0  # seconds without an order, after which a worker ends
SECONDS = 120.0  # for one order
MEMORY = 2 << 30  # bytes of data of one worker
DIED = "its reader died"


class Order(NamedTuple):
    """A file to cut: its place, what the rules of its folder say of it, its bytes."""

    entry: Entry
    rules: Rules
    data: bytes


class Workers:
    """Workers for one run of reading. Not thread-safe."""

    def __init__(self, reading: Reading) -> None:
        self._how = (reading.strategy, reading.max_tokens, reading.overlap, reading.max_bytes)
        self._free: SimpleQueue[_Worker] = SimpleQueue()
        self._all = [_Worker() for _ in range(COUNT)]
        for worker in self._all:
            self._free.put(worker)
        self._over = False
        with _building:
            _answers()  # before the threads want it
        self._threads = ThreadPoolExecutor(COUNT, thread_name_prefix="workers")
        self._flying: deque[Future[list[Cut]]] = deque()

    def cut(self, orders: Iterable[Order]) -> Iterator[Cut]:
        """What comes of files, in their order, while the next ones are being cut."""
        for batch in _batches(orders):
            self._flying.append(self._threads.submit(self._ask, batch))
            if len(self._flying) >= 2 * COUNT:
                yield from self._flying.popleft().result()
        while self._flying:
            yield from self._flying.popleft().result()

    def close(self) -> None:
        """End the workers, whatever they are at."""
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
        return [one for order in batch for one in self._ask([order])]  # which of them was it?


@contextmanager
def opened(reading: Reading, size: int) -> Iterator[Callable[[Iterable[Order]], Iterator[Cut]]]:
    """What cuts files of so many bytes in all: processes, or this one where that is little."""
    if size <= LITTLE or reading.measure is not None:
        yield lambda orders: (cut(order.entry, order.rules, order.data, reading) for order in orders)
        return
    workers = Workers(reading)
    try:
        yield workers.cut
    finally:
        workers.close()


class _Worker:
    """One process, started for its first order."""

    def __init__(self) -> None:
        self._child: children.Popen[bytes] | None = None

    def ask(self, how: tuple[Any, ...], batch: Sequence[Order]) -> list[Cut]:
        """What comes of files. Raises `OSError` or `EOFError` where the process does not answer."""
        import msgspec

        if self._child is not None and self._child.poll() is not None:
            self.end()  # nothing came for a while
        child = self._child = self._child or _started()
        assert child.stdin
        assert child.stdout
        _write(child.stdin, msgspec.msgpack.encode((how, batch)))
        if not readable([child.stdout], SECONDS):
            raise TimeoutError
        return [problem or drafts for drafts, problem in _answers().decode(_read(child.stdout))]

    def kill(self) -> None:
        """Let it answer nothing more; `end` is still to be called."""
        if (child := self._child) is not None:
            child.kill()

    def end(self) -> None:
        """End it, if there is one."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            with suppress(OSError), child:  # whose pipes are closed
                pass


def _started() -> children.Popen[bytes]:
    return children.start_python(
        __name__, stdin=children.PIPE, stdout=children.PIPE, stderr=children.DEVNULL, start_new_session=True
    )


_building = threading.Lock()
"""msgspec crashes the process where two threads build a decoder of the same types at once."""


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


def _write(to: IO[bytes], data: bytes) -> None:
    to.write(len(data).to_bytes(8, "big") + data)
    to.flush()


def _read(source: IO[bytes]) -> bytes:
    """A message. Raises `EOFError` where there is none, or only a part."""
    head = source.read(8)
    size = int.from_bytes(head, "big")
    data = source.read(size) if len(head) == 8 else b""
    if len(head) != 8 or len(data) != size:
        raise EOFError
    return data


# -- the process itself ----------------------------------------------------------------------------


def serve(orders: IO[bytes], answers: IO[bytes]) -> None:
    """Answer until no more orders come."""
    import msgspec

    decoder: Decoder[tuple[tuple[Any, ...], list[Order]]] = msgspec.msgpack.Decoder(
        tuple[tuple[Any, ...], list[Order]]
    )
    while readable([orders], IDLE):
        try:
            how, batch = decoder.decode(_read(orders))
        except EOFError:
            return
        reading = Reading(*how)
        found = [cut(order.entry, order.rules, order.data, reading) for order in batch]
        told = [((), one) if isinstance(one, Problem) else (one, None) for one in found]
        _write(answers, msgspec.msgpack.encode(told))


def main() -> None:
    """Serve within the limits."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError):
        os.nice(NICE)
    answers, sys.stdout = sys.stdout.buffer, sys.stderr  # to which no library may write
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
