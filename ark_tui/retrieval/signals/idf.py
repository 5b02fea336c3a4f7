"""Static cosine by rarity: as `static`, each token weighted by how rare it is in this corpus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ark_tui.domain.hits import SignalInfo
from ark_tui.embedding import static
from ark_tui.retrieval import akin
from ark_tui.retrieval.signals import cosine
from ark_tui.retrieval.state import Candidates, Probe, Search

if TYPE_CHECKING:
    from ark_tui.domain.reasons import Reasons
    from ark_tui.store.found import Found

INFO = SignalInfo(
    "idf",
    "i",
    "meaning",
    "As static, but rare words of this corpus weigh more, so that names and terms count.",
)


@cosine.once
def probe(search: Search) -> Probe | None:
    """The query pooled as the corpus is; None where it has no token."""
    index = search.index
    if index is None or index.by_rarity is None or index.weights is None:
        return None
    row = static.pool([static.of_query(search.query.text.strip())], index.weights)[0]
    return cosine.heard(search, index.by_rarity, row) if row.any() else None


def reasons(search: Search, candidates: Candidates, found: Sequence[Found]) -> list[Reasons]:
    """The words without which a text would be further from the query, by their rarity."""
    weights = search.index.weights if search.index else None
    return akin.reasons(search, candidates, found, probe(search), weights)


SIGNAL = cosine.signal(INFO, "vectors", probe, order=40, reasons=reasons)
