"""Rocchio: the cosine with the query vector moved toward the leading texts of the first pass.

Rocchio (1971), with positive feedback only: q + β · mean of the leaders, β = 1, on the vectors of a
transformer or a served model if the corpus has them, else on the static ones. All vectors are centered on the
corpus mean, so that features common to all texts have no effect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.hits import SignalInfo
from ark_tui.embedding.static import unit
from ark_tui.index.protocols import NOWHERE
from ark_tui.retrieval import evidence
from ark_tui.retrieval.fusion import share_of_best
from ark_tui.retrieval.signals import cosine, model, static
from ark_tui.retrieval.state import Candidates, Probe, Proposal, Search, Signal

if TYPE_CHECKING:
    from numpy.typing import NDArray


BETA = 1.0
SHARE = 2  # it proposes this fraction (1 / SHARE) of the limit

INFO = SignalInfo(
    "rocchio",
    "r",
    "meaning",
    "How close the text is to the query after the query has learned from the three best texts.",
)


@cosine.once
def _probe(search: Search) -> Probe | None:
    """The moved query vector, relative to the corpus mean; None without a query vector."""
    own = model.probe(search) or static.probe(search)
    if own is None or (middle := own.index.middle) is None:
        return None
    vector = unit((own.vector - middle)[None])[0]
    _, leaders = own.index.vectors(search.leaders or ())
    if len(leaders):
        vector = vector + np.float32(BETA) * unit(leaders - middle).mean(axis=0)
    return Probe(own.index, unit(vector[None])[0])


def propose(search: Search, limit: int) -> Proposal:
    """The texts with the largest dot product; centering would shift all products by the same amount."""
    probe = _probe(search)
    return Proposal.of(probe.index.search(probe.vector, limit // SHARE, search.filters) if probe else None)


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """The cosine of centered vectors; NOWHERE for a text without a vector."""
    raw, probe = np.full(len(candidates), NOWHERE), _probe(search)
    if probe is not None and (middle := probe.index.middle) is not None:
        places, rows = probe.index.vectors(candidates.chunks)
        rows = unit(rows - middle)
        raw[places] = np.einsum("ij,j->i", rows, probe.vector)  # equal for equal rows, as BLAS may not be
    return raw


SIGNAL = Signal(
    INFO,
    "vectors",
    propose,
    values,
    share_of_best,
    nothing=NOWHERE,
    stage="feedback",
    order=60,
    reasons=evidence.close_words,
)
