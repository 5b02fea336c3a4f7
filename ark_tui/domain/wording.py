"""How counts are written."""

from __future__ import annotations


def counted(count: int, what: str) -> str:
    """`1 document`, `2,000 documents`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"
