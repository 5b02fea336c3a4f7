"""Where the time of long work goes: each line of it, which runs beside the others, stage by stage."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StageTime:
    """What a stage took of its line. What is not the processor's was waited for: disk, lease, other lines."""

    line: str  # "files", "words", "vectors"
    stage: str
    seconds: float  # by the clock, without the stages within it
    processor_s: float  # of the thread that does it; what native threads do beside it is not counted
    times: int  # it was entered

    @property
    def waited_s(self) -> float:
        """Seconds in which the line stood."""
        return max(0.0, self.seconds - self.processor_s)


class Stages:
    """Measures the stages of one line. Every moment counts for the innermost stage that it is in."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._taken: dict[str, list[float]] = {}  # seconds, those of the processor, times
        self._open: list[str] = []
        self._since = (0.0, 0.0)

    @contextmanager
    def at(self, stage: str) -> Iterator[None]:
        """Be at a stage, within the one before."""
        self._turn()
        self._open.append(stage)
        self._taken.setdefault(stage, [0.0, 0.0, 0])[2] += 1
        try:
            yield
        finally:
            self._turn()
            self._open.pop()

    def _turn(self) -> None:
        """Count what has passed since the last turn for the stage at hand."""
        now = time.perf_counter(), time.thread_time()
        if self._open:
            taken = self._taken[self._open[-1]]
            taken[0] += now[0] - self._since[0]
            taken[1] += now[1] - self._since[1]
        self._since = now

    def told(self) -> tuple[StageTime, ...]:
        """What was measured, in the order in which the stages were first entered."""
        return tuple(
            StageTime(self._line, stage, round(seconds, 3), round(processor, 3), int(times))
            for stage, (seconds, processor, times) in self._taken.items()
        )
