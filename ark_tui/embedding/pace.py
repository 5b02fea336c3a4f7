"""How many texts a model server is given at once, learnt from how long it took for those before.

A server embeds one text after the other, and whoever comes next waits for all that stand in line: a large
request saves little and keeps a query, and Ctrl-C, waiting. So the first holds one text, and those that
follow as many as take `AIM` seconds by what was measured. What was learnt lies beside a model's vectors.
"""

from __future__ import annotations

import json
import math
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from ark_tui.domain.untrusted import read_json
from ark_tui.settings.home import checked, read_checked, write_file

AIM = 0.5  # seconds that a request should take
MOST = 64  # texts in a request
FILE = "pace.json"  # beside a model's vectors
ROUNDS = 4  # after which a number of requests side by side is judged
FASTER = 1.25  # times as fast as half as many they have to be
LONGEST = 3600.0  # seconds; what claims to have taken longer for one text was not measured


@dataclass(frozen=True, slots=True)
class Pace:
    """The size of the next request. `each`: seconds a text, lately; 0 while nothing was measured."""

    each: float = 0.0
    size: int = 1
    most: int = MOST
    aim: float = AIM

    def took(self, texts: int, seconds: float) -> Pace:
        """A request of so many texts was answered: the next is up to twice as large, or smaller at once."""
        now = max(seconds, 1e-6) / texts
        each = (self.each + now) / 2 if self.each else now
        fits = _clamped(self.aim / max(each, now), max(self.size, 2 * texts))
        return replace(self, each=each, size=min(fits, self.most))

    def stalled(self, texts: int) -> Pace:
        """A request of so many texts came to nothing: the next has half as many, until one is answered."""
        return replace(self, size=max(1, min(self.size, texts // 2)))

    def refused(self, texts: int) -> Pace:
        """So many texts are more than the server takes at once: never again."""
        most = max(1, min(self.most, texts // 2))
        return replace(self, size=min(self.size, most), most=most)

    def resumed(self, each: float) -> Pace:
        """As it goes on at a pace that was measured in an earlier run; as it is, where that is none."""
        if not (math.isfinite(each) and 0 < each <= LONGEST):
            return self
        return replace(self, each=each, size=_clamped(self.aim / each, self.most))


@dataclass(frozen=True, slots=True)
class Lanes:
    """How many requests go side by side: twice as many as long as that is measured to be faster.

    Where one machine embeds it is not, often slower; behind an endpoint there may be many.
    """

    most: int = 1
    width: int = 1
    settled: bool = False
    best: float = 0.0  # texts a second with half as many
    texts: int = 0
    seconds: float = 0.0
    rounds: int = 0

    def took(self, texts: int, seconds: float) -> Lanes:
        """A round of `width` full requests is done, so many texts in all."""
        if self.settled or self.most == 1:
            return self
        texts, seconds, rounds = self.texts + texts, self.seconds + seconds, self.rounds + 1
        if rounds < ROUNDS:
            return replace(self, texts=texts, seconds=seconds, rounds=rounds)
        rate = texts / max(seconds, 1e-6)
        if rate < FASTER * self.best:
            return Lanes(self.most, self.width // 2, settled=True)
        if self.width >= self.most:
            return Lanes(self.most, self.width, settled=True)
        return Lanes(self.most, min(2 * self.width, self.most), best=rate)


def _clamped(size: float, most: int) -> int:
    return max(1, min(int(size), most))


def read(folder: Path) -> float:
    """Seconds a text, as kept beside the vectors of a model; 0 where nothing, or nothing readable, is."""
    try:
        return float(read_json(read_checked(folder / FILE) or b"0")["each"])
    except (ValueError, TypeError, KeyError):
        return 0.0


def write(folder: Path, pace: Pace) -> None:
    """Keep what was measured; where that may not be written, the next run measures anew."""
    if pace.each:
        with suppress(OSError):
            write_file(folder / FILE, checked(json.dumps({"each": round(pace.each, 6)}).encode()))
