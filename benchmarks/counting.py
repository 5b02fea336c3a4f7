"""Runs one command and counts what it does: `python -m benchmarks.counting FILE ark-tui's arguments`.

What is counted does not depend on how fast the machine is or what else it does: Python's calls, modules,
calls into native libraries, statements, rows, leases, files opened and renamed, bytes written.
"""

from __future__ import annotations

import json
import math
import os
import runpy
import sys
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

NATIVE = ("tantivy", "tokenizers", "lance", "lancedb")  # those whose calls Python tells of

counts: Counter[str] = Counter()


def main(file: Path, arguments: list[str]) -> None:
    """Run `ark-tui` with these arguments; what was counted goes to a file, as JSON."""
    _count_statements()
    _steady(arguments)
    sys.argv = ["ark-tui", *arguments]
    leave, done = os._exit, partial(_write, file)
    os._exit = lambda code: _leave(done, leave, code)  # type: ignore[assignment]
    sys.addaudithook(_seen)
    threading.setprofile(_called)
    sys.setprofile(_called)
    try:
        runpy.run_module("ark_tui", run_name="__main__")
    finally:
        sys.setprofile(None)
        done()


def _steady(arguments: list[str]) -> None:
    """Take the clock out of indexing: pieces of work grow alike, and indexes follow when files are read."""
    from ark_tui.store import pace

    pace.AIM = math.inf
    if arguments[0] == "index":
        from ark_tui.engine import following

        following.LEAST_BETWEEN = threading.TIMEOUT_MAX


def _leave(done: Callable[[], None], leave: Callable[[int], NoReturn], code: int) -> NoReturn:
    """A command that ends without clearing up has been counted, too."""
    done()
    leave(code)


def _write(file: Path) -> None:
    counts["modules"] = len(sys.modules)
    io = dict(line.split(": ") for line in Path("/proc/self/io").read_text("ascii").splitlines())
    counts["bytes written"] = int(io["wchar"])
    file.write_text(json.dumps(counts), "utf-8")


def _called(_: FrameType, event: str, callee: Any) -> None:
    if event == "call":
        counts["Python calls"] += 1
    elif event == "c_call":
        owner = getattr(callee, "__self__", None)
        kind = owner if isinstance(owner, type) else type(owner)
        if (library := kind.__module__.partition(".")[0]) in NATIVE:
            counts[f"{library} calls"] += 1


def _seen(event: str, given: tuple[Any, ...]) -> None:
    if event == "open" and isinstance(given[0], str):
        if given[0].endswith(".md"):
            counts["notes opened"] += 1
        elif given[0].startswith(os.environ["ARK_HOME"]):
            counts["files of the home opened"] += 1
    elif event == "os.rename":
        counts["files published"] += 1


def _count_statements() -> None:
    """Leases, statements, the rows that they return: the store is asked by one class."""
    from ark_tui.store.lease import Lease
    from ark_tui.store.store import Store

    made, attached = Lease.__init__, Store._attached  # noqa: SLF001

    def begin(self: Lease, connection: Any, *given: Any) -> None:
        made(self, _Counted(connection), *given)  # type: ignore[arg-type]

    @contextmanager
    def lease(self: Store, *, read_only: bool) -> Any:
        counts["leases to read" if read_only else "leases to write"] += 1
        with attached(self, read_only=read_only) as given:
            yield given

    Lease.__init__ = begin  # type: ignore[assignment, method-assign]
    Store._attached = lease  # type: ignore[method-assign]  # noqa: SLF001


class _Counted:
    """A connection whose statements, and the rows that they return, are counted."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, *given: Any) -> Any:
        """Count a statement."""
        counts["statements"] += 1
        return _Rows(self._connection.execute(*given))


class _Rows:
    def __init__(self, result: Any) -> None:
        self._result = result

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._result, name)
        return partial(_fetched, found) if name.startswith("fetch") else found


def _fetched(fetch: Callable[..., Any], *given: Any) -> Any:
    rows = fetch(*given)
    columns = next(iter(rows.values()), ()) if isinstance(rows, dict) else rows
    counts["rows read"] += len(columns) if hasattr(columns, "__len__") else columns is not None
    return rows


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
