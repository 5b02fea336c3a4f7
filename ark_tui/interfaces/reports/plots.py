"""Charts drawn in characters, with or without colour: the only place that knows plotext.

`drawn(chart, width, height, colour=…)` gives lines of at most `width` cells. Colours are the sixteen that a
terminal's owner has chosen; every series has a marker or a letter of its own besides. plotext has one figure
per process, so one chart is drawn at a time.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from types import ModuleType
from typing import Any

from rich.cells import cell_len, set_cell_size

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.reports.charts import Bar, Bars, Chart, Curves, Group, Map, Series, Times, thinned

ANSI = {"words": 6, "meaning": 3, "time": 2, "structure": 5, "model": 4}
"""Cyan, yellow, green, magenta, blue."""

EIGHTHS = " ▏▎▍▌▋▊▉"
RISING = " ▁▂▃▄▅▆▇█"
COLUMN = 8  # cells of a column and the gap beside it, at most
LEAST = (24, 6)  # cells below which nothing can be read
TICKS = 5
HERE = "◉"
LABELS = 3  # a label has at most one part in so many of the width

_drawing = threading.Lock()
_PALETTE = re.compile(r"38;5;(\d+)m")


def drawn(chart: Chart, width: int = 80, height: int = 18, *, colour: bool = False) -> str:
    """The chart as lines of text; without `colour` there is no control character in it."""
    width, height = max(width, LEAST[0]), max(height, LEAST[1])
    lines: list[str] = []
    match chart:
        case Bars():
            lines = list(_bars(chart, width, colour))
        case Times():
            lines = list(_times(chart, width, height, colour))
        case Curves():
            key = [*_key(chart.series, width, colour), *([visible_line(chart.y)] if chart.y else [])]
            lines = [*key, *_curves(chart, width, height - len(key), colour)]
        case Map():
            key = list(_clusters(chart.groups, width, colour))
            lines = [*_map(chart, width, max(height - len(key), LEAST[1]), colour), *key]
    return "\n".join(line if colour else line.rstrip() for line in lines)


# -- bars: ours, since plotext cuts lying ones off -----------------------------------------------------


def _bars(chart: Bars, width: int, colour: bool) -> Iterator[str]:
    most = max((abs(bar.total) for bar in chart.bars), default=0.0)
    totals = [f"{bar.total:,.{chart.digits}f}" for bar in chart.bars]
    label = min(max((cell_len(bar.label) for bar in chart.bars), default=0), width // LABELS)
    room = max(4, width - label - max(map(len, totals), default=0) - 3)
    for bar, total in zip(chart.bars, totals, strict=True):
        drawn_bar = _parts(bar, room / most if most else 0.0, colour)
        yield f"{_fit(bar.label, label)} {drawn_bar} {total}"
    if chart.key:
        yield from _wrapped(
            [_ink(f"{letter} {name}", tone, colour) for letter, tone, name in chart.key], width
        )


def _parts(bar: Bar, cells: float, colour: bool) -> str:
    if len(bar.parts) == 1 and bar.parts[0][0] == "█":
        _, tone, amount = bar.parts[0]
        whole, eighths = divmod(round(abs(amount) * cells * 8), 8)
        if amount and not whole and not eighths:
            eighths = 1  # there is some
        return _ink("█" * whole + EIGHTHS[eighths].strip(), tone, colour)
    drawn_parts, so_far, end = [], 0.0, 0
    for letter, tone, amount in bar.parts:
        so_far += max(amount, 0.0)
        length = max(round(so_far * cells) - end, 0)
        end += length
        drawn_parts.append(_ink(letter * length, tone, colour))
    return "".join(drawn_parts)


# -- columns over time: ours, since plotext's have odd widths ---------------------------------------------


def _times(chart: Times, width: int, height: int, colour: bool) -> Iterator[str]:
    if not chart.counts:
        return
    top = max(chart.counts)
    margin = len(f"{top:,}")
    room = width - margin - 2
    spans, counts = folded([visible_line(span) for span in chart.spans], chart.counts, room // 2)
    cells = min(COLUMN, room // len(spans))
    rows = height - 2
    for row in range(rows, 0, -1):
        level = f"{top:,}" if row == rows else f"{top / 2:,.0f}" if row == rows // 2 and top > 3 else ""
        blocks = "".join(_block(count, top, row, rows) * (cells - 1) + " " for count in counts)
        yield f"{level:>{margin}}{'┤' if level else '│'} {_ink(blocks, chart.colour, colour)}"
    yield f"{0:>{margin}}└{'─' * min(room + 1, cells * len(spans) + 1)}"
    yield " " * (margin + 2) + _named(spans, cells, room)


def _block(count: int, top: int, row: int, rows: int) -> str:
    """What a column of this count shows in a row of the picture, rows counting from 1 at the ground."""
    eighths = max(1, round(count / top * rows * 8)) if count and top else 0
    return RISING[min(8, max(0, eighths - 8 * (row - 1)))]


def _named(spans: Sequence[str], cells: int, room: int) -> str:
    """The names of columns, every so many, each beginning below its column."""
    line = ""
    for at in range(0, len(spans), math.ceil((max(map(len, spans)) + 2) / cells)):
        if at * cells + len(spans[at]) <= room:
            line = line.ljust(at * cells) + spans[at]
    return line


# -- what plotext draws --------------------------------------------------------------------------------


def _curves(chart: Curves, width: int, height: int, colour: bool) -> list[str]:
    if chart.logarithmic:
        chart = as_logarithms(chart)
    series = [one for one in chart.series if one.x]
    if not series:
        return []
    upright = [line.at for line in chart.lines if line.upright]
    level = [line.at for line in chart.lines if not line.upright]
    left, right = _extent([value for one in series for value in one.x], upright)
    low, high = _extent([value for one in series for value in one.y], level)
    with _drawing:
        plotext, figure = _figure(width, height)
        for line in chart.lines:
            ends = ([line.at] * 2, [low, high]) if line.upright else ([left, right], [line.at] * 2)
            mark = _marker(plotext, "┊" if line.upright else "╌", "meaning", colour)
            figure.draw(figure.signal(*ends, marker=mark).lines())
        for one in series:
            x, y = thinned(one.x, one.y, max(8, 2 * width))
            sign = one.marker if one.dots or len(series) > 1 else "braille"
            signal = figure.signal(list(x), list(y), marker=_marker(plotext, sign, one.colour, colour))
            figure.draw(signal if one.dots else signal.lines())
        for line in chart.lines:
            at = (line.at, high) if line.upright else (right, line.at)
            text = plotext.colorize(f" {visible_line(line.name)} ", _pixel(plotext, "meaning", colour))
            side = "left" if line.upright and line.at < (left + right) / 2 else "right"
            figure.draw(figure.text(*at, text, alignment=side))
        for axis, side, ticks, labels in (
            ("x", "lower", *ticked(left, right, logarithmic=False)),
            ("y", "left", *ticked(low, high, logarithmic=chart.logarithmic)),
        ):
            figure.ruler(axis, side).ticks(list(ticks), labels)
        figure.ruler("x", "lower").lim(left, right)
        figure.ruler("y", "left").lim(low, high)
        figure.label(visible_line(chart.x) or None, "x", "lower")
        return _lines(figure, colour)


def _map(chart: Map, width: int, height: int, colour: bool) -> list[str]:
    if not any(group.x for group in chart.groups):
        return []
    with _drawing:
        plotext, figure = _figure(width, height, framed=True)
        for group in chart.groups:
            mark = _marker(plotext, group.letter, group.colour, colour)
            figure.draw(figure.signal(list(group.x), list(group.y), marker=mark))
        if chart.here is not None:
            x, y = chart.here
            figure.draw(figure.signal([x], [y], marker=_marker(plotext, HERE, "", colour)))
        for axis, side in (("x", "lower"), ("y", "left")):
            figure.ruler(axis, side).frequency(0)
        return _lines(figure, colour)


def pointed_at(chart: Map, width: int, height: int, column: int, row: int) -> tuple[float, float] | None:
    """The point of a map, drawn in so many cells, that a cell stands for; None beside the map."""
    down = max(height - len(list(_clusters(chart.groups, width, colour=False))), LEAST[1])
    if not (0 < column < width - 1 and 0 < row < down - 1):
        return None
    x = [one for group in chart.groups for one in group.x]
    y = [one for group in chart.groups for one in group.y]
    across, up = (column - 1) / max(width - 3, 1), 1 - (row - 1) / max(down - 3, 1)
    return min(x) + across * (max(x) - min(x)), min(y) + up * (max(y) - min(y))


def _figure(width: int, height: int, *, framed: bool = False) -> tuple[ModuleType, Any]:
    """The process's one figure, emptied, of this size and without colours of its own."""
    import plotext

    plotext.terminal.limit(False, False)
    figure = plotext.figure
    figure.clear()
    figure.theme("simple")
    figure.plot_size(width, height)
    figure.legend(False)
    if not framed:
        figure.axes(False, axis="x", side="upper")
        figure.axes(False, axis="y", side="right")
    return plotext, figure


