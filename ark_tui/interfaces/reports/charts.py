"""Pictures as numbers: what `plots` draws in a terminal and `svg` in a page.

A series is told apart by its marker first and by its colour second. Colours are named by the five families
of signals, which have colour-blind-safe tones on dark, light and sixteen-colour screens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ark_tui.interfaces.reports.text import clean

FAMILIES = ("words", "meaning", "time", "structure", "model")
"""The names of colours, in the order in which series take them."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"

CURVE_POINTS = 400  # of one curve; more cannot be seen
DEGREES = (0.2, 2 / 3, 1.5, 5.0)
"""Bounds of observed by expected: hardly any, fewer, as expected, more, far more."""

GRID = (120, 60)  # cells of a map; of several points of a group in one cell the first is drawn


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar, in parts: (letter, colour, amount); what is not to be told apart has one part."""

    label: str
    parts: tuple[tuple[str, str, float], ...]

    @property
    def total(self) -> float:
        return sum(amount for _, _, amount in self.parts)


@dataclass(frozen=True, slots=True)
class Bars:
    """Amounts by name, lying. `digits` of the totals; `key`: what the letters mean, in their order."""

    bars: tuple[Bar, ...]
    digits: int = 0
    key: tuple[tuple[str, str, str], ...] = ()  # letter, colour, name


@dataclass(frozen=True, slots=True)
class Times:
    """Counts over time: one column per span, in its order, those without any among them."""

    spans: tuple[str, ...]  # "2026-03", say
    counts: tuple[int, ...]
    colour: str = "time"


@dataclass(frozen=True, slots=True)
class Series:
    """A curve. `dots`: each point by itself."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    colour: str = "words"
    marker: str = "o"
    dots: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line across the picture, with its name: a threshold."""

    name: str
    at: float
    upright: bool = False


@dataclass(frozen=True, slots=True)
class Curves:
    """Curves over one pair of axes."""

    series: tuple[Series, ...]
    x: str = ""  # what the axes say
    y: str = ""
    lines: tuple[Line, ...] = ()
    logarithmic: bool = False  # the upright axis; values ≤ 0 are left out
    first: tuple[str, ...] = ()  # what has the first ranks, by name


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts in bins of equal ratio, and how many a law expects in each. `bounds`: above 0."""

    bounds: tuple[float, ...]
    counts: tuple[int, ...]
    expected: tuple[float, ...]
    name: str = ""  # of what is counted
    law: str = ""  # its name
    x: str = ""
    y: str = ""
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Heat:
    """Observed against expected, for pairs of names."""

    names: tuple[str, ...]
    observed: tuple[tuple[float, ...], ...]
    expected: tuple[tuple[float, ...], ...]
    here: tuple[int, int] | None = None  # a pair that is pointed at

    def degree(self, row: int, column: int) -> int | None:
        """−2 hardly any, −1 fewer, 0 as expected, 1 more, 2 far more; None where too few are expected."""
        seen, usual = self.observed[row][column], self.expected[row][column]
        if seen == 0 and usual < 1:
            return None
        ratio = seen / max(usual, 1e-12)
        return sum(ratio >= bound for bound in DEGREES) - 2


@dataclass(frozen=True, slots=True)
class Summary:
    """Lines of a name and what is known, above a chart."""

    rows: tuple[tuple[str, str], ...]
    chart: Bars


@dataclass(frozen=True, slots=True)
class Group:
    """Points of a map that belong together, and what they have in common."""

    letter: str
    name: str
    colour: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    size: int  # how many there are, drawn or not


@dataclass(frozen=True, slots=True)
class Map:
    """Points in the plane, in groups. Axes mean nothing, only what is near to what."""

    groups: tuple[Group, ...]
    here: tuple[float, float] | None = None  # a point that is pointed at
    lens: tuple[float, float, float, float] | None = None  # left, right, low, high: what alone is drawn

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, right, low and high of what is drawn."""
        if self.lens is not None:
            return self.lens
        x = [one for group in self.groups for one in group.x]
        y = [one for group in self.groups for one in group.y]
        return min(x), max(x), min(y), max(y)


Chart: TypeAlias = Bars | Times | Curves | Histogram | Heat | Summary | Map


def bars(amounts: Sequence[tuple[str, float]], colour: str = "words", digits: int = 0) -> Bars:
    """Bars of one part each."""
    return Bars(tuple(Bar(clean(label), (("█", colour, amount),)) for label, amount in amounts), digits)


def curve(
    name: str, values: Sequence[float], colour: str = "words", marker: str = "o", *, first: int = 1
) -> Series:
    """A curve over ranks that count from `first`, thinned to what can be seen."""
    x, y = thinned(range(first, first + len(values)), values)
    return Series(name, x, y, colour, marker)


def thinned(
    x: Sequence[float], y: Sequence[float], most: int = CURVE_POINTS
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """At most so many points of a curve: of each stretch its lowest and its highest, and both ends."""
    if len(x) <= most:
        return tuple(map(float, x)), tuple(map(float, y))
    stretch = 2 * len(x) / (most - 2)
    kept = {0, len(x) - 1}
    for number in range((most - 2) // 2):
        places = range(int(number * stretch), min(len(x), int((number + 1) * stretch)))
        kept.add(min(places, key=y.__getitem__))
        kept.add(max(places, key=y.__getitem__))
    places_kept = sorted(kept)
    return tuple(float(x[place]) for place in places_kept), tuple(float(y[place]) for place in places_kept)


def group(number: int, name: str, x: Sequence[float], y: Sequence[float], box: tuple[float, ...]) -> Group:
    """The n-th group of a map, its points thinned to one per cell; `box`: least and greatest x, y of all."""
    left, right, low, high = box
    wide, tall = max(right - left, 1e-12), max(high - low, 1e-12)
    cells: dict[tuple[int, int], tuple[float, float]] = {}
    for across, up in zip(x, y, strict=True):
        cell = int((across - left) / wide * GRID[0]), int((up - low) / tall * GRID[1])
        cells.setdefault(cell, (float(across), float(up)))
    points = tuple(cells.values())
    return Group(
        LETTERS[number % len(LETTERS)],
        clean(name),
        FAMILIES[number % len(FAMILIES)],
        tuple(point[0] for point in points),
        tuple(point[1] for point in points),
        len(x),
    )
