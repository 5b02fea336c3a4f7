"""The last step before the screen: no text below 4.5 : 1 against its ground, no line or mark below 3 : 1.

The ratio is that of the Web Content Accessibility Guidelines 2.1 (1.4.3 and 1.4.11). A colour that falls
short is moved towards white or black, just far enough, so that every theme stays itself. Where a theme leaves
its colours to the terminal they are judged by the worst of some palettes; one that falls short gives way to
its other brightness, else to the terminal's own foreground, reversed where the ground has a colour.

On a terminal of sixteen colours those of a theme are the nearest of them; its greys are blue, on which white
can be read, as nothing can on the grey that such terminals have.
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
"""The least ratio of text."""

EDGE = 3.0
"""The least ratio of lines, blocks and dots."""

DRAWN = range(0x2500, 0x25A0), range(0x2800, 0x2900)
"""Lines and blocks; braille."""

BLACK, WHITE = ColorTriplet(0, 0, 0), ColorTriplet(255, 255, 255)
GROUNDS = {8: 4, 3: 11}
"""Grounds on which nothing can be read everywhere, and what stands for them: for grey blue; for brown, which
is a dull yellow in some terminals, yellow."""

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
"""The sixteen colours of xterm, on dark and on light."""

CONSOLE = _palette(BLACK, ColorTriplet(0xAA, 0xAA, 0xAA), VGA, VGA_BRIGHT)
"""Those of a console without a window."""


def luminance(colour: ColorTriplet) -> float:
    """Relative luminance, 0…1."""
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in colour.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: ColorTriplet, other: ColorTriplet) -> float:
    """The contrast ratio of two colours, 1…21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@lru_cache(4096)
def apart(colour: ColorTriplet, ground: ColorTriplet, least: float) -> ColorTriplet:
    """The colour, or the nearest towards white or black that reaches a ratio; where none does, that end."""
    if contrast(colour, ground) >= least:
        return colour
    end = max(WHITE, BLACK, key=lambda one: contrast(one, ground))
    for step in range(1, 33):
        found = blend_rgb(colour, end, step / 32)
        if contrast(found, ground) >= least:
            return found
    return end


def least_of(text: str) -> float:
    """The ratio that a text needs; that of an edge where nothing in it is a letter, a digit or a sign."""
    marks = (ord(sign) for sign in text if not sign.isspace())
    return EDGE if all(any(mark in drawn for drawn in DRAWN) for mark in marks) else TEXT


class Legible(LineFilter):
    """For one theme.

    `palettes`: what the terminal's own colours are judged by; none where a theme has its own. `sixteen`: the
    terminal has no others.
    """

    def __init__(self, palettes: tuple[TerminalTheme, ...] = (), *, sixteen: bool = False) -> None:
        super().__init__()
        self._palettes, self._sixteen = palettes, sixteen
        self._known: dict[tuple[Style, ColorTriplet, float], Style] = {}

    def apply(self, segments: list[Segment], background: Ground) -> list[Segment]:
        """The segments, with other colours where theirs fall short."""
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
        """A style in the terminal's own colours."""
        if self._worst(style) >= least:
            return style
        tried = [style + BARE]
        if style.color is not None and style.color.number is not None and style.color.number < 16:
            tried.append(style + BARE + Style(color=Color.from_ansi(style.color.number ^ 8)))
        if self._sixteen:  # what the terminal's own are there is not known beside a theme's grounds
            tried += [style + BARE + Style(color=Color.from_ansi(number)) for number in (15, 0)]
            return max(tried, key=self._worst)
        tried.append(style + BARE + Style(color="default"))
        if style.bgcolor is not None and not style.bgcolor.is_default:
            tried += [style + BARE + Style(color=Color.from_ansi(number)) for number in (15, 0)]
            tried.append(style + BARE + Style(color="default", bgcolor="default", reverse=True))
        found = next((one for one in tried if self._worst(one) >= least), None)
        return found or max(tried, key=self._worst)

    def _worst(self, style: Style) -> float:
        """The least ratio of a style under the palettes."""
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
    """A style over a ground, in the sixteen colours that are nearest."""
    under, colour = (
        one.downgrade(ColorSystem.STANDARD)
        for one in (style.bgcolor or Color.from_triplet(ground), style.color or DEFAULT)
    )
    return style + Style(
        color=colour, bgcolor=Color.from_ansi(GROUNDS[under.number]) if under.number in GROUNDS else under
    )


def _mixed(style: Style, ground: ColorTriplet, least: float) -> Style:
    """A style in colours of its own, over a ground for where it has none."""
    colour = style.color and style.color.triplet
    ground = (style.bgcolor and style.bgcolor.triplet) or ground
    if colour is None:
        return style
    if style.reverse:
        found = apart(ground, colour, least)
        return style if found == ground else style + Style(bgcolor=Color.from_triplet(found))
    found = apart(colour, ground, least)
    return style if found == colour else style + Style(color=Color.from_triplet(found))
