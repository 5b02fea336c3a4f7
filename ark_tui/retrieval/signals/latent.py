"""Latent: words that share contexts in this corpus count as akin, whatever they mean elsewhere.

Latent semantic analysis (Deerwester et al. 1990) of the corpus itself, see `ark_tui.index.vectors.latent`.
The query is moved towards the texts that lead the first pass, as in `rocchio`. What was measured stands in
docs/decisions/0021-latent.md.
"""

from __future__ import annotations

from ark_tui.domain.hits import SignalInfo
from ark_tui.retrieval.signals import cosine, rocchio
from ark_tui.retrieval.state import Probe, Search

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


SIGNAL = cosine.signal(
    INFO, "vectors", _probe, stage="feedback", share=2, normalise=rocchio.against_best, order=65
)
