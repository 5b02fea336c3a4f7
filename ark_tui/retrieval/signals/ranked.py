"""The word index's answers as proposals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.retrieval.state import Proposal

if TYPE_CHECKING:
    from ark_tui.index.protocols import Ranked


def proposal(found: Ranked) -> Proposal:
    """A ranked answer as a proposal."""
    import numpy as np

    chunks, documents = np.array(found.chunks, np.int64), np.array(found.documents, np.int64)
    return Proposal(chunks, documents, np.array(found.scores, np.float64))
