"""How counts are written."""

from __future__ import annotations


def counted(count: int, what: str) -> str:
    """`1 document`, `2,000 documents`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def lasting(seconds: float) -> str:
    """A time in its largest unit: `1 s`, `4 min`, `5 h`, `12 days`."""
    for unit, length, until in (("s", 1, 90), ("min", 60, 5400), ("h", 3600, 172_800)):
        if seconds < until:
            return f"{max(1, round(seconds / length)):,} {unit}"
    return counted(round(seconds / 86_400), "day")
