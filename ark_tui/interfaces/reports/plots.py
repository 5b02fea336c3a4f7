"""Draws charts as text with plotext.

`drawn(chart, width, height)` returns lines of at most `width` cells; the style of a span is the name of a
color family. plotext has one figure per process, so a lock serializes drawing. Horizontal bars are drawn
without plotext, which cuts off their names.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.reports.charts import Bar, Bars, Chart, Curves, Group, Map, Series, Times

COLORS = {"words": 6, "meaning": 3, "time": 2, "structure": 5, "model": 4}
"""The numbers by which plotext knows the colors."""

FAMILIES_OF = {number: name for name, number in COLORS.items()}
MARKERS = {"line": "braille", "dots": "•", "columns": "full"}
SIGNS = {"line": "─", "dots": "•", "columns": "█"}

LEAST = (24, 6)  # minimal size in cells
HERE = "◉"
LABELS = 3  # a label gets at most one third of the width, and the key of a map one third of the height
_drawing = threading.Lock()


def drawn(chart: Chart, width: int = 76, height: int = 0) -> Text:
    """The chart as lines of text. The default size is that of a report."""
    width, height = max(width, LEAST[0]), max(height or {Map: 22, Times: 10}.get(type(chart), 16), LEAST[1])
    match chart:
        case Bars():
            lines = list(_bars(chart, width))
        case Times():
            columns = Series("", tuple(range(len(chart.counts))), chart.counts, "time", "columns")
            lines = _curves(Curves((columns,)), width, height, [visible_line(span) for span in chart.spans])
        case Curves():
            lines = _curves(chart, width, height)
        case _:
            lines = _map(chart, width, height)
    for line in lines:
        line.rstrip()
    return Text("\n").join(lines)


# -- bars ----------------------------------------------------------------------------------------------


def _bars(chart: Bars, width: int) -> Iterator[Text]:
    most = max((bar.total for bar in chart.bars), default=0.0)
    totals = [f"{bar.total:,.{chart.digits}f}" for bar in chart.bars]
    label = min(max((cell_len(bar.label) for bar in chart.bars), default=0), width // LABELS)
    room = max(4, width - label - max(map(len, totals), default=0) - 3)
    for bar, total in zip(chart.bars, totals, strict=True):
        name = set_cell_size(short(bar.label, label), label)
        yield Text.assemble(name, " ", *_parts(bar, room / most if most else 0.0), " ", total)
    yield from _wrapped([Text(f"{letter} {name}", tone) for letter, tone, name in chart.key], width)


def _parts(bar: Bar, cells: float) -> Iterator[tuple[str, str]]:
    """The parts of a bar, each as long as its amount; a nonzero bar has at least one cell."""
    so_far, end = 0.0, 0
    for letter, tone, amount in bar.parts:
        so_far += max(amount, 0.0)
        length = max(round(so_far * cells), 1 if so_far and not end else 0) - end
        end += max(length, 0)
        yield letter * length, tone


# -- plotext -------------------------------------------------------------------------------------------


class _Figure:
    """The process's only plotext figure, cleared. It is used while `_drawing` is held."""

    def __init__(self, width: int, height: int) -> None:
        import plotext

        plotext.terminal.limit(False, False)
        self.plotext, self.figure = plotext, plotext.figure
        self.figure.clear()
        self.figure.theme("simple")
        self.figure.plot_size(width, height)
        self.figure.legend(False)
        self.figure.axes(False, axis="x", side="upper")
        self.figure.axes(False, axis="y", side="right")

    def draw(self, x: Sequence[float], y: Sequence[float], sign: str, tone: str, *, line: bool) -> None:
        marker = self.plotext.marker(sign, pixel=self._pixel(tone))
        signal = self.figure.signal(list(x), list(y), marker=marker)
        self.figure.draw(signal.lines() if line else signal)

    def series(self, one: Series) -> None:
        if one.style == "columns":  # bars of plotext have no logarithmic axis
            for at, height in zip(one.x, one.y, strict=True):
                if height > 0:
                    self.draw([at, at], [0.0, height], MARKERS[one.style], one.colour, line=True)
        else:
            self.draw(one.x, one.y, MARKERS[one.style], one.colour, line=one.style == "line")

    def write(self, x: float, y: float, text: str, tone: str, side: str = "center") -> None:
        shown = self.plotext.colorize(text, self._pixel(tone))
        self.figure.draw(self.figure.text(x, y, shown, alignment=side))

    def axis(self, name: str, low: float, high: float, ticks: Sequence[float], labels: Sequence[str]) -> None:
        ruler = self.figure.ruler(name, "lower" if name == "x" else "left")
        ruler.ticks(list(ticks), list(labels))
        ruler.lim(low, high)

    def lines(self) -> list[Text]:
        text = Text.from_ansi(str(self.figure.build().string(colorless=False)).rstrip("\n"))
        self.figure.clear()
        for number, span in enumerate(text.spans):
            color = span.style.color if isinstance(span.style, Style) else None
            family = FAMILIES_OF.get(color.number or -1, "") if color else ""
            text.spans[number] = span._replace(style=family)
        return list(text.split("\n"))

    def _pixel(self, tone: str) -> Any:
        return self.plotext.pixel(foreground=COLORS[tone]) if tone in COLORS else self.plotext.pixel()


