"""Parsing of untrusted JSON."""

from __future__ import annotations

import json
from typing import Any

DEEPEST = 100  # maximum nesting of lists and objects, since later code may recurse


def read_json(text: str | bytes) -> Any:
    """Parse JSON. Raises `ValueError` if it is invalid or nested too deeply."""
    try:
        found = json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    level = [found]
    for _ in range(DEEPEST + 1):
        level = [
            part
            for one in level
            if isinstance(one, dict | list)
            for part in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return found
    raise ValueError("nested too deeply")
