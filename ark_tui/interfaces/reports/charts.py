"""Charts as data: `plots` draws them, `data` exports their points.

Colors are named by the five signal families and are colorblind-safe on dark, light and 16-color screens.
Series also differ by their style, and groups of a map by their letters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ark_tui.domain.analysis import Activity, Bucket
from ark_tui.interfaces.reports.text import clean

FAMILIES = ("words", "meaning", "time", "structure", "model")
"""Color names, in the order in which they are assigned to groups."""

FEW = 4  # up to this many spans of time are shown as horizontal bars

PREFIXES = {"day": 10, "month": 7, "year": 4}
"""The length of the ISO prefix that names a day, month or year."""


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


@dataclass(frozen=True, slots=True)
class Series:
    """The points of a line, or separate dots, or columns."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    colour: str = "words"
    style: Literal["line", "dots", "columns"] = "line"


@dataclass(frozen=True, slots=True)
class Curves:
    """Series with common axes. A logarithmic axis needs values > 0."""

    series: tuple[Series, ...]
    x: str = ""  # labels of the axes
    y: str = ""
    edge: tuple[str, float] | None = None  # name and place of an upright line
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """A group of points of a map; `size`: the number of all its documents, drawn or not."""

    letter: str
    name: str
    colour: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Map:
    """Points in the plane, in groups. The axes have no meaning; only neighborhood has."""

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


def over_time(counts: Sequence[tuple[str, int]]) -> Times | Bars:
    """Counts by span as columns, or as horizontal bars if there are only a few."""
    if len(counts) <= FEW:
        return bars(counts, "time")
    return Times(tuple(span for span, _ in counts), tuple(count for _, count in counts))


def dated(found: Activity) -> Times | Bars:
    """Documents by their own dates."""
    return over_time(
        [(span_name(one.start.isoformat(), found.dated_bucket), one.documents) for one in found.dated]
    )


def active(found: Activity, what: Literal["added", "searches", "accesses"]) -> Times | Bars:
    """The counts of one kind of activity."""
    return over_time(
        [(span_name(one.start.isoformat(), found.bucket), getattr(one, what)) for one in found.periods]
    )


def span_name(day: str, bucket: Bucket) -> str:
    """The name of a day, month or year, given its first day in ISO form."""
    return day[: PREFIXES[bucket]]
