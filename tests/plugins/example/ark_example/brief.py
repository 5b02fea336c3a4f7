"""A signal: how short a text is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.hits import SignalInfo
from ark_tui.domain.reasons import Reason
from ark_tui.retrieval.shown import texts
from ark_tui.retrieval.state import Signal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ark_tui.retrieval.state import Candidates, Search
    from ark_tui.store.found import Found


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """1 / words of each candidate, at most 1."""
    known = texts(search.corpus, candidates.chunks.tolist())
    lengths = [max(1, len(known.get(number, "").split())) for number in candidates.chunks.tolist()]
    brevity: NDArray[np.float64] = 1 / np.array(lengths)
    return brevity


def share_of_best(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each as a share of the largest."""
    share: NDArray[np.float64] = raw / raw.max(initial=1e-9)
    return share


def reasons(search: Search, candidates: Candidates, found: Sequence[Found]) -> list[tuple[Reason, ...]]:
    """The first word of each text."""
    worth = values(search, candidates).tolist()
    words = [hit.text.split()[0] for hit in found]
    return [(Reason("word", word, word, "text", value),) for word, value in zip(words, worth, strict=True)]


SIGNAL = Signal(
    SignalInfo("brief", "y", "structure", "How short the text is."),
    "vectors",
    None,
    values,
    normalise=share_of_best,
    reasons=reasons,
)
