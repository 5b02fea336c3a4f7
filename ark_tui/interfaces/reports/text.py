"""Cleans text for reports, agents and programs.

Secrets are masked there, as in contexts. A person at the terminal sees the original text.
"""

from __future__ import annotations

from typing import Any

from ark_tui.domain.display import visible_line
from ark_tui.domain.secrets import masked


def clean(text: str) -> str:
    """The text on one line, with secrets masked and control characters escaped."""
    hidden, _ = masked(text)
    return visible_line(hidden)


def shortened(text: str, most: int) -> str:
    """Cut a text to at most `most` characters, with an ellipsis."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def hidden(told: Any) -> Any:
    """JSON with the secrets in its texts masked; highlights of changed snippets are removed."""
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
