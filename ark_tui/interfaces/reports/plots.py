"""Charts drawn in characters, with or without colour: the only place that knows plotext.

`drawn(chart, width, height, colour=…)` gives lines of at most `width` cells. Colours are the sixteen that a
terminal's owner has chosen; every series has a marker or a letter of its own besides. plotext has one figure
per process, so one chart is drawn at a time.
"""

from __future__ import annotations

import math
import re
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from types import ModuleType
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
    Histogram,
    Map,
    Series,
    Summary,
    Times,
    thinned,
)

ANSI = {"words": 6, "meaning": 3, "time": 2, "structure": 5, "model": 4}
"""Cyan, yellow, green, magenta, blue."""

FAMILIES_OF = {number: name for name, number in ANSI.items()}

EIGHTHS = " ▏▎▍▌▋▊▉"
RISING = " ▁▂▃▄▅▆▇█"
COLUMN = 8  # cells of a column and the gap beside it, at most
LEAST = (24, 6)  # cells below which nothing can be read
TICKS = 5
HERE = "◉"
BESIDE = 64  # cells from which on the names of a map's clusters stand beside it
BRAILLE = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
LABELS = 3  # a label has at most one part in so many of the width
LEAST_LABEL = 3  # cells below which a name says nothing

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
            lines = _with_key(chart, width, height, colour)
        case Histogram():
            lines = list(_histogram(chart, width, height, colour))
        case Heat():
            lines = list(_heat(chart, width, height, colour))
        case Summary():
            lines = list(_facts(chart, width, height, colour))
        case Map():
            lines = _map(chart, width, height, colour)
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
    room = width - len(f"{sum(chart.counts):,}") - 2
    spans, counts, step = folded([visible_line(span) for span in chart.spans], chart.counts, room // 2)
    top, cells = max(counts), min(COLUMN, room // len(spans))
    foot = [f"{step} to a column, named by the first"] if step > 1 else []
    rows = height - 2 - len(foot)
    levels, margin = _scale(top, rows), len(f"{top:,}")
    for row in range(rows, 0, -1):
        level = levels.get(row, "")
        blocks = "".join(_block(count, top, row, rows) * (cells - 1) + " " for count in counts)
        yield f"{level:>{margin}}{'┤' if level else '│'} {_ink(blocks, chart.colour, colour)}"
    yield f"{0:>{margin}}└{'─' * min(room + 1, cells * len(spans) + 1)}"
    yield " " * (margin + 2) + _named(spans, cells, room)
    yield from (" " * (margin + 2) + _short(line, room) for line in foot)


def _scale(top: int, rows: int) -> dict[int, str]:
    """What the upper edge of a row stands for: of the highest, and of one in the middle at a whole number."""
    inner = [row for row in range(1, rows) if rows <= 3 * row <= 2 * rows] if top > 3 else []
    levels = {row: top * row / rows for row in inner}
    middle = min(
        inner, key=lambda row: (abs(levels[row] - round(levels[row])), abs(2 * row - rows)), default=0
    )
    return {middle: f"{levels.get(middle, 0):,.0f}", rows: f"{top:,}"}


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


def _with_key(chart: Curves, width: int, height: int, colour: bool) -> list[str]:
    key = [*_key(chart.series, width, colour), *([visible_line(chart.y)] if chart.y else [])]
    if chart.first and not _corner_is_free(chart, height):
        named = " · ".join(f"{rank} {name}" for rank, name in enumerate(chart.first, 1))
        key, chart = [*key, _short(named, width)], replace(chart, first=())
    return [*key, *_curves(chart, width, height - len(key), colour)]


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
        for rank, name in enumerate(chart.first[: height // 3], 1):  # a falling curve leaves that corner free
            text = _short(f"{rank} {name}", width // 2)
            figure.draw(
                figure.text(right, high - rank * (high - low) / max(height - 4, 1), text, alignment="right")
            )
        upwards = _told_apart(
            *ticked(low, high, logarithmic=chart.logarithmic), (high - low) / max(height - 4, 1)
        )
        for axis, side, ticks, labels in (
            ("x", "lower", *ticked(left, right, logarithmic=False)),
            ("y", "left", *upwards),
        ):
            figure.ruler(axis, side).ticks(list(ticks), labels)
        figure.ruler("x", "lower").lim(left, right)
        figure.ruler("y", "left").lim(low, high)
        figure.label(visible_line(chart.x) or None, "x", "lower")
        return _lines(figure, colour)


# -- the map: dots in braille, the names of clusters beside it ---------------------------------------------


def _map(chart: Map, width: int, height: int, colour: bool) -> list[str]:
    if not any(group.x for group in chart.groups):
        return []
    across, down = _map_size(chart, width, height)
    cells = _density(chart, across, down)
    rows = ["".join(_ink(sign, tone, colour) for sign, tone in row) for row in cells]
    if across < width:
        cut = _cut(list(_clusters(_seen(chart), width - across - 2, colour)), down)
        beside = [*cut, *[""] * (down - len(cut))]
        return [f"{row}  {name}" for row, name in zip(rows, beside, strict=True)]
    return [*rows, *_below(_seen(chart), width, height - down, colour)]


def _seen(chart: Map) -> list[Group]:
    """The groups that have a point in what is drawn."""
    if chart.lens is None:
        return list(chart.groups)
    left, right, low, high = chart.lens
    return [
        group
        for group in chart.groups
        if any(left <= x <= right and low <= y <= high for x, y in zip(group.x, group.y, strict=True))
    ]


def _below(groups: Sequence[Group], width: int, room: int, colour: bool) -> list[str]:
    """The names of a map's groups on at most so many lines: with their sizes, else as long as they may be."""
    longest = max((cell_len(visible_line(group.name)) for group in groups), default=0)
    lines = _wrapped(list(_clusters(groups, width, colour)), width)
    for limit in range(longest, LEAST_LABEL, -1):
        if len(lines) <= room:
            break
        named = [_ink(one.letter, one.colour, colour) + " " + _short(one.name, limit) for one in groups]
        lines = _wrapped(named, width)
    return _cut(lines, room)


def _cut(lines: list[str], room: int) -> list[str]:
    """At most so many lines, the last of them saying how many more there are."""
    return lines if len(lines) <= room else [*lines[: max(room - 1, 0)], f"… {len(lines) - room + 1} more"]


def _map_size(chart: Map, width: int, height: int) -> tuple[int, int]:
    """The cells of the map itself; its names stand to the right where there is room, else below."""
    if width >= BESIDE:
        longest = max(cell_len(group.name) + len(f"{group.size:,}") + 5 for group in chart.groups)
        return width - min(longest, width // LABELS) - 2, height
    room = max(height // LABELS, 1)
    return width, height - len(_below(chart.groups, width, room, colour=False))


def _density(chart: Map, across: int, down: int) -> list[list[tuple[str, str]]]:
    """A sign and a colour per cell: a letter at the middle of its group, else dots, most of that colour."""
    left, right, low, high = chart.box
    wide, tall = max(right - left, 1e-12), max(high - low, 1e-12)
    dots: dict[tuple[int, int], int] = {}
    whose: dict[tuple[int, int], Counter[str]] = {}
    letters: dict[tuple[int, int], tuple[str, str]] = {}
    for group in chart.groups:
        inside = [
            (int((x - left) / wide * (2 * across - 1)), int((high - y) / tall * (4 * down - 1)))
            for x, y in zip(group.x, group.y, strict=True)
            if left <= x <= right and low <= y <= high
        ]
        for x, y in inside:
            cell = x // 2, y // 4
            dots[cell] = dots.get(cell, 0) | BRAILLE[y % 4][x % 2]
            whose.setdefault(cell, Counter())[group.colour] += 1
        if inside and group.letter in LETTERS:
            x, y = (sorted(one)[len(inside) // 2] for one in zip(*inside, strict=True))
            letters[min(whose, key=lambda at: (at[0] - x // 2) ** 2 + 4 * (at[1] - y // 4) ** 2)] = (
                group.letter, group.colour,
            )  # fmt: skip
    rows = [[(" ", "")] * across for _ in range(down)]
    for (x, y), bits in dots.items():
        rows[y][x] = chr(0x2800 + bits), whose[x, y].most_common(1)[0][0]
    for (x, y), sign in letters.items():
        rows[y][x] = sign
    if chart.here is not None:
        x, y = _cell(chart, chart.here, across, down)
        if 0 <= x < across and 0 <= y < down:
            rows[y][x] = HERE, ""
    return rows


def _cell(chart: Map, point: tuple[float, float], across: int, down: int) -> tuple[int, int]:
    left, right, low, high = chart.box
    x = (point[0] - left) / max(right - left, 1e-12) * (2 * across - 1)
    y = (high - point[1]) / max(high - low, 1e-12) * (4 * down - 1)
    return int(x // 2), int(y // 4)


def pointed_at(chart: Map, width: int, height: int, column: int, row: int) -> tuple[float, float] | None:
    """The point of a map, drawn in so many cells, that a cell stands for; None beside the map."""
    across, down = _map_size(chart, width, height)
    if not (0 <= column < across and 0 <= row < down):
        return None
    left, right, low, high = chart.box
    return left + (column + 0.5) / across * (right - left), high - (row + 0.5) / down * (high - low)


# -- a histogram beside a law, a table of observed against expected, facts: ours ----------------------------


def _histogram(chart: Histogram, width: int, height: int, colour: bool) -> Iterator[str]:
    """Blocks for what was counted, `•` for what the law expects; the axis has powers."""
    while len(chart.counts) > width - 2 - len(f"{max(chart.counts):,}"):
        chart = _coarser(chart)
    most, peak = max(chart.counts), math.ceil(max(chart.expected))
    top = max(most, min(peak, HIGHER * most))
    margin = len(f"{top:,}")
    step = max(1, (width - margin - 2) // len(chart.counts))
    head = _legend(chart, peak > top, width, colour)
    room = max(height - len(head) - LOW - 2, 0)  # beside the columns, the axis and its numbers
    head += [_short(chart.y, width)][:room]
    foot = [" " * (margin + 2) + _short(chart.x, width - margin - 2)][: max(room - 1, 0)]
    yield from head
    rows = max(LOW, height - len(head) - len(foot) - 2)
    marks = {_bin(chart, line.at) * step: "┊" for line in chart.lines}
    levels = _scale(top, rows)
    for row in range(rows, 0, -1):
        level = levels.get(row, "")
        line = ""
        for number, (count, law) in enumerate(zip(chart.counts, chart.expected, strict=True)):
            at = min(math.ceil(law / top * rows), rows) if law >= top / rows / 8 else 0
            dot = _ink("•" if law <= top else "▴", "meaning", colour) if at == row else ""
            block = _block(count, top, row, rows).strip()
            for cell in range(step):
                if dot and cell == step // 2:
                    line += dot
                else:
                    line += _ink(block, "words", colour) or marks.get(number * step + cell, " ")
        yield f"{level:>{margin}}{'┤' if level else '│'} {line}"
    yield f"{0:>{margin}}└{'─' * (step * len(chart.counts) + 1)}"
    yield " " * (margin + 2) + _numbers(chart, step)
    yield from foot


def _numbers(chart: Histogram, step: int) -> str:
    """Round numbers, each below its column of so many cells."""
    line, end = "", 0
    for value in _powers(chart.bounds[0], chart.bounds[-1]):
        at, name = _bin(chart, value) * step, f"{value:g}"
        if at >= end and at + len(name) <= step * len(chart.counts):
            line, end = line.ljust(at) + name, at + len(name) + 1
    return line


def _legend(chart: Histogram, above: bool, width: int, colour: bool) -> list[str]:
    """What the signs of a histogram are; `above`: its law leaves the picture."""
    key = [_ink(f"█ {chart.name}", "words", colour), *(f"┊ {line.name}" for line in chart.lines)]
    key.append(_ink(f"• {chart.law}", "meaning", colour))
    if above:
        key.append(_ink(f"▴ above, up to {max(chart.expected):,.0f}", "meaning", colour))
    return _wrapped(key, width)


def _coarser(chart: Histogram) -> Histogram:
    """The same with every two bins made one."""
    bounds = chart.bounds[::2] if len(chart.counts) % 2 == 0 else (*chart.bounds[::2], chart.bounds[-1])
    pairs = range(0, len(chart.counts), 2)
    counts = tuple(sum(chart.counts[at : at + 2]) for at in pairs)
    expected = tuple(sum(chart.expected[at : at + 2]) for at in pairs)
    return replace(chart, bounds=bounds, counts=counts, expected=expected)


def _bin(chart: Histogram, value: float) -> int:
    low, high = chart.bounds[0], chart.bounds[-1]
    share = math.log(max(value, low) / low) / math.log(high / low)
    return min(len(chart.counts) - 1, int(share * len(chart.counts)))


def _powers(low: float, high: float) -> Iterator[float]:
    """1, 2 and 5 times powers of ten between two numbers."""
    for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1):
        for times in (1, 2, 5):
            if low <= times * 10.0**power <= high:
                yield times * 10.0**power


def _heat(chart: Heat, width: int, height: int, colour: bool) -> Iterator[str]:
    """A row and a column per name, with its letter; signs from −− to ++. What has no room is counted."""
    shown, label, key = _heat_size(chart, width, height, colour)
    yield " " * (label + 3) + "".join(f"{letter:>3}" for letter in LETTERS[:shown])
    for row, (letter, name) in enumerate(zip(LETTERS[:shown], chart.names, strict=False)):
        line, before = f"{letter} {_fit(name, label)} ", " "
        for column in range(shown):
            degree, marked = chart.degree(row, column), chart.here in {(row, column), (column, row)}
            line += ("[" if marked else before) + _ink(f"{SIGNS[degree]:>2}", TONES[degree], colour)
            before = "]" if marked else " "
        yield line + before.strip()
    if shown < len(chart.names):
        yield f"… {len(chart.names) - shown} more"
    yield from key


def _heat_size(chart: Heat, width: int, height: int, colour: bool) -> tuple[int, int, list[str]]:
    """How many names there is room for, the cells of a name, and what the signs mean, as long as may be."""
    count = len(chart.names)
    used = {chart.degree(row, column) for row in range(count) for column in range(count)}
    key = _wrapped(
        [_ink(f"{SIGNS[one]} {MEANING[one]}", TONES[one], colour) for one in SIGNS if one in used], width
    )
    if 1 + count + len(key) > height:
        key = [_short(BRIEFLY, width)]
    shown, room = min(count, (width - LEAST_NAME - 4) // 3), max(2, height - 1 - len(key))
    if shown < count or count > room:
        shown = min(shown, room - 1)
    return shown, min(max(cell_len(name) for name in chart.names), width - 3 * shown - 4), key


def cell_at(chart: Heat, width: int, height: int, column: int, row: int) -> tuple[int, int] | None:
    """The pair that a cell of a table, drawn in so many cells, stands for; None beside the signs."""
    shown, label, _ = _heat_size(chart, width, height, colour=False)
    pair = row - 1, (column - label - 3) // 3
    return pair if all(0 <= one < shown for one in pair) else None


HIGHER = 2  # times what was counted, up to which a law is drawn beside it
LOW = 3  # rows of columns, at least
LEAST_NAME = 8  # cells of a name beside signs
SIGNS: dict[int | None, str] = {-2: "−−", -1: "−", 0: "=", 1: "+", 2: "++", None: "·"}
TONES: dict[int | None, str] = {-2: "meaning", -1: "meaning", 0: "", 1: "words", 2: "words", None: ""}
MEANING: dict[int | None, str] = {
    -2: "hardly any links", -1: "fewer than expected", 0: "as expected", 1: "more", 2: "5 times and more",
    None: "too few to say",
}  # fmt: skip
BRIEFLY = "−− fewest to ++ most, = as expected"


def _facts(chart: Summary, width: int, height: int, colour: bool) -> Iterator[str]:
    label = max(cell_len(name) for name, _ in chart.rows)
    yield from _cut(
        [f"{_fit(name, label)}  {_short(said, width - label - 2)}" for name, said in chart.rows], height
    )
    room = height - len(chart.rows) - 1
    if chart.chart.bars and room > 0:
        yield ""
        shown = chart.chart.bars[:room]
        left = len(chart.chart.bars) - len(shown)
        if left:
            shown = shown[: room - 1]
        yield from _bars(replace(chart.chart, bars=shown), width, colour)
        if left:
            yield f"… {left + 1} more"


def _corner_is_free(chart: Curves, height: int) -> bool:
    """Whether falling curves leave room for names in the corner above their right half."""
    if chart.logarithmic:
        chart = as_logarithms(chart)
    points = [(x, y) for one in chart.series for x, y in zip(one.x, one.y, strict=True)]
    if not points:
        return False
    left, right = _extent([x for x, _ in points], ())
    low, high = _extent([y for _, y in points], ())
    below = max((y for x, y in points if x >= (left + right) / 2), default=high)
    return below < high - (high - low) * (min(len(chart.first), height // 3) + 1) / max(height - 4, 1)


def _figure(width: int, height: int) -> tuple[ModuleType, Any]:
    """The process's one figure, emptied, of this size and without colours of its own."""
    import plotext

    plotext.terminal.limit(False, False)
    figure = plotext.figure
    figure.clear()
    figure.theme("simple")
    figure.plot_size(width, height)
    figure.legend(False)
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


def _told_apart(ticks: Sequence[float], labels: Sequence[str], row: float) -> tuple[list[float], list[str]]:
    """The ticks that have a row of their own, where a row is so much high."""
    kept: list[tuple[float, str]] = []
    for tick, label in zip(ticks, labels, strict=True):
        if not kept or tick - kept[-1][0] >= row:
            kept.append((tick, label))
    return [tick for tick, _ in kept], [label for _, label in kept]


def folded(spans: Sequence[str], counts: Sequence[int], most: int) -> tuple[list[str], list[int], int]:
    """At most so many columns, and how many each adds up: neighbours, under the name of the first."""
    step = max(1, math.ceil(len(spans) / max(1, most)))
    starts = range(0, len(spans), step)
    return [spans[at] for at in starts], [sum(counts[at : at + step]) for at in starts], step


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
