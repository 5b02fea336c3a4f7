"""Draws charts as text with plotext, with or without color.

`drawn(chart, width, height, colour=…)` returns lines of at most `width` cells, in the terminal's 16 colors.
plotext has one figure per process, so a lock serializes drawing. Horizontal bars and the table of observed
and expected links are drawn without plotext, which cuts off the names of bars.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from typing import Any

from rich.cells import cell_len, set_cell_size

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.reports.charts import (
    LETTERS,
    Bar,
    Bars,
    Chart,
    Curves,
    Group,
    Heat,
    Map,
    Series,
    Times,
    thinned,
)

ANSI = {"words": 6, "meaning": 3, "time": 2, "structure": 5, "model": 4}
"""Cyan, yellow, green, magenta, blue."""

FAMILIES_OF = {number: name for name, number in ANSI.items()}

LEAST = (24, 6)  # minimal size in cells
TICKS = 5
HERE = "◉"
BESIDE = 64  # width in cells from which on group names are placed next to a map
LABELS = 3  # a label gets at most one third of the width
SIGNS: dict[int | None, str] = {-2: "−−", -1: "−", 0: "=", 1: "+", 2: "++", None: "·"}
TONES: dict[int | None, str] = {-2: "meaning", -1: "meaning", 0: "", 1: "words", 2: "words", None: ""}
MEANING = "−− less than a fifth of the expected links, = as expected, ++ five times and more, · too few"

_drawing = threading.Lock()
_PALETTE = re.compile(r"38;5;(\d+)m")
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def drawn(chart: Chart, width: int = 80, height: int = 18, *, colour: bool = False) -> str:
    """The chart as lines of text, without control characters unless `colour`."""
    width, height = max(width, LEAST[0]), max(height, LEAST[1])
    match chart:
        case Bars():
            lines = list(_bars(chart, width, colour))
        case Times():
            lines = _times(chart, width, height, colour)
        case Curves():
            key = _key(chart, width, colour)
            lines = [*key, *_curves(chart, width, height - len(key), colour)]
        case Heat():
            lines = list(_heat(chart, width, height, colour))
        case _:
            lines = _map(chart, width, height, colour)
    return "\n".join(line if colour else line.rstrip() for line in lines)


def size(chart: Chart) -> tuple[int, int]:
    """The width and height of a chart in a report, in cells."""
    return 76, {Map: 22, Times: 10}.get(type(chart), 16)


# -- plain text ----------------------------------------------------------------------------------------


def _bars(chart: Bars, width: int, colour: bool) -> Iterator[str]:
    most = max((bar.total for bar in chart.bars), default=0.0)
    totals = [f"{bar.total:,.{chart.digits}f}" for bar in chart.bars]
    label = min(max((cell_len(bar.label) for bar in chart.bars), default=0), width // LABELS)
    room = max(4, width - label - max(map(len, totals), default=0) - 3)
    for bar, total in zip(chart.bars, totals, strict=True):
        yield f"{_fit(bar.label, label)} {_parts(bar, room / most if most else 0.0, colour)} {total}"
    yield from wrapped([_ink(f"{letter} {name}", tone, colour) for letter, tone, name in chart.key], width)


def _parts(bar: Bar, cells: float, colour: bool) -> str:
    """The parts of a bar, each as long as its amount; a nonzero bar has at least one cell."""
    text, so_far, end = "", 0.0, 0
    for letter, tone, amount in bar.parts:
        so_far += max(amount, 0.0)
        length = max(round(so_far * cells), 1 if so_far and not end else 0) - end
        end += max(length, 0)
        text += _ink(letter * length, tone, colour)
    return text


def _heat(chart: Heat, width: int, height: int, colour: bool) -> Iterator[str]:
    """Lines of a table with a row and a column per name; names that do not fit are counted."""
    shown = max(1, min(len(chart.names), (width - 12) // 3, height - 3))
    label = min(max(map(cell_len, chart.names)), width - 3 * shown - 4)
    yield " " * (label + 3) + "".join(f"{letter:>3}" for letter in LETTERS[:shown])
    for row, (letter, name) in enumerate(zip(LETTERS[:shown], chart.names, strict=False)):
        line = f"{letter} {_fit(name, label)} "
        for column in range(shown):
            degree, marked = chart.degree(row, column), chart.here in {(row, column), (column, row)}
            line += ("▸" if marked else " ") + _ink(f"{SIGNS[degree]:>2}", TONES[degree], colour)
        yield line
    if shown < len(chart.names):
        yield f"… {len(chart.names) - shown} more"
    yield short(MEANING, width)


# -- plotext -------------------------------------------------------------------------------------------


class _Figure:
    """The process's only plotext figure, cleared."""

    def __init__(self, width: int, height: int, colour: bool) -> None:
        import plotext

        plotext.terminal.limit(False, False)
        self.plotext, self.figure, self.colour = plotext, plotext.figure, colour
        self.figure.clear()
        self.figure.theme("simple")
        self.figure.plot_size(width, height)
        self.figure.legend(False)
        self.figure.axes(False, axis="x", side="upper")
        self.figure.axes(False, axis="y", side="right")

    def marker(self, sign: str, tone: str) -> Any:
        return self.plotext.marker(sign, pixel=self._pixel(tone))

    def series(self, one: Series, most: int, *, alone: bool) -> Any:
        """Add a curve, thinned to `most` points; a curve that is `alone` needs no marker of its own."""
        x, y = (list(values) for values in thinned(one.x, one.y, most))
        if one.filled:
            return self.figure.bar(x, y, marker=self.marker("full", one.colour), width=1.3, lines=False)
        sign = "braille" if alone and not one.dots else one.marker
        signal = self.figure.signal(x, y, marker=self.marker(sign, one.colour))
        return signal if one.dots else signal.lines()

    def draw(self, signal: Any) -> None:
        self.figure.draw(signal)

    def write(self, x: float, y: float, text: str, tone: str = "", side: str = "center") -> None:
        shown = self.plotext.colorize(text, self._pixel(tone))
        self.figure.draw(self.figure.text(x, y, shown, alignment=side))

    def axis(self, name: str, low: float, high: float, ticks: Sequence[float], labels: Sequence[str]) -> None:
        ruler = self.figure.ruler(name, "lower" if name == "x" else "left")
        ruler.ticks(list(ticks), list(labels))
        ruler.lim(low, high)

    def lines(self) -> list[str]:
        text = str(self.figure.build().string(colorless=not self.colour)).rstrip("\n")
        self.figure.clear()
        return _PALETTE.sub(lambda match: f"{_code(int(match[1]))}m", text).split("\n")

    def _pixel(self, tone: str) -> Any:
        known = self.colour and tone in ANSI
        return self.plotext.pixel(foreground=ANSI[tone]) if known else self.plotext.pixel()


