"""The only writer of stderr: notices, warnings, errors and progress. Also defines the exit codes.

With `--json` each line is a JSON object: `{notice}`, `{warning}` or, last, `{error, hint}`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import click

from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import QuerySyntaxError
from ark_tui.domain.wording import duration, rate
from ark_tui.interfaces.cli.output import cells, console

if TYPE_CHECKING:
    from typing import Self

    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from ark_tui.domain.errors import ArkError
    from ark_tui.domain.protocols import OnProgress
    from ark_tui.domain.work import Progress


LINE_EVERY = 10.0  # seconds between two lines of progress where there is no terminal


class ExitCode(IntEnum):
    """How a command ended."""

    DONE = 0
    """Success, also for a search without hits."""

    FAILED = 1
    """Failure, or problems found by `doctor`; stderr has the reason."""

    USAGE = 2
    """The command line or the configuration cannot be used."""

    STORE = 3
    """The store is locked, missing, broken, read-only or full."""

    INTERRUPTED = 130
    """Ctrl-C. Acknowledged changes are kept."""


class Diagnostics:
    """Writes what a command reports besides its data."""

    def __init__(self, *, as_json: bool = False) -> None:
        self.as_json = as_json
        self._bar: Bar | None = None  # during long work

    @classmethod
    def of(cls, arguments: Sequence[str]) -> Self:
        """Create it for the format that a command line asks for."""
        return cls(as_json="--json" in arguments or "--jsonl" in arguments)

    def notice(self, text: str) -> None:
        """Write a notice."""
        self._say("notice", text)

    def warning(self, text: str) -> None:
        """Write a warning: a part failed, the rest works."""
        self._say("warning", text)

    def error(self, failure: ArkError) -> None:
        """Write an error and its hint."""
        if self.as_json:
            self._line(json.dumps({"error": failure.what, "hint": failure.hint}))
            return
        self._line(f"error: {failure.what}")
        if isinstance(failure, QuerySyntaxError) and failure.line:
            self._line(f"       {failure.line}")
            self._line(f"       {' ' * cells(visible_line(failure.line[: failure.column]))}^")
        if failure.hint:
            self._line(f"       {failure.hint}")

    @contextmanager
    def progress(self) -> Iterator[OnProgress]:
        """Show count, rate and remaining time per stage: as a bar on a terminal, otherwise as lines."""
        if not console().err_is_terminal:
            yield _Lines(self.notice).show
            return
        with _bar() as self._bar:
            yield _Stages(self._bar).show
        self._bar = None

    def settle(self) -> None:
        """Remove the bar before other output."""
        if self._bar is not None:
            self._bar.stop()

    def ask(self, question: str) -> bool:
        """Ask the user a yes/no question; the default is no. Raises `Abort`."""
        self.settle()
        return click.confirm(question, err=True)

    def _say(self, kind: str, text: str) -> None:
        if self.as_json:
            self._line(json.dumps({kind: text}))
        else:
            self._line(f"warning: {text}" if kind == "warning" else text)

    def _line(self, text: str) -> None:
        with suppress(BrokenPipeError):  # the reader has closed stderr
            err = console().err
            err.write((visible_line(text) + "\n").encode("utf-8", "backslashreplace"))
            err.flush()


class _Lines:
    """Writes a progress line every `LINE_EVERY` seconds; nothing for work that ends sooner."""

    def __init__(self, say: Callable[[str], object], clock: Callable[[], float] = time.monotonic) -> None:
        self._say = say
        self._clock = clock
        self._told = clock()
        self._begun: dict[str, tuple[float, int]] = {}  # by stage: time and count of its first report

    def show(self, at: Progress) -> None:
        now = self._clock()
        since, before = self._begun.setdefault(at.stage, (now, at.done))
        if now - self._told < LINE_EVERY:
            return
        self._told = now
        said = [f"{at.stage}: {at.done:,}" + (f" of {at.total:,}" if at.total else "")]
        if at.done > before and now > since:
            speed = (at.done - before) / (now - since)
            said.append(rate(speed))
            if at.total and at.total > at.done:
                said.append(f"{duration((at.total - at.done) / speed)} left")
        self._say(" · ".join(said))


class _Stages:
    """Shows one progress bar per stage."""

    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._rows: dict[str, TaskID] = {}

    def show(self, at: Progress) -> None:
        if at.stage not in self._rows:
            self._rows[at.stage] = self._bar.add_task(at.stage, total=at.total)
        self._bar.update(self._rows[at.stage], completed=at.done, total=at.total)


def _bar() -> Bar:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        """Items per second."""

        def render(self, task: Any) -> Text:
            return Text(rate(task.speed) if task.speed else "", justify="right")

    return Progress(
        TextColumn("{task.description:<8}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
