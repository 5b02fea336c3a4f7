"""What agents and programs get of the texts of a home: the secrets in them masked, as in contexts.

A person at the terminal or the workbench sees their own text.
"""

from __future__ import annotations

from typing import Any

from ark_tui.domain.secrets import masked


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
