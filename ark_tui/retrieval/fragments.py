"""Chunk search by reciprocal rank fusion of BM25 and cosine, for programs that request chunks.

Cormack et al. 2009: Σ 1 / (k + rank), ranks from 1, k = 60, over the best `3 × limit` of each side.
Interactive searches use the profiles instead, which rank better in benchmarks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.domain.protocols import NEVER, Stop
from ark_tui.retrieval import opening
from ark_tui.retrieval.opening import BACKENDS_OF_MODE
from ark_tui.retrieval.signals import bm25, model, static
from ark_tui.retrieval.state import Candidates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ark_tui.domain.query import Request
    from ark_tui.retrieval.state import Corpus, Search, Signal

K = 60.0
SPARE = 3


def best(
    corpus: Corpus, request: Request, stop: Stop = NEVER
) -> tuple[list[tuple[int, float]], tuple[str, ...]]:
    """The numbers and scores of the best chunks, best first, and the signals that could not run.

    Raises `UsageError` for an invalid query.
    """
    search = opening.read(corpus, request, stop)
    opening.open_vectors(search)
    scores: dict[int, float] = {}
    for side in _sides(search):
        for rank, chunk in enumerate(_ranked(search, side), 1):
            scores[chunk] = scores.get(chunk, 0.0) + 1.0 / (K + rank)
    order = sorted(scores.items(), key=lambda one: (-one[1], one[0]))
    return order[: request.limit], tuple(_off(search))


def _off(search: Search) -> Iterator[str]:
    for side in (bm25.SIGNAL, static.SIGNAL, model.SIGNAL):
        why = search.problems.get(side.info.name) or search.problems.get(side.backend)
        if why and side.backend in BACKENDS_OF_MODE[search.request.mode]:
            yield f"{side.info.name}: {why}"


def _sides(search: Search) -> list[Signal]:
    meaning = model.SIGNAL if search.model is not None else static.SIGNAL
    wanted = {"keyword": [bm25.SIGNAL], "semantic": [meaning], "hybrid": [bm25.SIGNAL, meaning]}
    return [side for side in wanted[search.request.mode] if side.backend not in search.problems]


def _ranked(search: Search, side: Signal) -> list[int]:
    """The best chunks by one signal, best first."""
    import numpy as np

    assert side.propose is not None
    found = side.propose(search, search.request.limit * SPARE)
    unique, first = np.unique(found.chunks, return_index=True)
    values = side.values(search, Candidates(unique, found.documents[first]))
    order = np.argsort(-values, kind="stable")[: search.request.limit * SPARE]
    best: list[int] = unique[order[values[order] > side.nothing]].tolist()
    return best
