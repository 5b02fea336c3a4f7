"""Puts the overview of a home together."""

from __future__ import annotations

from ark_tui.domain.overview import Overview
from ark_tui.engine import health
from ark_tui.engine.services import Services
from ark_tui.store import overview as store

TAGS = 15  # the most used ones
NEWEST = 10


def overview(parts: Services) -> Overview:
    """What there is, of which kind, and when it came."""
    status = health.status(parts, rows=True)
    with parts.store.read() as lease:
        return Overview(
            status=status,
            tiers=store.counted(lease, "tier"),
            types=store.counted(lease, "type"),
            tags=store.tags(lease, TAGS),
            relations=store.relations(lease),
            tokens=store.tokens(lease),
            date_sources=store.counted(lease, "date_source"),
            dated=store.dated(lease),
            newest=store.newest(lease, NEWEST),
        )
