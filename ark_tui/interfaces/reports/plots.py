"""Draws charts as text with plotext, with or without color.

`drawn(chart, width, height, colour=…)` returns lines of at most `width` cells, in the terminal's 16 colors.
plotext has one figure per process, so a lock serializes drawing. Horizontal bars are drawn without plotext,
which cuts off their names.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
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
    Map,
    Series,
    Times,
    thinned,
)

ANSI = {"words": 6, "meaning": 3, "time": 2, "structure": 5, "model": 4}
"""Cyan, yellow, green, magenta, blue."""

FAMILIES_OF = {number: name for name, number in ANSI.items()}

LEAST = (24, 6)  # minimal size in cells
HERE = "◉"
BESIDE = 64  # width in cells from which on group names are placed next to a map
LABELS = 3  # a label gets at most one third of the width
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

    def series(self, one: Series, most: int, *, alone: bool) -> None:
        """Draw a curve, thinned to `most` points; a curve that is `alone` needs no marker of its own."""
        x, y = (list(values) for values in thinned(one.x, one.y, most))
        if one.filled:  # bars of plotext have no logarithmic axis
            for at, height in zip(x, y, strict=True):
                self.draw(
                    self.figure.signal(
                        [at, at], [0.0, height], marker=self.marker("full", one.colour)
                    ).lines()
                )
            return
        sign = "braille" if alone and not one.dots else one.marker
        signal = self.figure.signal(x, y, marker=self.marker(sign, one.colour))
        self.draw(signal if one.dots else signal.lines())

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
        figure.figure.ruler("y", "left").lim(0, top)
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
    series = [one for one in map(partial(_drawable, chart), chart.series) if one.x]
    lines = [
        line for line in chart.lines if line.at > 0 or not (chart.log_x if line.upright else chart.log_y)
    ]
    if not series:
        return []
    upright = [line.at for line in lines if line.upright]
    across = [value for one in series for value in one.x] + upright
    up = [value for one in series for value in one.y] + [line.at for line in lines if not line.upright]
    left, right, low, high = min(across), max(across), min(up), max(up)
    with _figure(width, height, colour) as figure:
        for one in series:
            figure.series(one, max(8, 2 * width), alone=len(series) == 1)
        for line in lines:
            ends = ([line.at] * 2, [low, high]) if line.upright else ([left, right], [line.at] * 2)
            mark = figure.marker("┊" if line.upright else "╌", "meaning")
            figure.draw(figure.figure.signal(*ends, marker=mark).lines())
        for line in lines:
            at = (line.at, high) if line.upright else (right, line.at)
            side = "left" if line.upright and line.at < (left + right) / 2 else "right"
            figure.write(*at, f" {visible_line(line.name)} ", "meaning", side)
        for name, side, log in (
            ("x", "lower", chart.log_x and left < right),
            ("y", "left", chart.log_y and low < high),
        ):
            if log:  # plotext widens an axis of one value past 0
                figure.figure.ruler(name, side).scale("log")
        figure.figure.label(visible_line(chart.x) or None, "x", "lower")
        return figure.lines()


def _drawable(chart: Curves, one: Series) -> Series:
    """A curve without the points that a logarithmic axis cannot show: values ≤ 0."""
    points = [
        (x, y)
        for x, y in zip(one.x, one.y, strict=True)
        if (x > 0 or not chart.log_x) and (y > 0 or not chart.log_y)
    ]
    return replace(one, x=tuple(x for x, _ in points), y=tuple(y for _, y in points))


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


def folded(spans: Sequence[str], counts: Sequence[int], most: int) -> tuple[list[str], list[int], int]:
    """Merge columns to at most `most`; also returns how many spans each column adds up."""
    step = max(1, math.ceil(len(spans) / max(1, most)))
    starts = range(0, len(spans), step)
    return [spans[at] for at in starts], [sum(counts[at : at + step]) for at in starts], step


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
