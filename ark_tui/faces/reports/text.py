"""What every text passes on its way into a report."""

from __future__ import annotations

from ark_tui.domain.display import visible_line


def clean(text: str) -> str:
    """The text on one line, without anything that a screen or a reader acts on."""
    return visible_line(text)
