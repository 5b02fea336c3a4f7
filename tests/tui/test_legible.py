"""Every place can be read: nothing is cut unmarked; contrast is 4.5 : 1, of lines and marks 3 : 1."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import Color, ColorSystem, blend_rgb
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from textual.color import Color as Background
from textual.theme import BUILTIN_THEMES

from ark_tui.interfaces.tui.widgets.legible import CONSOLE, XTERM, Legible, apart, contrast
from tests.tui.bench import Bench, bench
from tests.tui.cut import Cuts, unheard
from tests.tui.places import OPENED, everywhere

SIZES = ((60, 16), *(pytest.param(size, marks=pytest.mark.soak) for size in ((80, 24), (120, 34), (200, 50))))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_nothing_is_cut_unmarked(
    lived_in: Path, home: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    cuts = Cuts(monkeypatch)
    opened: set[str] = set()
    found: list[str] = []
    nobody: set[str] = set()
    async with bench(shutil.copytree(lived_in, home), size) as b:
        async for place in everywhere(b):
            opened.add(type(b.app.screen).__name__)
            found.extend(f"{place}: {fault}" for fault in cuts.found(b.app.screen))
            nobody.update(unheard(b.app.screen))
    assert not found, "\n".join(dict.fromkeys(found))
    assert not nobody, "the footer names what is carried out"
    assert opened >= OPENED


async def test_a_new_home_in_the_smallest_window(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cuts = Cuts(monkeypatch)
    async with bench(home, (60, 16)) as b:
        await b.opened()
        assert not [*cuts.found(b.app.screen)]
        for pane in "23456":
            await b.pilot.press(f"alt+{pane}")
            assert not [*cuts.found(b.app.screen)]


EDGES = {chr(code) for code in (*range(0x2500, 0x25A0), *range(0x2800, 0x2900))}
DIM = 0.66

bytes_ = st.integers(0, 255)
colours = st.builds(ColorTriplet, bytes_, bytes_, bytes_)


def shown(style: Style, palette: TerminalTheme) -> tuple[ColorTriplet, ColorTriplet]:
    """The colour and the ground of a style on a terminal with this palette."""
    colour = (style.color or Color.default()).get_truecolor(palette)
    ground = (style.bgcolor or Color.default()).get_truecolor(palette, foreground=False)
    if style.dim:
        colour = blend_rgb(ground, colour, DIM)
    return (ground, colour) if style.reverse else (colour, ground)


def faint(b: Bench) -> Iterator[str]:
    """What falls short on the screen, and by how much."""
    app = b.app
    palettes = [app.ansi_theme, XTERM[app.current_theme.dark]] if app.native_ansi_color else [app.ansi_theme]
    if app.console.color_system == "standard" and not app.native_ansi_color:
        palettes = [XTERM[app.current_theme.dark], CONSOLE]
    for strip in app.screen._compositor.render_strips():
        for text, style, _ in strip:
            if style is None or not text.strip():
                continue
            least = 3.0 if {*text} - {" "} <= EDGES else 4.5
            ratio = min(contrast(*shown(style, palette)) for palette in palettes)
            if ratio < least:
                yield f"{app.theme}: {text.strip()[:30]!r} {ratio:.2f} {style}"


@pytest.mark.parametrize(
    ("sixteen", "every"),
    [(False, False), *(pytest.param(sixteen, True, marks=pytest.mark.soak) for sixteen in (False, True))],
)
async def test_every_place_can_be_read_in_every_theme(
    lived_in: Path, home: Path, sixteen: bool, every: bool
) -> None:
    """Each place in one theme, each theme at some places; as a soak everything in everything."""
    themes, short, seen = [*BUILTIN_THEMES], set[str](), Counter[str]()
    async with bench(shutil.copytree(lived_in, home)) as b:
        if sixteen:
            b.app.console._color_system = ColorSystem.STANDARD
        number = 0
        async for place in everywhere(b):
            number += 1
            for theme in themes if every else [themes[number % len(themes)]]:
                b.app.theme = theme
                await b.pilot.pause()
                short |= {f"{place}: {fault}" for fault in faint(b)}
                seen[theme] += 1
    assert min(seen[theme] for theme in themes) >= 3
    assert not short, "\n".join(sorted(short))


@given(colours, colours, st.sampled_from([3.0, 4.5]))
def test_a_colour_is_moved_until_it_can_be_read_and_no_further(
    colour: ColorTriplet, ground: ColorTriplet, least: float
) -> None:
    found = apart(colour, ground, least)
    assert contrast(found, ground) >= least
    if contrast(colour, ground) >= least:
        assert found == colour


@given(colours, colours, st.sampled_from(["word", "─"]))
def test_on_a_terminal_of_sixteen_colours_any_colour_can_be_read_on_any_ground(
    colour: ColorTriplet, ground: ColorTriplet, text: str
) -> None:
    style = Style(color=Color.from_triplet(colour), bgcolor=Color.from_triplet(ground))
    palettes = XTERM[True], CONSOLE
    (found,) = Legible(palettes, sixteen=True).apply([Segment(text, style)], Background(0, 0, 0))
    assert found.style is not None
    used = [one.number for one in (found.style.color, found.style.bgcolor) if one is not None]
    assert all(number is not None and number < 16 for number in used)
    least = 3.0 if text == "─" else 4.5
    assert min(contrast(*shown(found.style, palette)) for palette in palettes) >= least


def test_the_ratio_is_that_of_the_guidelines() -> None:
    black, white, grey = (ColorTriplet(level, level, level) for level in (0, 255, 0x76))
    assert contrast(black, white) == pytest.approx(21.0)
    assert contrast(grey, white) == pytest.approx(4.54, abs=0.01)
