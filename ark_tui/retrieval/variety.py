"""Variety: maximal marginal relevance (Carbonell and Goldstein 1998) over the best documents.

One after the other, the document is taken that has the largest λ·r + (1 − λ)·(1 − s): r its score over the
best score, s the largest cosine of its chunk with those taken before it. That value, times the best score, is
the document's score from then on, and what it was multiplied with is shown as *mmr*. λ = 1 changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.retrieval import grouping
from ark_tui.retrieval.signals import meaning

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.retrieval.state import Candidates, Search

LOOKED_AT = 50  # documents, or as many as are listed
NEXT_TO_NOTHING = 1e-9  # of the best score


def factors(
    search: Search, candidates: Candidates, best: list[int], score: NDArray[np.float64]
) -> tuple[list[int], NDArray[np.float64]]:
    """The places of the best documents in their new order, and the factor of every candidate.

    Documents beyond those that are looked at, or with next to no score, keep their order behind them, with
    the factor 0.
    """
    import numpy as np

    wanted = max(LOOKED_AT, search.request.limit)
    places = [at for at in best[:wanted] if score[at] > NEXT_TO_NOTHING * max(score[best[0]], 0.0)]
    found = np.zeros(len(candidates))
    if not places:
        return best, found + 1
    share, most = search.profile.mmr, float(score[places[0]])
    relevance = score[places] / most
    alike = _alike(search, candidates, places)
    closest = np.zeros(len(places))
    left = np.ones(len(places), bool)
    order = []
    for _ in places:
        worth = np.where(left, share * relevance + (1 - share) * (1 - closest), -np.inf)
        taken = int(worth.argmax())
        order.append(places[taken])
        found[places[taken]] = worth[taken] / relevance[taken]
        left[taken] = False
        closest = np.maximum(closest, alike[taken])
    taken_in = set(order)
    return [*order, *(at for at in best if at not in taken_in)], found


def _alike(search: Search, candidates: Candidates, places: list[int]) -> NDArray[np.float64]:
    """The cosines of the documents' chunks with each other, from 0 to 1; 0 where there is no vector."""
    import numpy as np

    alike = np.zeros((len(places), len(places)))
    index = meaning.index(search) or grouping.index_of(search)
    if index is not None:
        there, rows = index.vectors(candidates.chunks[places])
        alike[np.ix_(there, there)] = np.clip(rows @ rows.T, 0.0, 1.0)
    return alike
