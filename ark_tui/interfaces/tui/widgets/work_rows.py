"""Jobs in rows at the bottom: work, progress, rate, time left, and keys."""

from __future__ import annotations

from dataclasses import replace

from rich.style import Style

from ark_tui import operations
from ark_tui.domain.display import visible_line
from ark_tui.domain.jobs import JobEntry
from ark_tui.domain.wording import duration, rate
from ark_tui.domain.work import Progress
from ark_tui.interfaces.tui.state import strings
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.state.context import PaneContext
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.requesting import Requesting
from ark_tui.interfaces.tui.widgets.row_list import Rows

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


class WorkRows(Requesting, Rows[JobEntry]):
    """The jobs that deserve a row. Hidden if there are none."""

    KEY = "id"
    BORDER_TITLE = "Jobs"

    def __init__(self, context: PaneContext) -> None:
        super().__init__("work")
        self.context = context
        self._shown: list[object] = []  # the state of all jobs, as shown
        self.half = ""  # progress of an incomplete index

    def stop(self) -> bool:
        """Cancel the job. Return False if there is none."""
        job = self.here
        if job is not None:
            self.request(act(operations.jobs.cancel, job.id), group="wishes", exclusive=False)
        return job is not None

    def turn(self) -> bool:
        """Pause or resume the job. Return False if there is none."""
        job = self.here
        if job is not None:
            turn = operations.jobs.resume if job.state == "paused" else operations.jobs.pause
            self.request(act(turn, job.id), group="wishes", exclusive=False)
        return job is not None

    def changed(self) -> bool:
        """Whether a job has started, progressed or ended since the last call."""
        before = self._shown
        jobs = self.context.opening.jobs
        self._shown = [(job.id, job.state, job.wish, job.progress, job.visible) for job in jobs]
        return self._shown != before

    def show(self) -> str:
        """Update the rows. Return the progress of the folder that is being indexed."""
        jobs = self.context.opening.jobs
        visible = tuple(job for job in jobs if job.visible)
        if visible != self.rows:
            self.display = bool(visible)
            self.styles.height = min(MOST, max(1, len(visible)))
            self.put(visible, keep=True)
        self.refresh()
        reading = next((job for job in jobs if job.kind == "index" and job.state == "running"), None)
        self.half = next(filter(None, map(half_of, self.rows)), "")
        return state(reading) if reading else ""

    def pieces(self, row: JobEntry, _part: int, width: int) -> list[ink.Piece]:
        bold, muted, keys, end = Style(bold=True), self.ink("muted"), self.context.keys, ""
        if row is self.here:
            turn = "resume" if row.state == "paused" else "pause"
            end = f"  {keys['everywhere.pause']} {turn}  {keys['everywhere.stop']} stop"
        room = width - len(end)
        pieces = [(ink.shorten(f"{visible_line(row.title)}  {state(row)}", room), Style.null())]
        room -= ink.cells(pieces)
        at = row.progress
        if at and at.total and room > BAR + 2:
            bar = ink.solid(at.done / at.total, BAR).rstrip()
            pieces += [(f"  {bar}", bold), (TRACK * (BAR - len(bar)), muted)]
            room -= BAR + 2
        if at and at.note and row.state == "running" and room > 12:
            pieces.append((f"  {ink.shorten_start(visible_line(at.note), room - 3)}", muted))
        return ink.justified(pieces, [(end, bold)], width)


def state(job: JobEntry) -> str:
    """The progress of a job, in words."""
    if job.state == "waiting":
        return "waiting"
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
