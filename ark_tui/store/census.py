"""Counts and lists over the whole corpus, for its analysis."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from ark_tui.store.lease import Lease, among
from ark_tui.store.tiers import COUNTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


def added(lease: Lease) -> dict[date, int]:
    """How many of today's documents were first stored on each day (UTC)."""
    return _per_day(lease, f"SELECT added::DATE, count(*) FROM ark.documents WHERE {COUNTED} GROUP BY 1")


def changed(lease: Lease) -> dict[date, int]:
    """How many of today's documents were last changed on each day, after the one they were stored on."""
    return _per_day(
        lease,
        f"SELECT changed::DATE, count(*) FROM ark.documents WHERE {COUNTED} "
        "AND changed::DATE <> added::DATE GROUP BY 1",
    )


def dated(lease: Lease) -> tuple[dict[date, int], int]:
    """How many of today's documents bear each date themselves, and how many bear none."""
    own = "date IS NOT NULL AND date_source NOT IN ('modified', 'none')"
    days = _per_day(
        lease, f"SELECT date::DATE, count(*) FROM ark.documents WHERE {COUNTED} AND {own} GROUP BY 1"
    )
    every = lease.count(f"SELECT count(*) FROM ark.documents WHERE {COUNTED}")
    return days, every - sum(days.values())


def searched(lease: Lease) -> dict[date, int]:
    """How many searches were run on each day."""
    return _per_day(lease, "SELECT moment::DATE, count(*) FROM ark.searches GROUP BY 1")


def used(lease: Lease) -> dict[date, int]:
    """How many hits were opened, copied or cited on each day."""
    return _per_day(lease, "SELECT moment::DATE, count(*) FROM ark.accesses GROUP BY 1")


def numbers(lease: Lease) -> NDArray[np.int64]:
    """The numbers of all documents, ascending."""
    return lease.columns("SELECT number FROM ark.documents WHERE gone IS NULL ORDER BY number")["number"]


def beginnings(lease: Lease, numbers: Sequence[int], characters: int) -> dict[int, str]:
    """The title and the first characters of documents, by number."""
    return {
        int(number): f"{title}\n{text}"
        for number, title, text in lease.rows(
            f"SELECT number, title, substring(body, 1, {characters}) FROM ark.documents "
            f"WHERE gone IS NULL AND number {among(numbers)}"
        )
    }


def _per_day(lease: Lease, sql: str) -> dict[date, int]:
    return {day: int(count) for day, count in lease.rows(sql)}