@contextmanager
def _figure(width: int, height: int, colour: bool) -> Iterator[_Figure]:
    with _drawing:
        yield _Figure(width, height, colour)


def _times(chart: Times, width: int, height: int, colour: bool) -> list[str]:
    if not chart.counts:
        return []
    spans, counts, step = folded([visible_line(span) for span in chart.spans], chart.counts, width // 2)
    note = [f"{step} to a column, named by the first"] if step > 1 else []
    every = math.ceil(len(spans) * (max(map(len, spans)) + 2) / max(width - 8, 1))
    top = max(*counts, 1)
    with _figure(width, height - len(note), colour) as figure:
        bars = figure.figure.bar(
            list(range(len(counts))), counts, marker=figure.marker("full", chart.colour), lines=False
        )
        figure.draw(bars)
        at = range(0, len(spans), every)
        figure.axis("x", -0.5, len(spans) - 0.5, at, [spans[one] for one in at])
        whole = [tick for tick in round_ticks(0, top) if tick.is_integer()]
        figure.axis("y", 0, top, whole, spelled_ticks(whole))
        return [*figure.lines(), *(short(line, width) for line in note)]


def _key(chart: Curves, width: int, colour: bool) -> list[str]:
    """The lines above curves: their names, the label of the y-axis, the first ranks."""
    series = [
        _ink(f"{'█' if one.filled else one.marker} {visible_line(one.name)}", one.colour, colour)
        for one in chart.series
    ]
    named = " · ".join(f"{rank} {name}" for rank, name in enumerate(chart.first, 1))
    titles = [short(line, width) for line in (chart.y, named) if line]
    return [*(wrapped(series, width) if len(series) > 1 else ()), *titles]


def _curves(chart: Curves, width: int, height: int, colour: bool) -> list[str]:
    chart = _scaled(chart)
    series = [one for one in chart.series if one.x]
    if not series:
        return []
    upright = [line.at for line in chart.lines if line.upright]
    left, right = _extent([value for one in series for value in one.x] + upright)
    low, high = _extent(
        [value for one in series for value in one.y]
        + [line.at for line in chart.lines if not line.upright]
        + [0.0 for one in series if one.filled]
    )
    with _figure(width, height, colour) as figure:
        for one in series:
            figure.draw(figure.series(one, max(8, 2 * width), alone=len(series) == 1))
        for line in chart.lines:
            ends = ([line.at] * 2, [low, high]) if line.upright else ([left, right], [line.at] * 2)
            mark = figure.marker("┊" if line.upright else "╌", "meaning")
            figure.draw(figure.figure.signal(*ends, marker=mark).lines())
        for line in chart.lines:
            at = (line.at, high) if line.upright else (right, line.at)
            side = "left" if line.upright and line.at < (left + right) / 2 else "right"
            figure.write(*at, f" {visible_line(line.name)} ", "meaning", side)
        ticks = ticked(low, high, logarithmic=chart.log_y)
        figure.axis("x", left, right, *ticked(left, right, logarithmic=chart.log_x))
        figure.axis("y", low, high, *_told_apart(*ticks, (high - low) / max(height - 4, 1)))
        figure.figure.label(visible_line(chart.x) or None, "x", "lower")
        return figure.lines()


def _map(chart: Map, width: int, height: int, colour: bool) -> list[str]:
    if not any(group.x for group in chart.groups):
        return []
    across, down = _map_size(chart, width, height)
    names = [
        _ink(one.letter, one.colour, colour) + " " + short(one.name, width // LABELS - 9) + f" ({one.size:,})"
        for one in _seen(chart)
    ]
    rows = _dots(chart, across, down, colour)
    if across < width:
        beside = [*_cut(names, down), *[""] * down][:down]
        return [f"{row}  {name}" for row, name in zip(rows, beside, strict=True)]
    return [*rows, *_cut(wrapped(names, width), height - down)]


def _dots(chart: Map, across: int, down: int, colour: bool) -> list[str]:
    """The lines of the map: a dot for each point, the letter of a group at its center."""
    left, right, low, high = chart.box
    right, high = max(right, left + 1e-9), max(high, low + 1e-9)
    with _figure(across, down, colour) as figure:
        figure.figure.axes(False)
        middles = []
        for group in chart.groups:
            points = zip(group.x, group.y, strict=True)
            inside = [(x, y) for x, y in points if left <= x <= right and low <= y <= high]
            if not inside:
                continue
            x, y = (list(values) for values in zip(*inside, strict=True))
            figure.draw(figure.figure.signal(x, y, marker=figure.marker("braille", group.colour)))
            if group.letter in LETTERS:
                middles.append((sorted(x)[len(x) // 2], sorted(y)[len(y) // 2], group))
        for across_at, up, group in middles:
            figure.write(across_at, up, group.letter, group.colour)
        if chart.here is not None and left <= chart.here[0] <= right and low <= chart.here[1] <= high:
            figure.write(*chart.here, HERE, "meaning")
        figure.axis("x", left, right, [], [])
        figure.axis("y", low, high, [], [])
        return figure.lines()


def _seen(chart: Map) -> list[Group]:
    """The groups with a point in the drawn part."""
    left, right, low, high = chart.box
    return [
        group
        for group in chart.groups
        if any(left <= x <= right and low <= y <= high for x, y in zip(group.x, group.y, strict=True))
    ]


def _map_size(chart: Map, width: int, height: int) -> tuple[int, int]:
    """The size of the map in cells, without group names, which are next to it or else below."""
    if width >= BESIDE:
        longest = max(cell_len(group.name) + len(f"{group.size:,}") + 5 for group in chart.groups)
        return width - min(longest, width // LABELS) - 2, height
    return width, height - min(len(chart.groups), height // LABELS)


def pointed_at(chart: Map, width: int, height: int, column: int, row: int) -> tuple[float, float] | None:
    """The map coordinates of a cell, for a map of this size in cells; None outside of the map."""
    across, down = _map_size(chart, width, height)
    if not (0 <= column < across and 0 <= row < down):
        return None
    left, right, low, high = chart.box
    return left + (column + 0.5) / across * (right - left), high - (row + 0.5) / down * (high - low)


# -- numbers -------------------------------------------------------------------------------------------


def round_ticks(low: float, high: float, most: int = TICKS) -> tuple[float, ...]:
    """About `most` round numbers between two values."""
    if not _apart(low, high):
        return (low,)
    raw = (high - low) / most
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(size * times for times in (1, 2, 5, 10) if size * times >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    return tuple(round(number * step, 12) for number in range(first, math.floor(high / step + 1e-9) + 1))


def spelled_ticks(ticks: Sequence[float]) -> list[str]:
    """Format ticks with as many decimals as needed to distinguish them."""
    if not ticks:
        return []
    if all(float(tick).is_integer() for tick in ticks):
        return [f"{tick:,.0f}" for tick in ticks]
    gap = min((b - a for a, b in pairwise(ticks)), default=abs(ticks[0]) or 1.0)
    digits = max(1, -math.floor(math.log10(gap)))
    return [f"{tick:,.{digits}f}" if digits <= 6 else f"{tick:.1e}" for tick in ticks]


def ticked(low: float, high: float, *, logarithmic: bool) -> tuple[Sequence[float], list[str]]:
    """Ticks and their labels; a logarithmic axis ends at powers of ten."""
    if not logarithmic:
        ticks = round_ticks(low, high)
        return ticks, spelled_ticks(ticks)
    whole = range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)
    if len(whole) > 1:
        powers = [float(power) for power in whole[:: max(1, math.ceil(len(whole) / (TICKS + 2)))]]
        return powers, [f"{10**power:g}" for power in powers]
    between = [tick for tick in round_ticks(10**low, 10**high) if tick > 0]
    return [math.log10(tick) for tick in between], spelled_ticks(between)


def _told_apart(ticks: Sequence[float], labels: Sequence[str], row: float) -> tuple[list[float], list[str]]:
    """The ticks that have their own row; `row`: the height of a row."""
    chosen: list[tuple[float, str]] = []
    for tick, label in zip(ticks, labels, strict=True):
        if not chosen or tick - chosen[-1][0] >= row:
            chosen.append((tick, label))
    return [tick for tick, _ in chosen], [label for _, label in chosen]


def folded(spans: Sequence[str], counts: Sequence[int], most: int) -> tuple[list[str], list[int], int]:
    """Merge columns to at most `most`; also returns how many spans each column adds up."""
    step = max(1, math.ceil(len(spans) / max(1, most)))
    starts = range(0, len(spans), step)
    return [spans[at] for at in starts], [sum(counts[at : at + step]) for at in starts], step


def _extent(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    return (low, high) if _apart(low, high) else (low - 0.5, high + 0.5)


def _apart(low: float, high: float) -> bool:
    """Whether two numbers differ by more than rounding errors."""
    return high - low > max(1e-300, 1e-12 * max(abs(low), abs(high)))


def _scaled(chart: Curves) -> Curves:
    """Convert logarithmic axes to powers of ten; values ≤ 0 are left out."""

    def scaled(value: float, *, logarithmic: bool) -> float:
        if not logarithmic:
            return value
        return math.log10(value) if value > 0 else math.nan

    series = []
    for one in chart.series:
        points = [
            (scaled(x, logarithmic=chart.log_x), scaled(y, logarithmic=chart.log_y))
            for x, y in zip(one.x, one.y, strict=True)
        ]
        kept = [point for point in points if not any(map(math.isnan, point))]
        series.append(replace(one, x=tuple(x for x, _ in kept), y=tuple(y for _, y in kept)))
    lines = [
        replace(line, at=scaled(line.at, logarithmic=chart.log_x if line.upright else chart.log_y))
        for line in chart.lines
    ]
    return replace(
        chart, series=tuple(series), lines=tuple(line for line in lines if not math.isnan(line.at))
    )


# -- words ---------------------------------------------------------------------------------------------


def _ink(text: str, tone: str, colour: bool) -> str:
    return f"\x1b[{_code(ANSI[tone])}m{text}\x1b[0m" if colour and text and tone in ANSI else text


def _code(number: int) -> int:
    """The ANSI code of a color."""
    return 30 + number if number < 8 else 82 + number


def wrapped(pieces: Sequence[str], width: int) -> list[str]:
    """Wrap the pieces, separated by three blanks, to `width`."""
    lines: list[str] = []
    for piece in pieces:
        line = f"{lines[-1]}   {piece}" if lines else piece
        if lines and cell_len(_ESCAPE.sub("", line)) <= width:
            lines[-1] = line
        else:
            lines.append(piece)
    return lines


def _cut(lines: list[str], room: int) -> list[str]:
    """Cut to at most `room` lines; the last one says how many are left out."""
    return lines if len(lines) <= room else [*lines[: max(room - 1, 0)], f"… {len(lines) - room + 1} more"]


def short(text: str, width: int) -> str:
    """The text on one line, cut to `width` cells."""
    shown = visible_line(text)
    return shown if cell_len(shown) <= width else set_cell_size(shown, max(1, width - 1)).rstrip() + "…"


def _fit(text: str, width: int) -> str:
    return set_cell_size(short(text, width), width)
