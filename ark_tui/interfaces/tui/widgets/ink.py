"""Drawing lines: styles of the theme, and text cut to a number of cells.

Text is put into segments unchanged and is never parsed as markup. The styles are component classes of the
screen instead of each widget, because applying them takes time before the first frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate, pairwise
from math import prod
from typing import TYPE_CHECKING, get_args

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text
from textual.strip import Strip

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.tui.state import colours
from ark_tui.interfaces.tui.state.colours import Name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from textual.widget import Widget

    from ark_tui.domain.hits import Hit, SignalInfo


CLASSES = {f"ink--{name}" for name in get_args(Name)}
"""Component classes of a screen with such widgets, defined in `ink.tcss`."""

ELLIPSIS = "…"

Piece = tuple[str, Style]


def ink(widget: Widget, name: Name) -> Style:
    """A style of the theme without its background, to be combined with that of the row."""
    style = widget.screen.get_component_rich_style(f"ink--{name}")
    return Style(
        color=style.color,
        bold=style.bold,
        dim=style.dim,
        italic=style.italic,
        underline=style.underline,
        strike=style.strike,
    )


def ground(widget: Widget, name: Name) -> Style:
    """A style of the theme with its background."""
    return widget.screen.get_component_rich_style(f"ink--{name}")


def family(widget: Widget, name: str) -> Style:
    """The color of a signal family in the current theme."""
    app = widget.app
    return colours.family(name, dark=app.current_theme.dark, ansi=app.native_ansi_color)


def shorten(text: str, width: int) -> str:
    """The text in at most `width` cells, with … if it was cut."""
    if cell_len(text) <= width:
        return text
    return "" if width < 1 else set_cell_size(text, width - 1).rstrip() + ELLIPSIS


def cut(pieces: Iterable[Piece], width: int) -> list[Piece]:
    """Pieces in at most `width` cells, with … if they were cut."""
    line: list[Piece] = []
    room = width
    for text, style in pieces:
        if cell_len(text) > room:
            return [*line, (shorten(text, room) or ELLIPSIS, style)] if room else _ended(line)
        line.append((text, style))
        room -= cell_len(text)
    return line


def _ended(line: list[Piece]) -> list[Piece]:
    """A full line whose last cell marks the cut."""
    text, style = line[-1]
    return [*line[:-1], (shorten(text + ELLIPSIS, cell_len(text)), style)]


def shorten_start(text: str, width: int) -> str:
    """Like `shorten`, but keeps the end: for paths."""
    if cell_len(text) <= width:
        return text
    kept = text
    while kept and cell_len(kept) > width - 1:
        kept = kept[max(1, cell_len(kept) - width + 1) :] if kept.isascii() else kept[1:]
    return ELLIPSIS + kept if width > 0 else ""


def cells(pieces: Iterable[Piece]) -> int:
    """The width of pieces in cells."""
    return sum(cell_len(text) for text, _ in pieces)


def strip(pieces: Iterable[Piece], width: int, base: Style) -> Strip:
    """One line of exactly `width` cells."""
    return Strip([Segment(text, base + style) for text, style in pieces if text]).crop_extend(0, width, base)


def justified(left: list[Piece], right: list[Piece], width: int) -> list[Piece]:
    """Pieces aligned left and right. The left ones must leave space."""
    gap = width - cells(left) - cells(right)
    return [*left, (" " * max(0, gap), Style.null()), *right]


def ended(
    text: str, style: Style, right: list[Piece], width: int, cut: Callable[[str, int], str] = shorten
) -> list[Piece]:
    """A text followed by right-aligned pieces, shortened to the remaining space."""
    return justified([(cut(visible_line(text), width - cells(right)), style)], right, width)


def titled(title: str, successor: str, room: int, strong: Style, muted: Style) -> list[Piece]:
    """A title. For a superseded document also the title of its successor, in half of the space."""
    if not successor:
        return [(shorten(visible_line(title), room), strong)]
    after = f" → {visible_line(successor)}"
    struck = shorten(visible_line(title), max(room - cell_len(after), room // 2))
    return [(struck, strong + Style(strike=True)), (shorten(after, room - cell_len(struck)), muted)]


def packed(parts: list[Text], width: int) -> list[Text]:
    """Parts in lines, as many per line as fit."""
    lines = [Text()]
    for part in parts:
        if lines[-1] and lines[-1].cell_len + len(part.plain.rstrip()) > width:
            lines.append(Text())
        lines[-1].append_text(part)
    return lines


Row = tuple[Text, Text]
"""A label and its text. A line without a label has an empty one."""

NAME = 9
"""Minimum width of a label in cells."""


def labelled(rows: Iterable[Row]) -> Table:
    """Labels and their texts; wrapped text is aligned with its beginning."""
    grid = Table.grid()
    grid.add_column(no_wrap=True)
    grid.add_column()
    for row in rows:
        grid.add_row(*row)
    return grid


def facts(rows: Iterable[tuple[str, str]]) -> Table:
    """Names and values, one per line."""
    return labelled((Text(f" {name:<{NAME}}", "bold"), Text(visible_line(value))) for name, value in rows)


EIGHTHS = " ▏▎▍▌▋▊▉█"


THIRDS = {"words": "━", "meaning": "═", "structure": "┅"}
"""The parts of a bar. Their characters distinguish them without color."""

OF = {"words": "words", "meaning": "meaning", "model": "meaning"}
"""The part of a signal family; all others belong to context."""


def info_of(infos: Mapping[str, SignalInfo], name: str) -> SignalInfo:
    """The description of a signal. An unknown one shows the first letter of its name."""
    if name in infos:
        return infos[name]
    from ark_tui.domain.hits import SignalInfo

    return SignalInfo(name, name[:1] or "?", "model", "")


def bands(hit: Hit, infos: Mapping[str, SignalInfo], best: float, width: int) -> list[tuple[str, str]]:
    """A hit's score as three bands with their families. The best score fills the width."""
    scale = prod(multiplier.value for multiplier in hit.multipliers) * width / best if best > 0 else 0.0
    shares = dict.fromkeys(THIRDS, 0.0)
    for part in hit.parts:
        shares[OF.get(info_of(infos, part.name).family, "structure")] += max(0.0, part.contribution) * scale
    ends = [round(reached) for reached in accumulate(shares.values(), initial=0.0)]
    return [
        (sign * (min(end, width) - min(start, width)), family)
        for (family, sign), (start, end) in zip(THIRDS.items(), pairwise(ends), strict=True)
    ]


def solid(share: float, width: int) -> str:
    """A bar of `share` (0…1) of the width in eighths of a cell, padded with spaces."""
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    whole, rest = divmod(eighths, 8)
    bar = "█" * whole + (EIGHTHS[rest] if rest else "")
    if share > 0 and not bar:
        bar = EIGHTHS[1]
    return bar.ljust(width)
