"""How counts are written."""

from __future__ import annotations

from collections.abc import Mapping


def counted(count: int, what: str, many: str = "") -> str:
    """`1 document`, `2,000 documents`; `many` is the word for more than one where it is not simply an s."""
    return f"{count:,} {what if count == 1 else many or f'{what}s'}"


def covered(coverage: Mapping[str, int]) -> str:
    """How many files are found, and what is not: `400 indexed, 12 waiting for vectors, 0 skipped, …`."""
    vectors = " for vectors" if coverage.get("waiting") else ""
    return ", ".join(f"{count:,} {name}{vectors * (name == 'waiting')}" for name, count in coverage.items())
