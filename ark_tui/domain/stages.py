"""Timing of long-running jobs, by stage of each concurrent line of work."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StageTime:
    """The time spent in a stage of a line. Time without CPU use is waiting: disk, store lock, other lines."""

    line: str  # "files", "words", "vectors"
    stage: str
    seconds: float  # wall-clock time, without nested stages
    processor_s: float  # CPU time of the thread itself, without native threads
    times: int  # how often it was entered

    @property
    def waited_s(self) -> float:
        """Seconds spent waiting."""
        return max(0.0, self.seconds - self.processor_s)


class Stages:
    """Measures the stages of one line. Time counts for the innermost open stage."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._taken: dict[str, list[float]] = {}  # seconds, CPU seconds, entries
        self._open: list[str] = []
        self._since = (0.0, 0.0)

    @contextmanager
    def at(self, stage: str) -> Iterator[None]:
        """Enter a stage, nested in the current one, if any."""
        self._turn()
        self._open.append(stage)
        self._taken.setdefault(stage, [0.0, 0.0, 0])[2] += 1
        try:
            yield
        finally:
            self._turn()
            self._open.pop()

    def _turn(self) -> None:
        """Add the time since the last call to the current stage."""
        now = time.perf_counter(), time.thread_time()
        if self._open:
            taken = self._taken[self._open[-1]]
            taken[0] += now[0] - self._since[0]
            taken[1] += now[1] - self._since[1]
        self._since = now

    def told(self) -> tuple[StageTime, ...]:
        """The measured times, in the order in which the stages were first entered."""
        return tuple(
            StageTime(self._line, stage, round(seconds, 3), round(processor, 3), int(times))
            for stage, (seconds, processor, times) in self._taken.items()
        )