def _curves(chart: Curves, width: int, height: int, spans: Sequence[str] = ()) -> list[Text]:
    """Curves below their names and the label of the y-axis. `spans`: the names of x = 0, 1, 2, …."""
    series = [one for one in chart.series if one.x]
    if not series:
        return []
    names = [Text(f"{SIGNS[one.style]} {visible_line(one.name)}", one.colour) for one in series]
    key = [
        *(_wrapped(names, width) if len(names) > 1 else ()),
        *([Text(short(chart.y, width))] if chart.y else ()),
    ]
    edge = [chart.edge] if chart.edge else []
    across = [value for one in series for value in one.x] + [at for _, at in edge]
    up = [value for one in series for value in one.y]
    left, right, low, high = min(across), max(across), min(up), max(up)
    with _drawing:
        figure = _Figure(width, height - len(key))
        for one in series:
            figure.series(one)
        for name, at in edge:
            figure.draw([at, at], [low, high], "┊", "meaning", line=True)
            side = "left" if at < (left + right) / 2 else "right"
            figure.write(at, high, f" {visible_line(name)} ", "meaning", side)
        if spans:
            step = math.ceil(len(spans) * (max(map(len, spans)) + 2) / max(width - 8, 1))
            ticks = range(0, len(spans), step)
            figure.axis("x", -0.5, len(spans) - 0.5, ticks, [spans[tick] for tick in ticks])
        if chart.log_x and left < right:  # plotext widens an axis of one value past 0
            figure.figure.ruler("x", "lower").scale("log")
        if chart.log_y and low < high:
            figure.figure.ruler("y", "left").scale("log")
        figure.figure.label(visible_line(chart.x) or None, "x", "lower")
        return [*key, *figure.lines()]


# -- maps ----------------------------------------------------------------------------------------------


def _map(chart: Map, width: int, height: int) -> list[Text]:
    """A dot for each point, the letter of a group at its center, and the names of the groups below."""
    if not any(group.x for group in chart.groups):
        return []
    key = _map_key(chart, width, height)
    left, right, low, high = chart.box
    right, high = max(right, left + 1e-9), max(high, low + 1e-9)
    with _drawing:
        figure = _Figure(width, height - len(key))
        figure.figure.axes(False)
        seen = _seen(chart)
        for group, x, y in seen:
            figure.draw(x, y, "braille", group.colour, line=False)
        for group, x, y in seen:
            if group.letter.isalpha():
                figure.write(sorted(x)[len(x) // 2], sorted(y)[len(y) // 2], group.letter, group.colour)
        if chart.here is not None and left <= chart.here[0] <= right and low <= chart.here[1] <= high:
            figure.write(*chart.here, HERE, "meaning")
        figure.axis("x", left, right, [], [])
        figure.axis("y", low, high, [], [])
        return [*figure.lines(), *key]


def _seen(chart: Map) -> list[tuple[Group, list[float], list[float]]]:
    """The groups with a point in the drawn part, and these points."""
    left, right, low, high = chart.box
    found = []
    for group in chart.groups:
        points = zip(group.x, group.y, strict=True)
        inside = [(x, y) for x, y in points if left <= x <= right and low <= y <= high]
        if inside:
            found.append((group, [x for x, _ in inside], [y for _, y in inside]))
    return found


def _map_key(chart: Map, width: int, height: int) -> list[Text]:
    """The names of the groups; the last line says how many lines are left out."""
    names = [
        Text.assemble((group.letter, group.colour), f" {short(group.name, width // LABELS)} ({group.size:,})")
        for group, _, _ in _seen(chart)
    ]
    lines, room = _wrapped(names, width), height // LABELS
    return lines if len(lines) <= room else [*lines[: room - 1], Text(f"… {len(lines) - room + 1} more")]


def pointed_at(chart: Map, width: int, height: int, column: int, row: int) -> tuple[float, float] | None:
    """The map coordinates of a cell, for a map of this size in cells; None outside of the map."""
    down = height - len(_map_key(chart, width, height))
    if not (0 <= column < width and 0 <= row < down):
        return None
    left, right, low, high = chart.box
    return left + (column + 0.5) / width * (right - left), high - (row + 0.5) / down * (high - low)


# -- words ---------------------------------------------------------------------------------------------


def _wrapped(pieces: Sequence[Text], width: int) -> list[Text]:
    """Wrap the pieces, separated by three blanks, to `width`."""
    lines: list[Text] = []
    for piece in pieces:
        if lines and lines[-1].cell_len + 3 + piece.cell_len <= width:
            lines[-1] = Text.assemble(lines[-1], "   ", piece)
        else:
            lines.append(piece)
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    return lines


def short(text: str, width: int) -> str:
    """The text on one line, cut to `width` cells."""
    shown = visible_line(text)
    return shown if cell_len(shown) <= width else set_cell_size(shown, max(1, width - 1)).rstrip() + "…"