def _lines(figure: Any, colour: bool) -> list[str]:
    text = str(figure.build().string(colorless=not colour)).rstrip("\n")
    figure.clear()
    return _PALETTE.sub(lambda match: f"{_code(int(match[1]))}m", text).split("\n")


def _pixel(plotext: ModuleType, tone: str, colour: bool) -> Any:
    return plotext.pixel(foreground=ANSI[tone]) if colour and tone in ANSI else plotext.pixel()


def _marker(plotext: ModuleType, sign: str, tone: str, colour: bool) -> Any:
    return plotext.marker(sign, pixel=_pixel(plotext, tone, colour))


# -- numbers and words ---------------------------------------------------------------------------------


def round_ticks(low: float, high: float, most: int = TICKS) -> tuple[float, ...]:
    """Round numbers between two values, at most about so many."""
    if not _apart(low, high):
        return (low,)
    raw = (high - low) / most
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(size * times for times in (1, 2, 5, 10) if size * times >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    return tuple(round(number * step, 12) for number in range(first, math.floor(high / step + 1e-9) + 1))


def spelled_ticks(ticks: Sequence[float]) -> list[str]:
    """Ticks with as many decimals as tell them apart."""
    if not ticks:
        return []
    if all(float(tick).is_integer() for tick in ticks):
        return [f"{tick:,.0f}" for tick in ticks]
    gap = min((b - a for a, b in pairwise(ticks)), default=abs(ticks[0]) or 1.0)
    digits = max(1, -math.floor(math.log10(gap)))
    return [f"{tick:,.{digits}f}" if digits <= 6 else f"{tick:.1e}" for tick in ticks]


def ticked(
    low: float, high: float, *, logarithmic: bool, most: int = TICKS
) -> tuple[tuple[float, ...], list[str]]:
    """Ticks and what they are called. Of a logarithmic axis both ends are powers of ten."""
    if not logarithmic:
        ticks = round_ticks(low, high, most)
        return ticks, spelled_ticks(ticks)
    whole = range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)
    if len(whole) > 1:
        powers = [float(power) for power in whole[:: max(1, math.ceil(len(whole) / (most + 2)))]]
        return tuple(powers), [f"{10**power:g}" for power in powers]
    between = [tick for tick in round_ticks(10**low, 10**high, most) if tick > 0]
    return tuple(math.log10(tick) for tick in between), spelled_ticks(between)


