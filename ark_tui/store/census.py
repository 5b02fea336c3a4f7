"""Counts and lists over the whole corpus, for its analysis."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ark_tui.store.lease import Lease


def added(lease: Lease) -> dict[date, int]:
    """How many of today's documents were first stored on each day (UTC)."""
    return _per_day(lease, "SELECT added::DATE, count(*) FROM ark.documents WHERE gone IS NULL GROUP BY 1")


def changed(lease: Lease) -> dict[date, int]:
    """How many of today's documents were last changed on each day, after the one they were stored on."""
    return _per_day(
        lease,
        "SELECT changed::DATE, count(*) FROM ark.documents WHERE gone IS NULL "
        "AND changed::DATE <> added::DATE GROUP BY 1",
    )


def searched(lease: Lease) -> dict[date, int]:
    """How many searches were run on each day."""
    return _per_day(lease, "SELECT moment::DATE, count(*) FROM ark.searches GROUP BY 1")


def _per_day(lease: Lease, sql: str) -> dict[date, int]:
    return {day: int(count) for day, count in lease.rows(sql)}
