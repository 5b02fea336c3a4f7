"""Milliseconds per stage of a search."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


@dataclass(slots=True)
class Timer:
    """A stopwatch with laps."""

    start: float = field(default_factory=time.perf_counter)
    laps: list[tuple[str, float]] = field(default_factory=list)
    last: float = field(default_factory=time.perf_counter)

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps.append((name, round((now - self.last) * 1000, 3)))
        self.last = now

    def total(self) -> float:
        return round((time.perf_counter() - self.start) * 1000, 3)
