"""MaxSim: for every word of the query, how close the closest word of the text comes.

Late interaction (Khattab and Zaharia 2020) on the static token vectors: the mean over the query's tokens,
weighted by rarity, of the best cosine with a token of the text; on the best candidates only. Most of it is
the same within the best passage, since a long text has a bit of everything (docs/decisions/0026-chance.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.domain.hits import SignalInfo
from ark_tui.index.protocols import NOWHERE
from ark_tui.retrieval.state import PASSAGE, Candidates, Search, Signal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEPTH = 50  # candidates it is worked out for
TOGETHER = 0.7  # share of the best passage, against that of the whole text

INFO = SignalInfo(
    "maxsim",
    "m",
    "meaning",
    "For each word of the query the closest word of the text, best in one passage; for the best fifty.",
)


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """−1…1 for the best candidates; NOWHERE for the others."""
    import numpy as np

    from ark_tui.embedding import static

    raw = np.full(len(candidates), NOWHERE)
    index, so_far = search.index, search.so_far
    weights = index.weights if index else None
    query = static.tokens([search.query.text.strip()])[0]
    if index is None or so_far is None or weights is None or not len(query):
        return raw
    best = np.argsort(-so_far, kind="stable")[:DEPTH]
    texts = index.tokens(candidates.chunks[best])
    filled = [(place, ids) for place, ids in zip(best, texts, strict=True) if len(ids)]
    if filled:
        places = [place for place, _ in filled]
        whole, passage = static.maxsim(query, [ids for _, ids in filled], np.asarray(weights), PASSAGE)
        raw[places] = (1 - TOGETHER) * whole + TOGETHER * passage
    return raw


def within_those_seen(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    """Min–max over the candidates it was worked out for."""
    import numpy as np

    seen = raw[raw > NOWHERE]
    if not len(seen) or seen.max() == seen.min():
        return np.zeros_like(raw)
    scaled: NDArray[np.float64] = (raw - seen.min()) / (seen.max() - seen.min())
    return scaled.clip(0.0, 1.0)


def itself(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    return np.maximum(raw, 0.0)


SIGNAL = Signal(
    INFO,
    "vectors",
    None,
    values,
    normalise=within_those_seen,
    rrf=itself,
    nothing=NOWHERE,
    stage="late",
    order=130,
)
