"""Charts as SVG, drawn by us: no script, a title and a description, colours by class for dark and light.

Each chart is drawn twice, wide and narrow, and the page shows the one that suits its reader: text of one size
that is never scaled down.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from itertools import pairwise

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.reports.charts import (
    LETTERS,
    Bar,
    Bars,
    Chart,
    Curves,
    Heat,
    Histogram,
    Line,
    Map,
    Series,
    Summary,
    Times,
)
from ark_tui.interfaces.reports.plots import (
    MEANING,
    SIGNS,
    TONES,
    as_logarithms,
    folded,
    round_ticks,
    spelled_ticks,
    ticked,
)
from ark_tui.interfaces.reports.text import shortened

SIZES = {"wide": (760, 300), "narrow": (340, 260)}
"""Width and height in pixels of the two drawings."""

FONT = 12  # pixels
LETTER = 7.2  # of it, in pixels; the broader fonts need so much
ROW = 24  # of a lying bar
TOP, RIGHT, BOTTOM = 14, 14, 34  # margins around axes
SHAPES = ("circle", "square", "up", "diamond", "down", "cross")


def drawn(chart: Chart, name: str, title: str, about: str) -> str:
    """Both drawings of a chart. `name` makes the ids of the page's titles unique."""
    return "".join(
        _picture(chart, f"{name}-{kind}", kind, title, about, width, height)
        for kind, (width, height) in SIZES.items()
    )


def _picture(chart: Chart, name: str, kind: str, title: str, about: str, width: int, height: int) -> str:
    body: Iterator[str] = iter(())
    match chart:
        case Bars():
            height = _bars_height(chart, width)
            body = _bars(chart, width)
        case Times():
            body = _times(chart, width, height)
        case Curves():
            body = _curves(chart, width, height)
        case Histogram():
            body = _curves(_as_curves(chart), width, height)
        case Heat():
            height = ROW * (len(chart.names) + 1) + ROW * len(_key_rows([*MEANING.values()], width)) + 12
            body = _heat(chart, width)
        case Summary():
            height = _bars_height(chart.chart, width)
            body = _bars(chart.chart, width)
        case Map():
            height = round(width * (0.55 if kind == "wide" else 0.9))
            body = _map(chart, width, height)
    label = escape(name, quote=True)
    return (
        f'<svg class="plot {kind}" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-labelledby="{label}-t {label}-d"><title id="{label}-t">{_text(title)}</title>'
        f'<desc id="{label}-d">{_text(about)}</desc>{"".join(body)}</svg>\n'
    )


# -- bars ----------------------------------------------------------------------------------------------


def _bars_height(chart: Bars, width: int) -> int:
    rows = len(_key_rows([name for _, _, name in chart.key], width))
    return ROW * len(chart.bars) + 8 + ROW * rows


def _bars(chart: Bars, width: int) -> Iterator[str]:
    most = max((abs(bar.total) for bar in chart.bars), default=0.0)
    totals = [f"{bar.total:,.{chart.digits}f}" for bar in chart.bars]
    label = min(max((len(bar.label) for bar in chart.bars), default=0) * LETTER + 12, width * 0.36)
    room = width - label - max(map(len, totals), default=0) * LETTER - 20
    for number, (bar, total) in enumerate(zip(chart.bars, totals, strict=True)):
        top = number * ROW + 4
        yield _words(label - 8, top + 15, _short(bar.label, label - 10), "end")
        end = label
        for letter, tone, x, wide in _parts(bar, label, room / most if most else 0.0):
            yield _box(tone, x, top, max(wide - 0.8, 0.8), ROW - 6)
            if chart.key and wide > LETTER + 3:
                yield _words(x + wide / 2, top + 14, letter, "middle", "on")
            end = x + wide
        yield _words(end + 6, top + 15, total)
    yield from _key(
        [(tone, f"{letter} {name}") for letter, tone, name in chart.key], len(chart.bars) * ROW + 8, width
    )


