"""Jobs in rows at the bottom: work, progress, rate, time left, and keys."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rich.style import Style

from ark_tui import operations
from ark_tui.domain.display import visible_line
from ark_tui.domain.jobs import UNSEEN, WATCH, JobEntry
from ark_tui.domain.wording import duration, rate
from ark_tui.interfaces.tui.state import strings
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.widgets import ink, signal_bar
from ark_tui.interfaces.tui.widgets.requesting import Requesting
from ark_tui.interfaces.tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.timer import Timer

    from ark_tui.domain.work import Progress
    from ark_tui.interfaces.tui.state.context import PaneContext

BAR = 16
MOST = 4
"""Visible rows; the others are reached by scrolling."""

LEAST_SECONDS = 1.0
"""Minimum elapsed time for estimating a rate."""

TRACK = "░"
"""The unfilled part of a bar."""

SERVED = "embedding"

UNITS = {"read": "files"}
"""The unit that a stage counts; others count passages."""

STAGES = {"scan": "looking", "read": "reading", "words": "words", "vectors": "vectors", "wait": "waiting"}


class WorkRows(Requesting, RowList):
    """The jobs that deserve a row. Hidden if there are none."""

    BORDER_TITLE = strings.JOBS

    def __init__(self, context: PaneContext) -> None:
        super().__init__(id="work")
        self.context = context
        self._rows: list[JobEntry] = []
        self._states: list[tuple[str, str, bool]] = []  # of all jobs, as shown
        self.half = ""  # progress of an incomplete index
        self._unseen: Timer | None = None  # until jobs without a row are checked again

    @property
    def count(self) -> int:
        return len(self._rows)

    @property
    def job(self) -> JobEntry | None:
        """The job under the cursor."""
        return self._rows[self.cursor] if self.cursor < self.count else None

    # -- actions on the job under the cursor ---------------------------------------------------------

    def stop(self) -> bool:
        """Cancel the job. Return False if there is none."""
        job = self.job
        if job is not None:
            self.request(act(operations.jobs.cancel, job.id), group="wishes", exclusive=False)
        return job is not None

    def turn(self) -> bool:
        """Pause or resume the job. Return False if there is none."""
        job = self.job
        if job is not None:
            turn = operations.jobs.resume if job.state == "paused" else operations.jobs.pause
            self.request(act(turn, job.id), group="wishes", exclusive=False)
        return job is not None

    # -- updates of jobs -----------------------------------------------------------------------------

    def turned(self) -> bool:
        """Whether a job has started, paused, resumed or ended since the last update."""
        return self._states != states_of(self.context.opening.jobs)

    def show(self) -> str:
        """Update the rows. Return the progress of the folder that is being indexed."""
        jobs = self.context.opening.jobs
        self._states = states_of(jobs)
        before, self._rows = self._rows, [job for job in jobs if job.visible]
        if before != self._rows:
            here = before[self.cursor] if self.cursor < len(before) else None
            self.display = bool(self._rows)
            self.styles.height = min(MOST, max(1, self.count))
            self.rows_changed()
            self.cursor = self._rows.index(here) if here in self._rows else min(self.cursor, self.count - 1)
        self.refresh()
        if self._unseen is None and any(unseen(job) for job in jobs):
            self._unseen = self.set_timer(UNSEEN, self._look_again)
        reading = next((job for job in jobs if job.kind == "index" and job.state == "running"), None)
        self.half = next(filter(None, map(half_of, self._rows)), "")
        return state(reading) if reading else ""

    def _look_again(self) -> None:
        """Check again: jobs without a row may have become long ones without reporting progress."""
        self._unseen = None
        self.show()

    # -- drawing -------------------------------------------------------------------------------------

    def line(self, row: int, part: int, width: int) -> list[ink.Piece]:
        del part
        keys = self.context.keys
        pause, stop = keys["everywhere.pause"], keys["everywhere.stop"]
        return work_line(
            self._rows[row], width, pause, stop, here=row == self.cursor, muted=self.ink("muted")
        )


def states_of(jobs: Iterable[JobEntry]) -> list[tuple[str, str, bool]]:
    """The state of each job, and whether it deserves a row."""
    return [(job.id, job.state, job.visible) for job in jobs]


def unseen(job: JobEntry) -> bool:
    """Whether a job may get a row merely because time passes."""
    return job.state == "running" and not job.visible and job.kind != WATCH


def work_line(
    job: JobEntry, width: int, pause: str, stop: str, *, here: bool, muted: Style
) -> list[ink.Piece]:
    """The line of a job in pieces, at most `width` cells, with its keys."""
    bold = Style(bold=True)
    end = ""
    if here:
        turn = "resume" if job.state == "paused" else "pause"
        end = strings.JOB_KEYS.format(pause=pause, turn=turn, stop=stop)
    room = width - len(end)
    left = ink.shorten(f"{visible_line(job.title)}  {state(job)}", room)
    pieces: list[ink.Piece] = [(left, Style.null())]
    room -= ink.cells(pieces)
    at = job.progress
    if at and at.total and room > BAR + 2:
        bar = signal_bar.solid(at.done / at.total, BAR).rstrip()
        pieces += [(f"  {bar}", bold), (TRACK * (BAR - len(bar)), muted)]
        room -= BAR + 2
    if at and at.note and job.state == "running" and room > 12:
        pieces.append((f"  {ink.shorten_start(visible_line(at.note), room - 3)}", muted))
    return ink.justified(pieces, [(end, bold)], width)


def state(job: JobEntry) -> str:
    """The progress of a job, in words."""
    if job.state == "waiting":
        return strings.JOB_WAITS
    if job.wish:
        return "pausing …" if job.wish == "pause" else "stopping …"
    if job.state == "paused":
        return f"paused · {described(_named(job), 0)}" if job.progress else "paused"
    return described(_named(job), job.seconds, job.before)


def half_of(job: JobEntry) -> str:
    """`Half an index: 412 of 1,925 files, 12 s left`; empty for jobs that keep the index complete."""
    at = job.progress
    if at is None or not at.total or at.done >= at.total or job.lane not in {"files", "vectors"}:
        return ""
    unit = UNITS.get(at.stage, "passages")
    left = _left(at, job.seconds, job.before) if job.state == "running" else ""
    return strings.PARTIAL_RESULTS.format(
        done=at.done, total=at.total, unit=unit, left=f", {left}" if left else strings.ARE_PARTIAL
    )


def _named(job: JobEntry) -> Progress | None:
    """The progress of a job, without the name of a served model, which the row contains."""
    at = job.progress
    foreign = at is not None and at.stage not in STAGES and job.lane != "shape"
    return replace(at, stage=SERVED) if at is not None and foreign else at


def described(at: Progress | None, seconds: float, before: int = 0) -> str:
    """`reading 120 of 500 · 34/s · 11 s left`. `before`: items done before the `seconds` began."""
    if at is None:
        return "starting"
    stage = STAGES.get(at.stage, visible_line(at.stage))
    if at.stage == "wait":
        return stage
    said = [f"{stage} {at.done} of {at.total}" if at.total else f"{stage} {at.done}"]
    if seconds >= LEAST_SECONDS and at.done > before:
        speed = (at.done - before) / seconds
        said.append(rate(speed))
        said += filter(None, [_left(at, seconds, before)])
    return " · ".join(said)


def _left(at: Progress, seconds: float, before: int) -> str:
    """The estimated time left, if the estimate is reliable."""
    if seconds < LEAST_SECONDS or at.done <= before or not at.total or at.total <= at.done:
        return ""
    return f"{duration((at.total - at.done) * seconds / (at.done - before))} left"
