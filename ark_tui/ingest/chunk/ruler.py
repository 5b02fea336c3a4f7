"""How many tokens any stretch of a text has, without tokenising it over and over."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import TypeAlias

from ark_tui.embedding import static


class Ruler:
    """The token counts of one text, by character offset. A unit that is cut counts in full."""

    __slots__ = ("_places", "_totals")

    def __init__(self, lengths: Iterable[int], counts: Iterable[int]) -> None:
        """`lengths`: characters of each unit, the whole text in order; `counts`: its tokens."""
        self._places = list(accumulate(lengths, initial=0))
        self._totals = list(accumulate(counts, initial=0))

    def count(self, start: int, end: int) -> int:
        """Tokens of the text from `start` up to `end`."""
        return self._totals[bisect_left(self._places, end)] - self._totals[self._unit(start)]

    def reach(self, start: int, tokens: int) -> int:
        """How far `tokens` tokens from `start` get: a border of units, always beyond `start`."""
        first = self._unit(start)
        last = bisect_right(self._totals, self._totals[first] + tokens) - 1
        return self._places[min(max(last, first + 1), len(self._places) - 1)]

    def back(self, end: int, tokens: int) -> int:
        """Where the last `tokens` tokens before `end` begin: a border of units."""
        last = bisect_left(self._places, end)
        return self._places[min(bisect_left(self._totals, self._totals[last] - tokens), last)]

    def _unit(self, offset: int) -> int:
        return bisect_right(self._places, offset) - 1


Measure: TypeAlias = Callable[[str], Ruler]


UNIT = re.compile(r" {0,64}[^ \n\u2e80-\U0010ffff]{1,40}|[\u2e80-\U0010ffff]{1,4}| {1,64}|\n")
"""What the static model's tokenizer treats by itself: a word with the spaces before it, a break, spaces.

Endless words, and scripts that are written without spaces, are cut into short runs.
"""


def measured(text: str) -> Ruler:
    """The ruler of a text, in tokens of the static model. Raises `ModelUnavailable`."""
    units = UNIT.findall(text)
    return Ruler(map(len, units), static.counts(units))
