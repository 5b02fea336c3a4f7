"""MaxSim: for every word of the query, how close the closest word of the text comes.

Late interaction (Khattab and Zaharia 2020) on the static token vectors: the mean over the query's tokens,
weighted by rarity, of the best cosine with a token of the text; on the best candidates only. Most of it is
the same within the best passage, since a long text has a bit of everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.hits import SignalInfo
from ark_tui.embedding import static
from ark_tui.index.protocols import NOWHERE
from ark_tui.retrieval import akin
from ark_tui.retrieval.state import PASSAGE, Candidates, Search, Signal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.reasons import Reasons
    from ark_tui.retrieval.spelled import Read
    from ark_tui.store.found import Found

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
    raw = np.full(len(candidates), NOWHERE)
    index, so_far = search.index, search.so_far
    weights = akin.EVEN()
    query = static.of_query(search.query.text.strip())
    if index is None or so_far is None or not len(query):
        return raw
    best = np.argsort(-so_far, kind="stable")[:DEPTH]
    texts = akin.tokens(search, candidates.chunks[best].tolist())
    filled = [(place, ids) for place, ids in zip(best, texts, strict=True) if len(ids)]
    if filled:
        places = [place for place, _ in filled]
        raw[places] = _measured(query, [ids for _, ids in filled], np.asarray(weights))
    return raw


def _measured(
    query: NDArray[np.uint16], texts: Sequence[NDArray[np.uint16]], weights: NDArray[np.float32]
) -> NDArray[np.float64]:
    """The value of each text, none of which is empty."""
    whole, passage = static.maxsim(query, texts, weights, PASSAGE)
    return (1 - TOGETHER) * whole + TOGETHER * passage


def reasons(search: Search, candidates: Candidates, found: Sequence[Found]) -> list[Reasons]:
    """The words that come closest to those of the query, by what the value would lose without them."""
    weights = akin.EVEN()
    query = static.of_query(search.query.text.strip())
    if not len(query):
        return [()] * len(found)
    asked, known = akin.asked(search), np.asarray(weights)
    texts = akin.read(search, candidates, found)
    return [asked.pairs(text, _lost(query, text, known)) if text else () for text in texts]


def _lost(query: NDArray[np.uint16], text: Read, weights: NDArray[np.float32]) -> dict[str, float]:
    """What the value would lose without each of the words that come closest to a token of the query."""
    names = list(text.groups)
    closest = text.owner[static.cosines(query, [text.ids]).argmax(axis=1)]
    groups = [group for group in np.unique(closest).tolist() if group < len(names)]
    left = {names[group]: text.ids[text.owner != group] for group in groups}
    left = {word: ids for word, ids in left.items() if len(ids)}
    values = _measured(query, [text.ids, *left.values()], weights)
    return dict(zip(left, (values[0] - values[1:]).tolist(), strict=True))


def within_those_seen(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    """Min–max over the candidates it was worked out for."""
    seen = raw[raw > NOWHERE]
    if not len(seen) or seen.max() == seen.min():
        return np.zeros_like(raw)
    scaled: NDArray[np.float64] = (raw - seen.min()) / (seen.max() - seen.min())
    return scaled.clip(0.0, 1.0)


def itself(raw: NDArray[np.float64]) -> NDArray[np.float64]:
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
    reasons=reasons,
)
