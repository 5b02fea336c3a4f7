"""MaxSim: for each word of the query, the similarity of the closest word of the text.

Late interaction (Khattab and Zaharia 2020) on the static token vectors: the mean over the query's tokens,
weighted by the idf of their words, of the best cosine with a token of the text. It is computed for the best
fifty candidates, whose texts are tokenized for it. Most of the weight is on the best passage, since a long
text contains a near match for most words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ark_tui.domain.hits import SignalInfo
from ark_tui.embedding import static
from ark_tui.index.protocols import NOWHERE
from ark_tui.index.words import terms
from ark_tui.retrieval import evidence
from ark_tui.retrieval.shown import Shown, embedded
from ark_tui.retrieval.state import Candidates, Search, Signal

if TYPE_CHECKING:
    from numpy.typing import NDArray


DEPTH = 50  # scored candidates
TOGETHER = 0.7  # weight of the best passage; the rest is that of the whole text
PASSAGE = 32  # tokens of a passage; passages overlap by half

INFO = SignalInfo(
    "maxsim",
    "m",
    "meaning",
    "For each word of the query the closest word of the text, best in one passage; for the best fifty.",
)


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """−1…1 for the best candidates; NOWHERE for the others."""
    raw = np.full(len(candidates), NOWHERE)
    ids, weights = query(search, search.query.text)
    if search.so_far is None or not len(ids):
        return raw
    best = np.argsort(-search.so_far, kind="stable")[:DEPTH]
    texts = tokens(search, candidates.chunks[best].tolist())
    filled = [(place, text) for place, text in zip(best, texts, strict=True) if len(text)]
    if filled:
        close, starts = closest(ids, [text for _, text in filled])
        raw[[place for place, _ in filled]] = measured(weights, close, starts)
    return raw


def query(search: Search, text: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The tokens of a query and their weights: their share of the idf of their word, normalized to sum 1."""
    found = terms.words(text) if "words" not in search.problems else []
    if not found:
        ids = static.of_query(text.strip()).astype(np.int64)
        return ids, np.full(len(ids), 1 / max(len(ids), 1))
    index = search.corpus.words
    each = static.tokens(found)
    rarity = [
        index.idf(terms.stem(word), word) / max(len(ids), 1) for word, ids in zip(found, each, strict=True)
    ]
    weights = np.repeat(np.array(rarity), list(map(len, each)))
    return np.concatenate(each).astype(np.int64), weights / max(weights.sum(), 1e-9)


def tokens(search: Search, chunks: Sequence[int]) -> list[NDArray[np.uint16]]:
    """The tokens of chunks with titles and headings; empty for a missing chunk."""
    known = search.tokens
    if new := [chunk for chunk in chunks if chunk not in known]:
        with Shown(search) as store:
            found = store.found(new)
        there = [chunk for chunk in new if chunk in found]
        known.update(dict.fromkeys(new, np.empty(0, np.uint16)))
        known.update(zip(there, static.tokens([embedded(found[chunk]) for chunk in there]), strict=True))
    return [known[chunk] for chunk in chunks]


def closest(
    ids: NDArray[np.int64], texts: Sequence[NDArray[np.uint16]]
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """The best cosine of each query token in each passage of some non-empty texts.

    Returns an array `(tokens, passages)`, and the index of the first passage of each text.
    """
    half = PASSAGE // 2
    flat, at = np.unique(np.concatenate(texts), return_inverse=True)
    cosines = np.matmul(_directions(ids), _directions(flat).T)[:, at]
    halves = [np.arange(0, len(text), half) for text in texts]
    begins = np.cumsum([0, *map(len, texts)])[:-1]
    cuts = np.concatenate([cut + begin for cut, begin in zip(halves, begins, strict=True)])
    best: NDArray[np.float32] = np.maximum.reduceat(cosines, cuts, axis=1)
    second = np.flatnonzero(np.concatenate(halves) > 0)  # halves that also belong to the previous passage
    best[:, second - 1] = np.maximum(best[:, second - 1], best[:, second])
    return best, np.cumsum([0, *map(len, halves)])[:-1].astype(np.int64)


def measured(
    weights: NDArray[np.float64], close: NDArray[np.float32], starts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The value of each text from the cosines in its passages; `starts`: the first passage of each text."""
    whole = weights @ np.maximum.reduceat(close, starts, axis=1)
    passage = np.maximum.reduceat(weights @ close, starts)
    found: NDArray[np.float64] = (1 - TOGETHER) * whole + TOGETHER * passage
    return found


def _directions(ids: NDArray[Any]) -> NDArray[np.float32]:
    """The unit vectors of tokens."""
    return static.unit(static.table()[ids].astype(np.float32))


def within_those_seen(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    """Min–max normalization over the scored candidates."""
    seen = raw[raw > NOWHERE]
    if not len(seen) or seen.max() == seen.min():
        return np.zeros_like(raw)
    scaled: NDArray[np.float64] = (raw - seen.min()) / (seen.max() - seen.min())
    return scaled.clip(0.0, 1.0)


SIGNAL = Signal(
    INFO,
    "vectors",
    None,
    values,
    within_those_seen,
    nothing=NOWHERE,
    stage="late",
    order=130,
    reasons=evidence.close_words,
)
