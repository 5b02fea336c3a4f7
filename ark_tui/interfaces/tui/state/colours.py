"""The colours: names of the styles of the theme; and those of signals, five families, one colour each.

They are no theme roles: a theme may give two roles one colour. Letters stand beside them everywhere.
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
"""The styles of the theme, by what they are for; `ink.tcss` says what they look like."""

DARK = {
    "words": "#56B4E9",
    "meaning": "#E69F00",
    "time": "#009E73",
    "structure": "#CC79A7",
    "model": "#F0E442",
}
"""Okabe and Ito's set, for dark backgrounds."""

LIGHT = {
    "words": "#0072B2",
    "meaning": "#C04A00",
    "time": "#00704F",
    "structure": "#882255",
    "model": "#333333",
}
"""The same hues, darkened for light backgrounds."""

ANSI = {"words": "cyan", "meaning": "yellow", "time": "green", "structure": "magenta", "model": "blue"}
"""For the themes that leave colours to the terminal: the user has made these readable."""


@cache
def family(name: str, *, dark: bool, ansi: bool) -> Style:
    """The style of a signal's family; an unknown family has none."""
    colours = ANSI if ansi else DARK if dark else LIGHT
    return Style(color=colours[name]) if name in colours else Style.null()
