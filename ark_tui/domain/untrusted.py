"""JSON that anybody may have written."""

from __future__ import annotations

import json
from typing import Any


def read_json(text: str | bytes) -> Any:
    """What the text says. Raises `ValueError`, also where it is nested deeper than Python can follow."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
