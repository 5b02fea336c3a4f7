"""A corpus at a glance: what there is, of which kind, and when it came."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from ark_tui.domain.documents import Document
from ark_tui.domain.work import Status

Days = tuple[tuple[date, int], ...]
"""How many there were of something, by day (or the first day of a month); days without any are left out."""


@dataclass(frozen=True, slots=True)
class Overview:
    """The state of a home together with counts of its living documents."""

    status: Status  # with its rows
    tiers: Mapping[str, int]
    types: Mapping[str, int]
    tags: Mapping[str, int]  # the most used ones
    relations: Mapping[str, tuple[int, int]]  # of links: those that lead somewhere, and all of them
    tokens: int
    date_sources: Mapping[str, int]
    dated: Days  # documents by the month of their own date
    newest: tuple[Document, ...]  # by their own date
