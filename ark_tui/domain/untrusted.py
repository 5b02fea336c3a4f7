"""JSON that anybody may have written."""

from __future__ import annotations

import json
from typing import Any

NESTED = (dict, list)  # what JSON is read as that holds other values
DEEPEST = 100  # lists and objects within each other: whatever goes on with them may recurse


def read_json(text: str | bytes) -> Any:
    """What the text says. Raises `ValueError`, also where it is nested too deeply to be worked with."""
    try:
        found = json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    level = [found]
    for _ in range(DEEPEST + 1):
        level = [part for one in level if type(one) in NESTED for part in _parts(one)]
        if not level:
            return found
    raise ValueError("nested too deeply")


def _parts(value: dict[str, Any] | list[Any]) -> Any:
    return value.values() if isinstance(value, dict) else value
