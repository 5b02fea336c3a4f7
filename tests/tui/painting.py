"""Frames that nobody sees are not painted, and a style sheet is parsed once for all apps.

In a test no terminal shows what Textual paints after every message, which is half of what a test of the
workbench costs. The screen is painted whenever a test looks at it (`Bench.lines`, a frame), and at the end
of every bench; tests of painting itself ask for the fixture `painted`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from rich.console import RenderableType
from textual._compositor import ChopsUpdate, Compositor
from textual._context import active_app, visible_screen_stack
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.geometry import Size
from textual.screen import Screen
from textual.strip import Strip

WHOLE = Compositor.render_update
STRIPS = Compositor.render_strips
PARSE = Stylesheet._parse_rules

_parsed: dict[tuple[object, ...], list[RuleSet]] = {}


def _owed(
    compositor: Compositor,
    full: bool = False,
    screen_stack: Sequence[Screen[Any]] | None = None,
    simplify: bool = False,
) -> RenderableType | None:
    """An update of the terminal in which nothing has been painted; `None` where nothing is new."""
    if full:  # a picture of the screen is taken
        return WHOLE(compositor, full, list(screen_stack or ()), simplify)
    visible_screen_stack.set(list(screen_stack or ()))
    new = bool(compositor._dirty_regions)
    compositor._dirty_regions.clear()
    return ChopsUpdate([], [], []) if new else None


def _strips(compositor: Compositor, size: Size | None = None) -> list[Strip]:
    """What a test looks at, with what shows below it: there no paint has left it behind."""
    app = active_app.get()
    if compositor is app.screen._compositor:
        visible_screen_stack.set(app._background_screens)
    return STRIPS(compositor, size)


def _rules(
    stylesheet: Stylesheet, css: str, read_from: tuple[str, str], *more: Any, **named: Any
) -> list[RuleSet]:
    key = css, read_from, *more, *named.items(), *stylesheet._variables.items()
    if key not in _parsed:
        _parsed[key] = PARSE(stylesheet, css, read_from, *more, **named)
    return _parsed[key]


def when_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on only what is looked at is painted."""
    monkeypatch.setattr(Compositor, "render_update", _owed)
    monkeypatch.setattr(Compositor, "render_strips", _strips)
    monkeypatch.setattr(Stylesheet, "_parse_rules", _rules)


def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every frame is painted again."""
    monkeypatch.setattr(Compositor, "render_update", WHOLE)
