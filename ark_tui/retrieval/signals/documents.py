"""Shared code of document-level signals: document scores, and the best chunk of each document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ark_tui.retrieval.signals import meaning
from ark_tui.retrieval.state import Proposal, Search

if TYPE_CHECKING:
    from numpy.typing import NDArray


def scores(search: Search) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The candidates' documents, ascending, and each one's best score as a share of the overall best."""
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
    """The values of the wanted numbers; `numbers` is ascending, and missing numbers have the value 0."""
    if not len(numbers):
        return np.zeros(len(wanted))
    at = np.searchsorted(numbers, wanted).clip(max=len(numbers) - 1)
    return np.where(numbers[at] == wanted, values[at], 0.0)


def best_chunks(search: Search, wanted: NDArray[np.int64], floor: float, limit: int) -> Proposal:
    """The chunk with the best cosine of each document, if at least `floor`."""
    probe = meaning.probe(search)
    if probe is None or not len(wanted):
        return Proposal.of(None)
    return Proposal.of(probe.index.search_documents(probe.vector, limit, search.filters, wanted, floor))