def _parts(bar: Bar, start: float, scale: float) -> Iterator[tuple[str, str, float, float]]:
    for letter, tone, amount in bar.parts:
        wide = max(abs(amount) * scale, 1.0 if amount else 0.0)
        yield letter, tone, start, wide
        start += wide


# -- columns over time ---------------------------------------------------------------------------------


def _times(chart: Times, width: int, height: int) -> Iterator[str]:
    if not chart.counts:
        return
    left = len(f"{sum(chart.counts):,}") * LETTER + 12
    room = width - left - RIGHT
    spans, counts, together = folded(chart.spans, chart.counts, int(room / 5))
    top = max(counts)
    step = min(48.0, room / len(spans))
    ground = height - BOTTOM
    scale = (ground - TOP) / max(top, 1)
    yield from _levels(
        [tick for tick in round_ticks(0, top, 4) if float(tick).is_integer()], left, width, ground, scale
    )
    for number, count in enumerate(counts):
        if count:
            tall = max(count * scale, 1.0)
            yield _box(chart.colour, left + (number + 0.1) * step, ground - tall, step * 0.8, tall)
    every = max(1, math.ceil((max(map(len, spans)) * LETTER + 14) / step))
    for number in range(0, len(spans), every):
        at = left + (number + 0.5) * step
        half = len(spans[number]) * LETTER / 2
        yield _words(min(max(at, half), width - half), ground + 18, spans[number], "middle")
    if together > 1:
        yield _words(left, TOP - 4, f"{together} to a column, named by the first", "start")


def _levels(ticks: Sequence[float], left: float, width: int, ground: float, scale: float) -> Iterator[str]:
    for tick, text in zip(ticks, spelled_ticks(ticks) if ticks else [], strict=True):
        at = ground - tick * scale
        yield f'<path class="grid" d="M{_n(left)} {_n(at)}H{width - RIGHT}"/>'
        yield _words(left - 6, at + 4, text, "end")


# -- curves --------------------------------------------------------------------------------------------


