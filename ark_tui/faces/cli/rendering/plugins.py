"""Plugins as lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ark_tui.faces.cli.layout import column
from ark_tui.faces.cli.output import Ink
from ark_tui.faces.cli.rendering import Renderer, View

if TYPE_CHECKING:
    from ark_tui.operations.plugins import Added


def shown(view: View, results: Sequence[tuple[Added, ...]]) -> None:
    """A line for each, and why it does not work."""
    (found,) = results
    for one in found:
        view.out.line(column(one.kind, 12), Ink(one.name, "strong"), f"  {one.package} {one.version}")
        if one.problem:
            view.out.line(" " * 12, Ink(one.problem, "bad"))
    if not found:
        view.say.notice("No installed package adds anything.")


RENDERERS = {"plugins": Renderer(shown)}
