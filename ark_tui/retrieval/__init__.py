"""Retrieval: from a query line to ranked hits with all score parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ark_tui.domain.protocols import NEVER, Stop
from ark_tui.retrieval.state import Corpus

if TYPE_CHECKING:
    from ark_tui.domain.hits import SearchResult
    from ark_tui.domain.query import Request

__all__ = ["Corpus", "run", "stages"]


def run(corpus: Corpus, request: Request, stop: Stop = NEVER) -> SearchResult:
    """Search. Raises `UsageError` for an invalid query or profile, `Cancelled` when stopped."""
    from ark_tui.retrieval import pipeline

    return pipeline.ranking(corpus, request, stop).answer()


def stages(corpus: Corpus, request: Request, stop: Stop = NEVER) -> Iterator[SearchResult]:
    """Search, and yield the BM25 results first while the other signals run."""
    from ark_tui.retrieval import pipeline

    return pipeline.stages(corpus, request, stop)
