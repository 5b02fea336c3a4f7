"""Format counts, rates and durations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

State = TypeVar("State", bound=str)


def counted(count: int, what: str, many: str = "") -> str:
    """`1 document`, `2,000 documents`; `many`: the plural, if not formed with s."""
    return f"{count:,} {what if count == 1 else many or f'{what}s'}"


def still_indexed(count: int) -> str:
    """A notice that `count` messages are not indexed yet; empty for 0."""
    are = "message is" if count == 1 else "messages are"
    return f"{count:,} {are} still being indexed, and not found yet." if count else ""


def absent_root(root: Path, documents: int) -> str:
    """A notice that a folder is unavailable, and that its documents stay searchable."""
    stay = "its document stays" if documents == 1 else f"its {documents:,} documents stay"
    return f"{root} is empty or missing; {stay} searchable, marked away, until it is back."


def covered(coverage: Mapping[State, int]) -> str:
    """File counts by state: `400 indexed, 12 waiting for vectors, 0 skipped, …`."""
    named = {
        state: f"{state} for vectors" if state == "waiting" and count else state
        for state, count in coverage.items()
    }
    return ", ".join(f"{count:,} {named[state]}" for state, count in coverage.items())


def rate(per_second: float) -> str:
    """`34/s`, `0.6/s`."""
    small = f"{per_second:.1f}".removesuffix(".0")
    return f"{per_second:,.0f}/s" if per_second >= 10 else f"{small}/s"


def duration(seconds: float) -> str:
    """`11 s`, `4 min`, `2 h 05`, `12 h`, `3 days`."""
    whole = max(1, round(seconds))
    if whole < 100:
        return f"{whole} s"
    minutes = round(whole / 60)
    if minutes < 100:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    if hours < 10 and rest:
        return f"{hours} h {rest:02}"
    return f"{round(minutes / 60)} h" if hours < 48 else counted(round(hours / 24), "day")
