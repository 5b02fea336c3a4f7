"""A moving picture as SVG: frames of a screen, of which each row stands once, shown while it is so.

Nothing but CSS moves it, so that it plays wherever pictures are shown. Who wants no motion sees one of its
frames, and so does what plays none.
"""

from __future__ import annotations

from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from rich.color import Color
from rich.style import Style

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.segment import Segment
    from rich.terminal_theme import TerminalTheme
    from textual.strip import Strip

WIDE, HIGH, SIZE = 7.2, 15.0, 12.0
"""Of a cell, and of the letters, in pixels."""

EDGE = 8.0
SHORT = 8  # letters up to which no drift of a font shows
GROUND = "#121212"
DIM = 0.66


class Frame(NamedTuple):
    """A screen, and for how many seconds it stands."""

    rows: tuple[str, ...]
    seconds: float


class Cast:
    """Frames, one after the other, of a screen of one size."""

    def __init__(self, palette: TerminalTheme) -> None:
        self._palette = palette
        self._frames: list[Frame] = []
        self._styles: dict[str, str] = {}  # declarations of a style → its class
        self.width = 0

    def add(self, strips: Iterable[Strip], seconds: float) -> None:
        """Take a screen up; one that is as the last lets that stand longer."""
        strips = list(strips)
        self.width = strips[0].cell_length
        rows = tuple(self._row(strip) for strip in strips)
        if self._frames and self._frames[-1].rows == rows:
            seconds += self._frames.pop().seconds
        self._frames.append(Frame(rows, seconds))

    def svg(self, title: str, still: int = -1) -> str:
        """The picture; `still`: the frame that is seen where nothing moves."""
        length = sum(frame.seconds for frame in self._frames)
        shown: dict[tuple[int, str], list[int]] = {}  # row and what is in it → frames
        for number, frame in enumerate(self._frames):
            for y, row in enumerate(frame.rows):
                if row:
                    shown.setdefault((y, row), []).append(number)
        times = {frames: f"t{n}" for n, frames in enumerate(dict.fromkeys(map(tuple, shown.values())))}
        always = tuple(range(len(self._frames)))
        still = always[still]
        css = [f".{name}{{{said}}}" for said, name in self._styles.items()]
        for frames, name in times.items():
            if frames != always:
                css.append(f"@keyframes {name}{{{self._keyframes(frames, length)}}}")
                css.append(f".{name}{{animation:{name} {length:.2f}s step-end infinite}}")
        parts = [
            f'<g class="{times[tuple(frames)]}" visibility="{"visible" if still in frames else "hidden"}" '
            f'transform="translate({EDGE:g} {EDGE + SIZE + y * HIGH:g})">{row}</g>'
            for (y, row), frames in shown.items()
        ]
        width = self.width * WIDE + 2 * EDGE
        height = len(self._frames[0].rows) * HIGH + 2 * EDGE
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" xml:space="preserve">'
            f"<title>{escape(title)}</title><style>text{{font:{SIZE:g}px ui-monospace,Menlo,Consolas,"
            f'"DejaVu Sans Mono",monospace;white-space:pre}}{"".join(css)}'
            "@media (prefers-reduced-motion:reduce){g{animation:none!important}}</style>"
            f'<rect width="100%" height="100%" rx="8" fill="{GROUND}"/>{"".join(parts)}</svg>\n'
        )

    def _keyframes(self, frames: Sequence[int], length: float) -> str:
        """When a row is to be seen, in per cent of the time."""
        said, at = [], 0.0
        for seen, run in groupby(enumerate(self._frames), lambda one: one[0] in frames):
            said.append(f"{at / length:.2%}{{visibility:{'visible' if seen else 'hidden'}}}")
            at += sum(frame.seconds for _, frame in run)
        return "".join(said)

    def _row(self, strip: Strip) -> str:
        """A row as elements: a ground for each stretch that has its own, and the text upon it."""
        parts, at = [], 0
        for (colour, ground, looks), run in groupby(strip, self._look):
            text = "".join(segment.text for segment in run)
            cells = cell_len(text)
            x, wide = at * WIDE, cells * WIDE
            if ground != GROUND:
                parts.append(
                    f'<rect x="{x:g}" y="-{SIZE:g}" width="{wide:g}" height="{HIGH:g}" fill="{ground}"/>'
                )
            kept = text.strip()
            if kept:
                before = cell_len(text[: len(text) - len(text.lstrip())])
                name = self._styles.setdefault(f"fill:{colour}{looks}", f"s{len(self._styles)}")
                fixed = f' textLength="{cell_len(kept) * WIDE:.0f}"' if len(kept) > SHORT else ""
                x = (at + before) * WIDE
                parts.append(f'<text class="{name}" x="{x:g}"{fixed}>{escape(kept, quote=False)}</text>')
            at += cells
        return "".join(parts)

    def _look(self, segment: Segment) -> tuple[str, str, str]:
        """Colour, ground and the rest of the look of a segment."""
        style = segment.style or Style.null()
        colour = (style.color or Color.default()).get_truecolor(self._palette)
        ground = (style.bgcolor or Color.default()).get_truecolor(self._palette, foreground=False)
        if style.reverse:
            colour, ground = ground, colour
        looks = ";font-weight:bold" * bool(style.bold) + ";font-style:italic" * bool(style.italic)
        looks += ";text-decoration:underline" * bool(style.underline) + f";opacity:{DIM}" * bool(style.dim)
        return (colour.hex if segment.text.strip() else ""), ground.hex, looks if segment.text.strip() else ""
