"""Exclusion: a factor on what is about something that the query says, in plain words, it is not about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.domain.query import Filters
from ark_tui.index.words import terms
from ark_tui.retrieval.signals import ranked
from ark_tui.retrieval.state import Candidates, Search

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LOWEST = 0.2


def factors(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """For each candidate 1 − (1 − LOWEST) × how much it is about that."""
    import numpy as np

    about = np.zeros(len(candidates))
    if "words" in search.problems:
        return 1 - about
    known = {*search.terms.stems}
    for thing in search.query.negated:
        words = [word for word in terms.words(thing) if terms.stem(word) not in known]
        wanted = terms.read(" ".join(words))
        found = search.corpus.words.coverage(
            wanted, Filters(), len(candidates), among=candidates.chunks.tolist()
        )
        about = np.maximum(about, ranked.spread(found, candidates).clip(0.0, 1.0))
    return 1 - (1 - LOWEST) * about
