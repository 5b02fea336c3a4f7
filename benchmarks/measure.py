"""How a figure is taken and told: two pieces of work in turns, medians, one ratio.

The machine is shared and noisy, so no time means anything by itself: A and B run in turns in one process,
and their medians are divided.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Figure:
    """One row: a ratio, what it should be (`≤ 1.3`, `≥ 0.7`), and what it was made of."""

    name: str
    ratio: float
    goal: str
    detail: dict[str, Any] = field(default_factory=dict)

    @property
    def met(self) -> bool:
        sign, bound = self.goal.split()[:2]
        return self.ratio <= float(bound) if sign == "≤" else self.ratio >= float(bound)

    @classmethod
    def parse(cls, line: str) -> Figure:
        """A figure as a script has printed it."""
        return cls(**json.loads(line))


def tell(figure: Figure, sentence: str) -> None:
    """One line for programs, one for people."""
    sys.stdout.write(json.dumps(asdict(figure), ensure_ascii=False) + "\n" + sentence + "\n")
    sys.stdout.flush()


def milliseconds(work: Work) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def megabytes(process: int) -> float:
    """The resident memory of a process (Linux)."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def in_turns(works: Sequence[Work], rounds: int, warm: int = 2) -> list[list[float]]:
    """Milliseconds of each piece of work, `rounds` times in turns, after `warm` rounds that do not count."""
    times: list[list[float]] = [[] for _ in works]
    collecting = gc.isenabled()
    gc.disable()  # a collection in the one and not in the other would be their difference
    try:
        for turn in range(warm + rounds):
            for work, mine in zip(works, times, strict=True):
                took = milliseconds(work)
                if turn >= warm:
                    mine.append(took)
    finally:
        if collecting:
            gc.enable()
    return times


def percentile(times: Sequence[float], share: float) -> float:
    """The value below which `share` (0…1) of the values lie."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def middle(times: Sequence[float]) -> float:
    return median(times)


def rounded(**values: float) -> dict[str, float]:
    """Details to three significant places."""
    return {name: float(f"{value:.4g}") for name, value in values.items()}
