"""Parsing of untrusted JSON."""

from __future__ import annotations

import json
from typing import Any

NESTED = (dict, list)  # container types of parsed JSON
DEEPEST = 100  # maximum nesting of lists and objects, since later code may recurse


def read_json(text: str | bytes) -> Any:
    """Parse JSON. Raises `ValueError` if it is invalid or nested too deeply."""
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
