"""The word index's answers as arrays over candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.retrieval.state import Candidates, Proposal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.index.words.reader import Ranked


def proposal(found: Ranked) -> Proposal:
    """A ranked answer as a proposal."""
    import numpy as np

    chunks, documents = np.array(found.chunks, np.int64), np.array(found.documents, np.int64)
    return Proposal(chunks, documents, found.count, np.array(found.scores, np.float64))


def spread(found: Ranked, candidates: Candidates) -> NDArray[np.float64]:
    """The scores in the candidates' order, 0 for those that were not found."""
    import numpy as np

    values = np.zeros(len(candidates))
    at = np.searchsorted(candidates.chunks, np.array(found.chunks, np.int64))
    values[at] = found.scores
    return values
