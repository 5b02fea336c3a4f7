"""A campaign: many inputs for one target; what fails is made small and kept in the corpus."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random, SystemRandom
from typing import NamedTuple

from tests.fuzz import inputs
from tests.fuzz.targets import TARGETS
from tests.fuzz.watch import PATIENCE, Answer, Watched

INPUTS = 10_000
SLOW = 1.0  # seconds of the processor that an input may take
SHORTENING = 60.0  # seconds that may be spent on making a finding small
FIXED = 20_261_122  # the seed in CI


class Result(NamedTuple):
    """How many inputs were tried, the longest time that one took, those that failed and what was wrong."""

    tried: int
    slowest: float
    findings: tuple[tuple[Path, str], ...]


def seed() -> int:
    """`FUZZ_SEED`, else the fixed one in CI, else another every time."""
    given = os.environ.get("FUZZ_SEED")
    return int(given) if given else FIXED if "CI" in os.environ else SystemRandom().randrange(1 << 32)


def run(
    name: str, folder: Path, number: int, corpus: Path = inputs.CORPUS, patience: float = PATIENCE
) -> Result:
    """Try the kept inputs, then new ones: as many as `INPUTS`, or for `FUZZ_SECONDS`."""
    aim = TARGETS[name]
    findings: list[tuple[Path, str]] = []
    tried, slowest = 0, 0.0
    with Watched(folder, patience) as watched:
        for data in _limited(inputs.seeds(aim.kind), number, aim.slow):
            answer = watched.give(name, data)
            tried += 1
            if not answer.fault and fault_of(answer):  # upkeep of the indexes may be in it: again
                watched.renew()
                answer = watched.give(name, data)
            if fault := fault_of(answer):
                small = inputs.smallest(data, _still(name, watched, time.monotonic() + SHORTENING))
                findings.append((inputs.keep(aim.kind, small, corpus), fault))
                if len(findings) >= 10:
                    break
            slowest = max(slowest, answer.seconds)
    return Result(tried, slowest, tuple(findings))


def _still(name: str, watched: Watched, end: float) -> Callable[[bytes], bool]:
    """Whether a shorter input still fails, as far as there is time to find out."""
    return lambda data: time.monotonic() < end and bool(fault_of(watched.give(name, data)))


def fault_of(answer: Answer) -> str:
    """What is wrong with an answer, its time included."""
    return answer.fault or (f"{answer.seconds:.1f} s" if answer.seconds > SLOW else "")


def _limited(kept: dict[str, bytes], number: int, slow: int) -> Iterator[bytes]:
    yield from kept.values()
    seconds = float(os.environ.get("FUZZ_SECONDS", "0"))
    end = time.monotonic() + seconds
    for count, data in enumerate(inputs.made(list(kept.values()), Random(number))):
        if time.monotonic() > end if seconds else count >= INPUTS // slow:
            return
        yield data
