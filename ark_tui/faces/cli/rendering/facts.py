"""Facts as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.faces.cli.rendering.known import Told, renderers

if TYPE_CHECKING:
    from ark_tui.domain.knowledge import Fact


def _told(one: Fact) -> Told:
    return one.text, [f"from {one.source}"] if one.source else [], ""


RENDERERS = renderers("facts", _told, "The build takes four minutes")