class _Axes:
    """Where values lie in the picture."""

    def __init__(self, chart: Curves, width: int, height: int, head: int) -> None:
        across = [x for one in chart.series for x in one.x]
        up = [y for one in chart.series for y in one.y]
        self.empty = not across
        across += [line.at for line in chart.lines if line.upright]
        up += [line.at for line in chart.lines if not line.upright]
        self.left, self.right = min(across, default=0.0), max(across, default=1.0)
        self.low, self.high = min(up, default=0.0), max(up, default=1.0)
        self.levels, self.labels = ticked(self.low, self.high, logarithmic=chart.logarithmic, most=4)
        self.start = max((len(text) for text in self.labels), default=1) * LETTER + 12
        self.end, self.top, self.ground = width - RIGHT, TOP + head, height - BOTTOM

    def x(self, value: float) -> float:
        share = (value - self.left) / (self.right - self.left) if self.right > self.left else 0.5
        return self.start + share * (self.end - self.start)

    def y(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return self.ground - share * (self.ground - self.top)


def _curves(chart: Curves, width: int, height: int) -> Iterator[str]:
    if chart.logarithmic:
        chart = as_logarithms(chart)
    several = len(chart.series) > 1
    names = [one.name for one in chart.series] if several else []
    head = ROW * len(_key_rows(names, width))
    axes = _Axes(chart, width, height, head + (FONT + 4 if chart.y else 0))
    if axes.empty:
        return
    entries = [(one.colour, one.name) for one in chart.series] if several else []
    yield from _key(entries, 0, width, shaped=True)
    if chart.y:
        yield _words(2, head + FONT, chart.y)
    yield from _frame(axes, chart.x)
    for number, one in enumerate(chart.series):
        yield from _series(one, axes, number)
    for line in chart.lines:
        yield from _threshold(line, axes)


def _frame(axes: _Axes, name: str) -> Iterator[str]:
    for level, text in zip(axes.levels, axes.labels, strict=True):
        at = axes.y(level)
        yield f'<path class="grid" d="M{_n(axes.start)} {_n(at)}H{_n(axes.end)}"/>'
        yield _words(axes.start - 6, at + 4, text, "end")
    ticks = round_ticks(axes.left, axes.right)
    for tick, text in zip(ticks, spelled_ticks(ticks), strict=True):
        half = len(text) * LETTER / 2
        yield _words(min(axes.x(tick), axes.end + RIGHT - half), axes.ground + 16, text, "middle")
    yield _words((axes.start + axes.end) / 2, axes.ground + 31, name, "middle")


def _series(one: Series, axes: _Axes, number: int) -> Iterator[str]:
    points = [(axes.x(x), axes.y(y)) for x, y in zip(one.x, one.y, strict=True)]
    if points and not one.dots:
        path = "L".join(f"{_n(x)} {_n(y)}" for x, y in points)
        yield f'<path class="s {one.colour} dash{number % 3}" d="M{path}"/>'
    if one.dots or len(points) <= 40:
        for x, y in points:
            yield _shape(SHAPES[number % len(SHAPES)], x, y, one.colour)


def _threshold(line: Line, axes: _Axes) -> Iterator[str]:
    if line.upright:
        at = axes.x(line.at)
        yield f'<path class="edge" d="M{_n(at)} {_n(axes.top)}V{_n(axes.ground)}"/>'
        left = at < (axes.start + axes.end) / 2
        yield _words(at + (5 if left else -5), axes.top + 11, line.name, "" if left else "end", "strong")
    else:
        at = axes.y(line.at)
        yield f'<path class="edge" d="M{_n(axes.start)} {_n(at)}H{_n(axes.end)}"/>'
        yield _words(axes.end, at - 5, line.name, "end", "strong")


def _as_curves(chart: Histogram) -> Curves:
    """A histogram as steps beside its law, over the logarithm of the axis."""
    at = [math.log10(one) for one in chart.bounds]
    x = [one for pair in pairwise(at) for one in pair]
    y = [float(one) for one in chart.counts for _ in range(2)]
    middle = [(a + b) / 2 for a, b in pairwise(at)]
    lines = tuple(replace(line, at=math.log10(line.at)) for line in chart.lines)
    return Curves(
        (
            Series(chart.name, tuple(x), tuple(y), "words"),
            Series(chart.law, tuple(middle), chart.expected, "meaning"),
        ),
        f"{chart.x}: of ten", chart.y, lines,
    )  # fmt: skip


def _heat(chart: Heat, width: int) -> Iterator[str]:
    count = len(chart.names)
    label = min(max(map(len, chart.names)) * LETTER + 12, width * 0.45)
    step = min(30.0, (width - label) / count)
    for row, name in enumerate(chart.names):
        top = (row + 1) * ROW
        yield _words(label - 6, top + 15, _short(f"{LETTERS[row]} {name}", label - 8), "end")
        yield _words(label + (row + 0.5) * step, 15, LETTERS[row], "middle")
        for column in range(count):
            degree = chart.degree(row, column)
            yield _words(label + (column + 0.5) * step, top + 15, SIGNS[degree], "middle", TONES[degree])
    entries = [(TONES[degree] or "faint", f"{SIGNS[degree]} {MEANING[degree]}") for degree in SIGNS]
    yield from _key(entries, ROW * (count + 1) + 4, width)


# -- the map -------------------------------------------------------------------------------------------


def _map(chart: Map, width: int, height: int) -> Iterator[str]:
    every = [(x, y) for group in chart.groups for x, y in zip(group.x, group.y, strict=True)]
    if not every:
        return
    left, right = min(x for x, _ in every), max(x for x, _ in every)
    low, high = min(y for _, y in every), max(y for _, y in every)
    wide, tall = max(right - left, 1e-12), max(high - low, 1e-12)
    room = width - 24, height - 32
    yield f'<rect class="frame" x="1" y="1" width="{width - 2}" height="{height - 2}"/>'
    centres: list[tuple[float, float, str]] = []
    for number, group in enumerate(chart.groups):
        points = [
            (12 + (x - left) / wide * room[0], 16 + (1 - (y - low) / tall) * room[1])
            for x, y in zip(group.x, group.y, strict=True)
        ]
        for x, y in points:
            yield _shape(SHAPES[number % len(SHAPES)], x, y, group.colour)
        if points:
            middle = (
                sorted(x for x, _ in points)[len(points) // 2],
                sorted(y for _, y in points)[len(points) // 2],
            )
            centres.append((*middle, f"{group.letter} {group.name}"))
    yield from _names(centres, width, height)


def _names(centres: Sequence[tuple[float, float, str]], width: int, height: int) -> Iterator[str]:
    """The names of groups at their middles, each moved up or down until it covers no other."""
    taken: list[tuple[float, float, float]] = []  # left, right, height
    for x, y, name in sorted(centres, key=lambda one: one[1]):
        text = _short(name, width * 0.45)
        half = len(text) * LETTER / 2 + 4
        at = min(max(x, half), width - half)
        place = next(
            (
                moved
                for step in range(40)
                for moved in (y + 8 * step, y - 8 * step)
                if FONT + 2 < moved < height - 6
                and not any(
                    at - half < b and a < at + half and abs(moved - c) < FONT + 3 for a, b, c in taken
                )
            ),
            y,
        )
        taken.append((at - half, at + half, place))
        yield _words(at, place, text, "middle", "halo")


# -- pieces --------------------------------------------------------------------------------------------


def _shape(kind: str, x: float, y: float, tone: str) -> str:
    match kind:
        case "circle":
            return f'<circle class="f {tone}" cx="{_n(x)}" cy="{_n(y)}" r="3.2"/>'
        case "square":
            return f'<rect class="f {tone}" x="{_n(x - 2.8)}" y="{_n(y - 2.8)}" width="5.6" height="5.6"/>'
        case "up":
            path = f"M{_n(x)} {_n(y - 4)}l3.7 6.6h-7.4z"
        case "diamond":
            path = f"M{_n(x)} {_n(y - 4)}l4 4l-4 4l-4 -4z"
        case "down":
            path = f"M{_n(x)} {_n(y + 4)}l3.7 -6.6h-7.4z"
        case _:
            return f'<path class="s {tone}" d="M{_n(x - 3)} {_n(y - 3)}l6 6m0 -6l-6 6"/>'
    return f'<path class="f {tone}" d="{path}"/>'


def _box(tone: str, x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="f {tone}" x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"/>'


def _key(
    entries: Sequence[tuple[str, str]], top: float, width: int, *, shaped: bool = False
) -> Iterator[str]:
    """What colours mean; `shaped`: beside the marks of series."""
    tones = [tone for tone, _ in entries]
    number = 0
    for row, names in enumerate(_key_rows([name for _, name in entries], width)):
        x = 2.0
        for name in names:
            at = top + row * ROW
            if shaped:
                yield _shape(SHAPES[number % len(SHAPES)], x + 5, at + 9, tones[number])
            else:
                yield _box(tones[number], x, at + 4, 10, 10)
            yield _words(x + 15, at + 13, name)
            x += _key_width(name)
            number += 1


def _key_rows(names: Sequence[str], width: int) -> list[list[str]]:
    rows: list[list[str]] = []
    x = 0.0
    for name in names:
        if not rows or x + _key_width(name) > width:
            rows.append([])
            x = 0.0
        rows[-1].append(name)
        x += _key_width(name)
    return rows


def _key_width(name: str) -> float:
    return len(name) * LETTER + 32


def _words(x: float, y: float, text: str, anchor: str = "", kind: str = "") -> str:
    if not text:
        return ""
    at = f' text-anchor="{anchor}"' if anchor else ""
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{_n(x)}" y="{_n(y)}"{at}{named}>{_text(text)}</text>'


def _short(text: str, width: float) -> str:
    return shortened(visible_line(text), max(1, int(width / LETTER)))


def _text(text: str) -> str:
    return escape(visible_line(text), quote=False)


def _n(value: float) -> str:
    """A number of pixels, to a tenth."""
    return f"{value:.1f}".removesuffix(".0")
