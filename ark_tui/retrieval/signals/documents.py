"""What the signals along links share: scores of whole documents, and the chunks by which they enter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.index.vectors.reader import NOWHERE
from ark_tui.retrieval.signals import meaning
from ark_tui.retrieval.state import Proposal, Search

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def scores(search: Search) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The candidates' documents by number, ascending, and the best score of each so far, 0…1 of the best."""
    import numpy as np

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
    import numpy as np

    if not len(numbers):
        return np.zeros(len(wanted))
    at = np.searchsorted(numbers, wanted).clip(max=len(numbers) - 1)
    return np.where(numbers[at] == wanted, values[at], 0.0)


def best_chunks(search: Search, wanted: NDArray[np.int64], floor: float, limit: int) -> Proposal:
    """Of each of these documents the chunk with the best cosine, where it is above `floor`.

    Filters hold: what they exclude has no cosine.
    """
    import numpy as np

    view, found = meaning.similarities(search)
    nothing = Proposal(np.empty(0, np.int64), np.empty(0, np.int64))
    if view is None or not len(wanted):
        return nothing
    at = np.flatnonzero(np.isin(view.chunks.document, wanted) & (found > NOWHERE) & (found >= floor))
    at = at[np.argsort(-found[at], kind="stable")]
    _, first = np.unique(view.chunks.document[at], return_index=True)
    at = at[np.sort(first)][:limit]
    return Proposal(view.chunks.chunk[at], view.chunks.document[at], len(at))
