"""Colors: style names of the theme, and the colors of the five signal families.

They are independent of theme roles, because a theme may use one color for two roles. Letters accompany the
colors everywhere.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from rich.style import Style

Name = Literal[
    "muted", "strong", "accent", "warning", "error", "match", "match-here", "heading", "code",
    "code-keyword", "code-string", "code-number", "code-comment", "code-name", "emphasis", "strike",
    "link", "link-astray", "cursor", "cursor-blurred", "gutter",
]  # fmt: skip
"""Style names of the theme, by purpose. `ink.tcss` defines them."""

DARK = {
    "words": "#56B4E9",
    "meaning": "#E69F00",
    "time": "#009E73",
    "structure": "#CC79A7",
    "model": "#F0E442",
}
"""The palette of Okabe and Ito, for dark backgrounds."""

LIGHT = {
    "words": "#0072B2",
    "meaning": "#C04A00",
    "time": "#00704F",
    "structure": "#882255",
    "model": "#333333",
}
"""The same hues, darkened for light backgrounds."""

ANSI = {"words": "cyan", "meaning": "yellow", "time": "green", "structure": "magenta", "model": "blue"}
"""For themes that use the terminal's own colors, which the user has made readable."""


@cache
def family(name: str, *, dark: bool, ansi: bool) -> Style:
    """The style of a signal's family; none for an unknown family."""
    colours = ANSI if ansi else DARK if dark else LIGHT
    return Style(color=colours[name]) if name in colours else Style.null()
