"""Neighbour: a text beside a good one is likelier to be good.

Beside means: the chunk before or after in the same document, or in the document before or after in the
same source (messages of a conversation, pages of a book).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.domain.hits import SignalInfo
from ark_tui.retrieval.state import Candidates, Proposal, Search, Signal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SEEDS = 50  # candidates whose neighbours become candidates

INFO = SignalInfo(
    "neighbour",
    "n",
    "structure",
    "How well the text just before or after it did, in its document or its conversation.",
)


def propose(search: Search, _: int) -> Proposal:
    """The neighbours of the best candidates."""
    import numpy as np

    view, so_far = search.view, search.so_far
    if view is None or so_far is None or search.candidates is None:
        return Proposal(np.empty(0, np.int64), np.empty(0, np.int64))
    seeds = search.candidates.chunks[np.argsort(-so_far, kind="stable")[:SEEDS]]
    at = view.places(seeds)
    beside = view.beside()[at[at >= 0]].ravel()
    beside = np.unique(beside[beside >= 0])
    allowed = search.corpus.vectors.mask(view, search.filters)
    if allowed is not None:
        beside = beside[allowed[beside]]
    return Proposal(view.chunks.chunk[beside], view.chunks.document[beside], len(beside))


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """The better of the two neighbours' scores so far; its own for a chunk that has no neighbour."""
    import numpy as np

    view, so_far = search.view, search.so_far
    if view is None or so_far is None:
        return np.zeros(len(candidates))
    at = view.places(candidates.chunks)
    beside = np.where(at[:, None] >= 0, view.beside()[at], -1)
    numbers = np.where(beside >= 0, view.chunks.chunk[beside], -1)
    where = np.searchsorted(candidates.chunks, numbers).clip(max=len(candidates) - 1)
    known = (numbers >= 0) & (candidates.chunks[where] == numbers)
    best: NDArray[np.float64] = np.where(known, so_far[where], 0.0).max(axis=1)
    return np.where((beside >= 0).any(axis=1), best, so_far)


def against_best(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    """Score / best score."""
    best = raw.max(initial=0.0)
    return raw / best if best > 0 else raw


SIGNAL = Signal(INFO, "vectors", propose, values, normalise=against_best, rrf=against_best, stage="structure")
