"""What every text passes on its way into a report, and on its way to agents and programs.

Those get the secrets of a text masked, as in contexts. A person at the terminal sees their own text.
"""

from __future__ import annotations

from typing import Any

from ark_tui.domain.display import visible_line
from ark_tui.domain.secrets import masked


def clean(text: str) -> str:
    """The text on one line, its secrets masked, without anything that a screen or a reader acts on."""
    hidden, _ = masked(text)
    return visible_line(hidden)


def shortened(text: str, most: int) -> str:
    """At most so many characters of a text, with a sign that there were more."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def hidden(told: Any) -> Any:
    """JSON with the secrets in its texts masked; a snippet that changed has no highlights any more."""
    if isinstance(told, str):
        return masked(told)[0]
    if isinstance(told, list | tuple):
        return [hidden(one) for one in told]
    if not isinstance(told, dict):
        return told
    found = {name: hidden(value) for name, value in told.items()}
    if "highlights" in told and any(
        found[name] != told[name] for name in ("snippet", "text") if name in told
    ):
        found["highlights"] = []
    return found