def folded(spans: Sequence[str], counts: Sequence[int], most: int) -> tuple[list[str], list[int]]:
    """At most so many columns: neighbours are added up, under the name of the first."""
    step = max(1, math.ceil(len(spans) / max(1, most)))
    starts = range(0, len(spans), step)
    return [spans[at] for at in starts], [sum(counts[at : at + step]) for at in starts]


def _extent(values: Sequence[float], more: Sequence[float]) -> tuple[float, float]:
    every = [*values, *more]
    low, high = min(every), max(every)
    return (low, high) if _apart(low, high) else (low - 0.5, high + 0.5)


def _apart(low: float, high: float) -> bool:
    """Whether two numbers differ by more than the rounding of their arithmetic."""
    return high - low > max(1e-300, 1e-12 * max(abs(low), abs(high)))


def as_logarithms(chart: Curves) -> Curves:
    """The chart with the upright axis in powers of ten; what is not above 0 is left out."""
    series = []
    for one in chart.series:
        kept = [(x, math.log10(y)) for x, y in zip(one.x, one.y, strict=True) if y > 0]
        series.append(replace(one, x=tuple(x for x, _ in kept), y=tuple(y for _, y in kept)))
    lines = tuple(
        line if line.upright else replace(line, at=math.log10(line.at))
        for line in chart.lines
        if line.upright or line.at > 0
    )
    return replace(chart, series=tuple(series), lines=lines)


def _key(series: Sequence[Series], width: int, colour: bool) -> list[str]:
    if len(series) < 2:
        return []
    return _wrapped(
        [_ink(f"{one.marker} {visible_line(one.name)}", one.colour, colour) for one in series], width
    )


def _clusters(groups: Sequence[Group], width: int, colour: bool) -> Iterator[str]:
    for group in groups:
        size = f" ({group.size:,})"
        yield (
            _ink(group.letter, group.colour, colour) + " " + _short(group.name, width - 2 - len(size)) + size
        )


def _ink(text: str, tone: str, colour: bool) -> str:
    return f"\x1b[{_code(ANSI[tone])}m{text}\x1b[0m" if colour and text and tone in ANSI else text


def _code(number: int) -> int:
    """The colour in the way that every terminal knows."""
    return 30 + number if number < 8 else 82 + number


_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def _wrapped(pieces: Sequence[str], width: int) -> list[str]:
    """The pieces, three blanks between them, on as many lines as they need."""
    lines: list[str] = []
    for piece in pieces:
        line = f"{lines[-1]}   {piece}" if lines else piece
        if lines and cell_len(_ESCAPE.sub("", line)) <= width:
            lines[-1] = line
        else:
            lines.append(piece)
    return lines


def _short(text: str, width: int) -> str:
    shown = visible_line(text)
    return shown if cell_len(shown) <= width else set_cell_size(shown, max(1, width - 1)).rstrip() + "…"


def _fit(text: str, width: int) -> str:
    return set_cell_size(_short(text, width), width)
