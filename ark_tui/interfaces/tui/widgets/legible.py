"""Ensures contrast before painting: text at least 4.5 : 1 against its background, lines and marks 3 : 1.

The ratios are from the Web Content Accessibility Guidelines 2.1 (1.4.3 and 1.4.11). A color below its ratio
is moved towards white or black as little as possible, so that themes keep their look. Terminal colors are
measured with several palettes, and the worst one counts. If one fails, its bright or normal variant is used,
else the terminal's foreground, reversed on a colored background.

On terminals with sixteen colors the nearest of them are used. Grays become blue, because no text is readable
on the gray of such terminals.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from rich.color import Color, ColorSystem, blend_rgb
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from textual.constants import DIM_FACTOR
from textual.filter import LineFilter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.color import Color as Ground

TEXT = 4.5
"""Minimum ratio of text."""

EDGE = 3.0
"""Minimum ratio of lines, blocks and dots."""

DRAWN = range(0x2500, 0x25A0), range(0x2800, 0x2900)
"""Lines and blocks; braille."""

BLACK, WHITE = ColorTriplet(0, 0, 0), ColorTriplet(255, 255, 255)
GROUNDS = {8: 4, 3: 11}
"""Background colors on which no color is readable on all terminals, and their replacements: blue for gray,
and yellow for brown, which is a dull yellow in some terminals."""

DULL = (0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5)
BRIGHT = (0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF)


VGA = (0x000000, 0xAA0000, 0x00AA00, 0xAA5500, 0x0000AA, 0xAA00AA, 0x00AAAA, 0xAAAAAA)
VGA_BRIGHT = (0x555555, 0xFF5555, 0x55FF55, 0xFFFF55, 0x5555FF, 0xFF55FF, 0x55FFFF, 0xFFFFFF)


def _palette(
    ground: ColorTriplet, colour: ColorTriplet, dull: Sequence[int] = DULL, bright: Sequence[int] = BRIGHT
) -> TerminalTheme:
    rows = ([(one >> 16, one >> 8 & 255, one & 255) for one in row] for row in (dull, bright))
    return TerminalTheme(ground, colour, *rows)


XTERM = {True: _palette(BLACK, ColorTriplet(0xE5, 0xE5, 0xE5)), False: _palette(WHITE, BLACK)}
"""The sixteen colors of xterm, for dark and for light backgrounds."""

CONSOLE = _palette(BLACK, ColorTriplet(0xAA, 0xAA, 0xAA), VGA, VGA_BRIGHT)
"""The colors of a Linux console."""


def luminance(colour: ColorTriplet) -> float:
    """Relative luminance, 0…1 (WCAG 2.1)."""
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in colour.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: ColorTriplet, other: ColorTriplet) -> float:
    """The contrast ratio of two colors, 1…21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@lru_cache(4096)
def apart(colour: ColorTriplet, ground: ColorTriplet, least: float) -> ColorTriplet:
    """The color, or the nearest one towards white or black that reaches a ratio; else white or black."""
    if contrast(colour, ground) >= least:
        return colour
    end = max(WHITE, BLACK, key=lambda one: contrast(one, ground))
    for step in range(1, 33):
        found = blend_rgb(colour, end, step / 32)
        if contrast(found, ground) >= least:
            return found
    return end


def least_of(text: str) -> float:
    """The minimum ratio of a text: that of edges if it consists of drawing characters only."""
    marks = (ord(sign) for sign in text if not sign.isspace())
    return EDGE if all(any(mark in drawn for drawn in DRAWN) for mark in marks) else TEXT


class Legible(LineFilter):
    """A filter for one theme.

    `palettes`: palettes for measuring terminal colors; none if the theme has its own colors. `sixteen`: the
    terminal has only sixteen colors.
    """

    def __init__(self, palettes: tuple[TerminalTheme, ...] = (), *, sixteen: bool = False) -> None:
        super().__init__()
        self._palettes, self._sixteen = palettes, sixteen
        self._known: dict[tuple[Style, ColorTriplet, float], Style] = {}

    def apply(self, segments: list[Segment], background: Ground) -> list[Segment]:
        """The segments, with colors changed where the contrast is too low."""
        ground = ColorTriplet(*background.rgb)
        return [self._made(segment, ground) for segment in segments]

    def _made(self, segment: Segment, ground: ColorTriplet) -> Segment:
        text, style, control = segment
        if style is None or control or not text or (text.isspace() and not self._sixteen):
            return segment
        key = style, ground, least_of(text)
        found = self._known.get(key)
        if found is None:
            if len(self._known) > 4096:
                self._known.clear()
            named = _fewer(style, ground) if self._sixteen else style
            found = self._known[key] = self._named(named, key[2]) if self._palettes else _mixed(*key)
        return segment if found is style else Segment(text, found)

    def _named(self, style: Style, least: float) -> Style:
        """A style in terminal colors."""
        if self._worst(style) >= least:
            return style
        tried = [style + BARE]
        if style.color is not None and style.color.number is not None and style.color.number < 16:
            tried.append(style + BARE + Style(color=Color.from_ansi(style.color.number ^ 8)))
        if self._sixteen:  # its own colors are unknown relative to a theme's background
            tried += [style + BARE + Style(color=Color.from_ansi(number)) for number in (15, 0)]
            return max(tried, key=self._worst)
        tried.append(style + BARE + Style(color="default"))
        if style.bgcolor is not None and not style.bgcolor.is_default:
            tried += [style + BARE + Style(color=Color.from_ansi(number)) for number in (15, 0)]
            tried.append(style + BARE + Style(color="default", bgcolor="default", reverse=True))
        found = next((one for one in tried if self._worst(one) >= least), None)
        return found or max(tried, key=self._worst)

    def _worst(self, style: Style) -> float:
        """The minimum ratio of a style over all palettes."""
        ratios = []
        for palette in self._palettes:
            ground = (style.bgcolor or DEFAULT).get_truecolor(palette, foreground=False)
            colour = (style.color or DEFAULT).get_truecolor(palette)
            shown = blend_rgb(ground, colour, DIM_FACTOR) if style.dim else colour
            ratios.append(contrast(shown, ground))
        return min(ratios)


DEFAULT = Color.default()
BARE = Style(dim=False)


def _fewer(style: Style, ground: ColorTriplet) -> Style:
    """A style over a background, in the nearest of sixteen colors."""
    under, colour = (
        one.downgrade(ColorSystem.STANDARD)
        for one in (style.bgcolor or Color.from_triplet(ground), style.color or DEFAULT)
    )
    return style + Style(
        color=colour, bgcolor=Color.from_ansi(GROUNDS[under.number]) if under.number in GROUNDS else under
    )


def _mixed(style: Style, ground: ColorTriplet, least: float) -> Style:
    """A style in true colors. `ground`: the background if it has none."""
    colour = style.color and style.color.triplet
    ground = (style.bgcolor and style.bgcolor.triplet) or ground
    if colour is None:
        return style
    if style.reverse:
        found = apart(ground, colour, least)
        return style if found == ground else style + Style(bgcolor=Color.from_triplet(found))
    found = apart(colour, ground, least)
    return style if found == colour else style + Style(color=Color.from_triplet(found))
