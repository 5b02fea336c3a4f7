"""Indexing as the workbench does it: in a child process, so that no parser takes the screen with it."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import ArkError, Cancelled
from ark_tui.domain.work import IndexReport, Problem, Progress

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LONGEST_LINE = 1 << 27
"""Bytes of one event; the report lists every file that was left out."""

GRACE = 10.0
"""Seconds that a child which was asked to stop has for the batch at hand."""


@dataclass(frozen=True, slots=True)
class Task:
    """A folder to be indexed; `collection` is what it is called, where it is known already."""

    folder: Path
    collection: str = ""

    @property
    def title(self) -> str:
        return self.collection or self.folder.name or str(self.folder)


class Indexing:
    """One child process, from its start to its report."""

    def __init__(self, home: Path, task: Task) -> None:
        self.task = task
        self.progress: Progress | None = None
        self._home = home
        self._stage_began = time.monotonic()
        self._process: Process | None = None
        self._stopped = False

    @property
    def seconds(self) -> float:
        """Since the present stage began."""
        return time.monotonic() - self._stage_began

    async def run(self, moved: Callable[[], None]) -> IndexReport:
        """Index; calls `moved` at every step. Raises what the child said, and `Cancelled` when stopped."""
        self._process = process = await asyncio.create_subprocess_exec(
            *self._command(), stdin=asyncio.subprocess.DEVNULL, stdout=PIPE, stderr=PIPE,
            limit=LONGEST_LINE, start_new_session=True,
        )  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        if self._stopped:
            self._ask(signal.SIGINT)
        said = asyncio.create_task(process.stderr.read())
        report: IndexReport | None = None
        try:
            async for line in process.stdout:
                event = _event(line)
                if event.get("event") == "report":
                    report = _report(event)
                elif event.get("event") == "progress":
                    self._move(event)
                    moved()
            await process.wait()
        finally:
            if process.returncode is None:
                self._ask(signal.SIGINT)
        if report is not None:
            return report
        raise self._failure((await said).decode("utf-8", "replace"), process.returncode)

    def stop(self) -> None:
        """Ask the child to end after the batch at hand, and end it if it does not."""
        self._stopped = True
        self._ask(signal.SIGINT)
        with suppress(RuntimeError):  # there is no loop any more: the program is ending
            asyncio.get_running_loop().call_later(GRACE, self._ask, signal.SIGKILL)

    def _ask(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.send_signal(number)

    def _command(self) -> list[str]:
        options = ("index", "--jsonl", "--home", str(self._home))
        return [sys.executable, "-m", "ark_tui", *options, "--", str(self.task.folder)]

    def _move(self, event: dict[str, Any]) -> None:
        at = Progress(str(event["stage"]), int(event["done"]), event["total"], str(event["note"]))
        if self.progress is None or self.progress.stage != at.stage:
            self._stage_began = time.monotonic()
        self.progress = at

    def _failure(self, said: str, code: int | None) -> ArkError:
        if self._stopped:
            return Cancelled("Indexing stopped.", "What was read is kept; index the folder again to go on.")
        for line in reversed(said.splitlines()):
            event = _event(line.encode())
            if "error" in event:
                return ArkError(str(event["error"]), str(event.get("hint", "")))
        ended = f"was ended by signal {-code}" if code is not None and code < 0 else f"ended with code {code}"
        return ArkError(
            f"Indexing {self.task.title} {ended}.",
            "What was read is kept; `ark-tui index` in a terminal shows more.",
        )


def _event(line: bytes) -> dict[str, Any]:
    """A line of the stream; what is no event counts as an empty one."""
    try:
        read = json.loads(line)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


COUNTS = {field.name for field in fields(IndexReport)} - {"collections", "problems", "notices"}


def _report(event: dict[str, Any]) -> IndexReport:
    return IndexReport(
        collections=tuple(event.get("collections", ())),
        problems=tuple(Problem(p["path"], p["reason"], p["state"]) for p in event.get("problems", ())),
        notices=tuple(event.get("notices", ())),
        **{name: value for name, value in event.items() if name in COUNTS},
    )


def summary(report: IndexReport) -> str:
    """`3 added, 1 changed, 2 skipped`, or that nothing was new."""
    names = ("added", "changed", "renamed", "removed", "skipped", "failed")
    said = [f"{count} {name}" for name in names if (count := getattr(report, name))]
    return ", ".join(said) if said else "nothing was new"
