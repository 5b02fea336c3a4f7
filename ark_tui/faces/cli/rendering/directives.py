"""Directives as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.faces.cli.rendering.known import Told, renderers

if TYPE_CHECKING:
    from ark_tui.domain.knowledge import Directive


def _told(one: Directive) -> Told:
    about = [f"in {one.scope}"] if one.scope else []
    about += [f"priority {one.priority}"] if one.priority else []
    return f"{one.kind} {one.text}", about, ""


RENDERERS = renderers("directives", _told, "MUST run the tests")
