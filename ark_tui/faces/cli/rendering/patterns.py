"""Patterns as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.faces.cli.rendering.known import Told, renderers

if TYPE_CHECKING:
    from ark_tui.domain.knowledge import Pattern


def _told(one: Pattern) -> Told:
    tried = f"worked {one.successes} of {one.tried}" if one.tried else "not tried yet"
    return one.problem, [f"confidence {one.confidence:.2f}", tried], one.solution


RENDERERS = renderers("patterns", _told, "the problem --solution 'the solution'")
