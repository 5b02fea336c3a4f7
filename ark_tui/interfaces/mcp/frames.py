"""The messages of an assistant, one a line of stdin: bounded while they are read, refused by an answer."""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, TypeAlias

from ark_tui.domain.errors import ArkError
from ark_tui.interfaces.mcp.protocol import INVALID_REQUEST, Connection
from ark_tui.interfaces.reports.shape import LARGEST, Shape, TooMuch

if TYPE_CHECKING:
    from ark_tui.interfaces.mcp.protocol import Tools
    from ark_tui.operations.encoding import Json

    Work: TypeAlias = tuple[object, Callable[[], Json]]

PIECE = 256 * 1024  # bytes looked at at once
ENDS = 400  # bytes at either end of a message that is not read, in which its id is looked for
ID = re.compile(rb'"id"\s*:\s*(\d{1,18}|"[^"\\]{1,100}")')
AT_ONCE = 8  # calls under way


def serve(tools: Tools, greeted: Callable[[], object]) -> None:
    """Serve on stdin and stdout until stdin ends. `greeted` is called once the first answer is out."""
    frames = Frames(_claimed(0, os.open(os.devnull, os.O_RDONLY)), _claimed(1, os.dup(2)))
    connection, calls = Connection(tools), Calls(frames.tell)
    awaited = True
    for message in frames:
        if message.get("method") == "notifications/cancelled":
            calls.drop(message.get("params"))
        answer = connection.hear(message)
        if callable(answer):
            calls.begin(message["id"], partial(answer, frames.tell))
        elif answer is not None:
            frames.tell(answer)
        if awaited and answer is not None:
            awaited = False
            greeted()
    calls.end()


def _claimed(stream: int, instead: int) -> int:
    """A standard stream under another number: what else runs in this process touches no message."""
    sys.stdout.flush()
    private = os.dup(stream)
    os.dup2(instead, stream)
    os.close(instead)
    return private


class Frames:
    """Two files of lines. Those that are too large are answered here, and never read as a whole."""

    def __init__(self, read: int, write: int) -> None:
        self._in = os.fdopen(read, "rb")
        self._out = write
        self._hold = threading.Lock()

    def __iter__(self) -> Iterator[Json]:
        """The messages, until the end."""
        while line := self._in.readline(LARGEST + 1):
            try:
                _check(line)
                message = json.loads(line)
            except ArkError as error:
                self._refuse(line, error)
            except (ValueError, RecursionError):  # no message
                continue
            else:
                if isinstance(message, dict):
                    yield message

    def tell(self, message: Json) -> None:
        """Write a message, unless nobody reads any more."""
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        line = memoryview(text.encode("utf-8", "backslashreplace") + b"\n")
        with self._hold, suppress(BrokenPipeError):
            while line:
                line = line[os.write(self._out, line) :]

    def _refuse(self, line: bytes, error: ArkError) -> None:
        start, end = line[:ENDS], line[-ENDS:]
        while not end.endswith(b"\n") and (more := self._in.readline(PIECE)):
            end = (end + more)[-ENDS:]
        found = ID.search(start) or ID.search(end)
        told = {"code": INVALID_REQUEST, "message": error.told}
        self.tell({"jsonrpc": "2.0", "id": json.loads(found[1]) if found else None, "error": told})


class Calls:
    """Calls that are under way, some at once, each on a thread."""

    def __init__(self, tell: Callable[[Json], object]) -> None:
        self._tell = tell
        self._queue: SimpleQueue[Work | None] = SimpleQueue()
        self._wanted: dict[object, bool] = {}  # by the id of a call that has no answer yet
        self._workers: list[threading.Thread] = []

    def begin(self, id_: object, make: Callable[[], Json]) -> None:
        """Have a thread make an answer, and tell it."""
        self._wanted[id_] = True
        self._queue.put((id_, make))
        if len(self._workers) < min(AT_ONCE, len(self._wanted)):
            self._workers.append(threading.Thread(target=self._work, name="call", daemon=True))
            self._workers[-1].start()

    def drop(self, params: object) -> None:
        """A call is wanted no longer: it gets no answer."""
        id_ = params.get("requestId") if isinstance(params, dict) else None
        if isinstance(id_, int | str) and id_ in self._wanted:
            self._wanted[id_] = False

    def end(self) -> None:
        """Wait until all are answered."""
        for _ in self._workers:
            self._queue.put(None)
        for worker in self._workers:
            worker.join()

    def _work(self) -> None:
        while one := self._queue.get():
            id_, make = one
            answer = make() if self._wanted[id_] else {}
            if self._wanted.pop(id_):
                self._tell(answer)


def _check(line: bytes) -> None:
    """Raise for a message that is longer, deeper or fuller than any call needs to be."""
    if len(line) > LARGEST:
        raise TooMuch(f"A message may have {LARGEST >> 20} MB.", "Send it in several parts.")
    shape = Shape()
    for at in range(0, len(line), PIECE):
        shape.feed(line[at : at + PIECE])
