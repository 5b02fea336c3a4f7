"""Contrast of what is on the screen, computed from its frames: text 4.5 : 1, lines and marks 3 : 1."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import Color, blend_rgb
from rich.color_triplet import ColorTriplet
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from textual.theme import BUILTIN_THEMES

from ark_tui.interfaces.tui.widgets.legible import XTERM, apart, contrast
from tests.tui.bench import Bench, bench

EDGES = {chr(code) for code in (*range(0x2500, 0x25A0), *range(0x2800, 0x2900))}
DIM = 0.66
PANES = ("6", "5", "1")

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
    for strip in app.screen._compositor.render_strips():
        for text, style, _ in strip:
            if style is None or not text.strip():
                continue
            least = 3.0 if {*text} - {" "} <= EDGES else 4.5
            ratio = min(contrast(*shown(style, palette)) for palette in palettes)
            if ratio < least:
                yield f"{app.theme}: {text.strip()[:30]!r} {ratio:.2f} {style}"


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.soak)])
async def test_every_theme_can_be_read(filled: Path, every: bool) -> None:
    """On one pane each; as a soak on every pane."""
    async with bench(filled) as b:
        await b.searched("spectral gap")
        short: list[str] = []
        for place, pane in enumerate(PANES):
            await b.pilot.press(f"alt+{pane}")
            for theme in [*BUILTIN_THEMES] if every else [*BUILTIN_THEMES][place :: len(PANES)]:
                b.app.theme = theme
                await b.pilot.pause()
                short += faint(b)
        assert not short, "\n".join(sorted({*short}))


@pytest.mark.parametrize("theme", ["textual-light", "ansi-light", "solarized-light", "textual-dark"])
async def test_dialogs_the_palette_and_messages_can_be_read(filled: Path, theme: str) -> None:
    async with bench(filled, ARK_THEME=theme) as b:
        await b.searched("spectral gap")
        for key, waited in (("f1", "Help"), ("ctrl+p", "Query line: search")):
            await b.pilot.press(key)
            await b.until(lambda waited=waited: waited in b.text())  # type: ignore[misc]
            assert not [*faint(b)]
            await b.pilot.press("escape")
            await b.until(lambda: b.app.screen is b.workbench)
        b.app.context.say("Something.", "error")
        await b.until(lambda: "Something." in b.text())
        assert not [*faint(b)]


@given(colours, colours, st.sampled_from([3.0, 4.5]))
def test_a_colour_is_moved_until_it_can_be_read_and_no_further(
    colour: ColorTriplet, ground: ColorTriplet, least: float
) -> None:
    found = apart(colour, ground, least)
    assert contrast(found, ground) >= least
    if contrast(colour, ground) >= least:
        assert found == colour


def test_the_ratio_is_that_of_the_guidelines() -> None:
    black, white, grey = (ColorTriplet(level, level, level) for level in (0, 255, 0x76))
    assert contrast(black, white) == pytest.approx(21.0)
    assert contrast(grey, white) == pytest.approx(4.54, abs=0.01)
