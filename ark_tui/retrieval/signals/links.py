"""Links: what the documents that did well so far are linked with, in either direction.

One step of a random walk from the candidates (personalised PageRank's first, Haveliwala 2002): each document
hands its best score on to those it is linked with, in equal shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.hits import SignalInfo
from ark_tui.retrieval import elsewhere
from ark_tui.retrieval.signals import documents
from ark_tui.retrieval.signals.bm25 import share_of_best
from ark_tui.retrieval.state import Candidates, Proposal, Search, Signal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.reasons import Reasons
    from ark_tui.store.found import Found

SEEDS = 50  # documents whose neighbours become candidates

INFO = SignalInfo(
    "links",
    "l",
    "structure",
    "How well the documents did that link here, or that this one links to.",
)


def applies(search: Search) -> bool:
    """Whether there are links at all."""
    return search.index is not None and search.index.links > 0


def propose(search: Search, limit: int) -> Proposal:
    """The neighbours of the best documents, each by its chunk closest to the query."""
    numbers, score = documents.scores(search)
    if search.index is None:
        return Proposal(np.empty(0, np.int64), np.empty(0, np.int64))
    best = numbers[np.argsort(-score, kind="stable")[:SEEDS]]
    return documents.best_chunks(search, np.unique(search.index.linked(np.sort(best)).target), -1.0, limit)


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """The shares of the scores so far that links bring to the candidate's document."""
    pairs, shares = _handed_on(search)
    reached, place = np.unique(pairs[:, 1], return_inverse=True)
    brought = np.zeros(len(reached))
    np.add.at(brought, place, shares)
    return documents.look_up(reached, brought, candidates.documents)


def _handed_on(search: Search) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Who hands something on to whom, `(n, 2)`, and how much."""
    numbers, score = documents.scores(search)
    if search.index is None or not len(numbers):
        return np.empty((0, 2), np.int64), np.empty(0)
    linked = search.index.linked(numbers)
    pairs = np.unique(np.stack([linked.source, linked.target], axis=1), axis=0)
    source, count = np.unique(pairs[:, 0], return_counts=True)
    share = documents.look_up(numbers, score, source) / count
    return pairs, documents.look_up(source, share, pairs[:, 0])


def reasons(search: Search, candidates: Candidates, found: Sequence[Found]) -> list[Reasons]:
    """The documents that hand something on to each candidate's."""
    del found
    pairs, shares = _handed_on(search)
    to = [pairs[:, 1] == number for number in candidates.documents]
    return elsewhere.linked(
        search, [dict(zip(pairs[at, 0].tolist(), shares[at].tolist(), strict=True)) for at in to]
    )


SIGNAL = Signal(
    INFO,
    "vectors",
    propose,
    values,
    normalise=share_of_best,
    rrf=share_of_best,
    stage="structure",
    applies=applies,
    order=110,
    reasons=reasons,
)
