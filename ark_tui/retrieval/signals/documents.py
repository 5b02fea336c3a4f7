"""What the signals along links share: scores of whole documents, and the chunks by which they enter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ark_tui.retrieval.signals import meaning
from ark_tui.retrieval.state import Proposal, Search

if TYPE_CHECKING:
    from numpy.typing import NDArray


def scores(search: Search) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The candidates' documents by number, ascending, and the best score of each so far, 0…1 of the best."""
    if search.candidates is None or search.so_far is None:
        return np.empty(0, np.int64), np.empty(0)
    numbers, place = np.unique(search.candidates.documents, return_inverse=True)
    best = np.full(len(numbers), -np.inf)
    np.maximum.at(best, place, search.so_far)
    most = best.max(initial=0.0)
    return numbers, np.maximum(best / most, 0.0) if most > 0 else np.zeros(len(numbers))


def look_up(
    numbers: NDArray[np.int64], values: NDArray[np.float64], wanted: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The values of the wanted numbers, which are ascending in `numbers`; 0 for one that is not there."""
    if not len(numbers):
        return np.zeros(len(wanted))
    at = np.searchsorted(numbers, wanted).clip(max=len(numbers) - 1)
    return np.where(numbers[at] == wanted, values[at], 0.0)


def best_chunks(search: Search, wanted: NDArray[np.int64], floor: float, limit: int) -> Proposal:
    """Of each of these documents the chunk with the best cosine, where it is not below `floor`."""
    probe = meaning.probe(search)
    if probe is None or not len(wanted):
        return Proposal.of(None)
    return Proposal.of(probe.index.search_documents(probe.vector, limit, search.filters, wanted, floor))
