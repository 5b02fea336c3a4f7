"""Charts as data: `plots` draws them, `data` exports their points.

Colors are named by the five signal families and are colorblind-safe on dark, light and 16-color screens.
Series also differ by their markers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ark_tui.interfaces.reports.text import clean

FAMILIES = ("words", "meaning", "time", "structure", "model")
"""Color names, in the order in which they are assigned to groups."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"

CURVE_POINTS = 400  # points per curve; more are not visible


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of parts: (letter, color, amount). A bar with one part uses the letter █."""

    label: str
    parts: tuple[tuple[str, str, float], ...]

    @property
    def total(self) -> float:
        return sum(amount for _, _, amount in self.parts)


@dataclass(frozen=True, slots=True)
class Bars:
    """Amounts by name. `digits`: decimals of the totals; `key`: the meaning of the letters, in order."""

    bars: tuple[Bar, ...]
    digits: int = 0
    key: tuple[tuple[str, str, str], ...] = ()  # letter, color, name


@dataclass(frozen=True, slots=True)
class Times:
    """Counts over time: one column per span, in order, without gaps."""

    spans: tuple[str, ...]  # "2026-03", say
    counts: tuple[int, ...]
    colour: str = "time"


@dataclass(frozen=True, slots=True)
class Series:
    """A curve; `dots`: separate points; `filled`: the area below it."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    colour: str = "words"
    marker: str = "o"
    dots: bool = False
    filled: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A threshold: a straight line across the chart, with its name."""

    name: str
    at: float
    upright: bool = False


@dataclass(frozen=True, slots=True)
class Curves:
    """Curves with common axes. On a logarithmic axis, values ≤ 0 are left out."""

    series: tuple[Series, ...]
    x: str = ""  # labels of the axes
    y: str = ""
    lines: tuple[Line, ...] = ()
    log_x: bool = False
    log_y: bool = False
    first: tuple[str, ...] = ()  # the names of the first ranks


@dataclass(frozen=True, slots=True)
class Group:
    """A group of points of a map; `size`: the number of all points, drawn or not."""

    letter: str
    name: str
    colour: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Map:
    """Points in the plane, in groups. The axes have no meaning; only distances do."""

    groups: tuple[Group, ...]
    here: tuple[float, float] | None = None  # the marked point
    lens: tuple[float, float, float, float] | None = None  # left, right, low, high of the part to draw

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The bounds of the drawn part: left, right, low, high."""
        if self.lens is not None:
            return self.lens
        x = [one for group in self.groups for one in group.x]
        y = [one for group in self.groups for one in group.y]
        return min(x), max(x), min(y), max(y)


Chart: TypeAlias = Bars | Times | Curves | Map


def bars(amounts: Sequence[tuple[str, float]], colour: str = "words", digits: int = 0) -> Bars:
    """Bars of one part each."""
    return Bars(tuple(Bar(clean(label), (("█", colour, amount),)) for label, amount in amounts), digits)


def thinned(
    x: Sequence[float], y: Sequence[float], most: int = CURVE_POINTS
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Thin a curve to at most `most` points: the minimum and maximum of each stretch, and both ends."""
    if len(x) <= most:
        return tuple(map(float, x)), tuple(map(float, y))
    stretch = 2 * len(x) / (most - 2)
    chosen = {0, len(x) - 1}
    for number in range((most - 2) // 2):
        places = range(int(number * stretch), min(len(x), int((number + 1) * stretch)))
        chosen.add(min(places, key=y.__getitem__))
        chosen.add(max(places, key=y.__getitem__))
    return tuple(float(x[place]) for place in sorted(chosen)), tuple(
        float(y[place]) for place in sorted(chosen)
    )


def group(number: int, name: str, x: Sequence[float], y: Sequence[float]) -> Group:
    """The n-th group of a map."""
    letter, colour = LETTERS[number % len(LETTERS)], FAMILIES[number % len(FAMILIES)]
    return Group(letter, clean(name), colour, tuple(map(float, x)), tuple(map(float, y)), len(x))
