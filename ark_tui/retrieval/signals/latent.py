"""Latent: words that share contexts in this corpus count as akin, whatever they mean elsewhere.

Latent semantic analysis (Deerwester et al. 1990) of the corpus itself, see `ark_tui.index.vectors.latent`.
The query is moved towards the texts that lead the first pass, as in `rocchio`. What was measured stands in
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.hits import SignalInfo
from ark_tui.index.words import terms
from ark_tui.retrieval import akin
from ark_tui.retrieval.signals import cosine, rocchio
from ark_tui.retrieval.state import Candidates, Probe, Search

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.reasons import Reasons
    from ark_tui.index.protocols import CorpusIndex
    from ark_tui.retrieval.spelled import Read
    from ark_tui.store.found import Found

K1 = 1.2  # how soon a word that comes again counts for no more, as in the texts' vectors

INFO = SignalInfo(
    "latent",
    "a",
    "meaning",
    "Words that share contexts in this corpus count as akin (latent semantic analysis).",
)


@cosine.once
def _probe(search: Search) -> Probe | None:
    """Where the query has moved to; None where none of its words is in several texts."""
    index = search.index
    pool = index.latent if index else None
    own = index.in_contexts((*search.terms.stems, *search.terms.spaceless)) if index else None
    if pool is None or own is None:
        search.rests[INFO.name] = "the corpus has too few texts to learn from"
        return None
    return rocchio.moved(search, pool, own) if own.any() else None


def reasons(search: Search, candidates: Candidates, found: Sequence[Found]) -> list[Reasons]:
    """The words without which a text would be further from the query, by the contexts they share.

    A text's vector is put together anew from those of its words, but for the length of the text.
    """
    index, probe = search.index, _probe(search)
    texts = akin.read(search, candidates, found)
    if index is None or probe is None:
        return [()] * len(found)
    asked = akin.asked(search)
    return [asked.pairs(text, _lost(index, text, probe.vector)) if text else () for text in texts]


def _lost(index: CorpusIndex, text: Read, vector: NDArray[np.float32]) -> dict[str, float]:
    """What the closeness would lose without each word of a text."""
    rows: dict[str, NDArray[np.float32]] = {}
    for word, places in text.groups.items():
        stems = [terms.stem(one) for one in terms.words(word) if one not in terms.STOP_WORDS]
        known = index.in_contexts(stems) if stems else None
        if known is not None and known.any():
            rows[word] = known * np.float32(len(places) * (K1 + 1) / (len(places) + K1))
    if not rows:
        return {}
    each = np.stack(list(rows.values()))
    whole = each.sum(axis=0)
    lost = akin.losses(np.vstack([whole[None], whole - each]), vector)
    return dict(zip(rows, lost.tolist(), strict=True))


SIGNAL = cosine.signal(
    INFO,
    "vectors",
    _probe,
    stage="feedback",
    share=2,
    normalise=rocchio.against_best,
    order=65,
    reasons=reasons,
)
