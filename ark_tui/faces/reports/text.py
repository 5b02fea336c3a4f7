"""What every text passes on its way into a report."""

from __future__ import annotations

from ark_tui.domain.display import visible_line
from ark_tui.domain.secrets import masked


def clean(text: str) -> str:
    """The text on one line, its secrets masked, without anything that a screen or a reader acts on."""
    hidden, _ = masked(text)
    return visible_line(hidden)


def shortened(text: str, most: int) -> str:
    """At most so many characters of a text, with a sign that there were more."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
