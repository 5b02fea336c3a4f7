"""Near-duplicates share a place: the best of them is the hit, the others are listed under it (I10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ark_tui.domain.errors import StoreError
from ark_tui.retrieval.state import Candidates, Search

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.documents import Document
    from ark_tui.index.protocols import CorpusIndex
    from ark_tui.retrieval.shown import Shown


def grouped(
    search: Search, candidates: Candidates, best: list[int], score: NDArray[np.float64]
) -> tuple[list[int], dict[int, list[int]]]:
    """The places that remain of `best`, best first, and for each of them those listed under it.

    Where scores tie, the text that was stored first comes before its repetitions.
    """
    index = index_of(search)
    if index is None:
        return best, {}
    chunks = candidates.chunks[best]
    firsts = index.firsts(chunks).tolist()
    kinds: dict[int, list[int]] = {}
    for at, first in zip(best, firsts, strict=True):
        kinds.setdefault(first, []).append(at)
    if len(kinds) == len(best):
        return best, {}
    chunk = dict(zip(best, chunks.tolist(), strict=True))
    leads: list[int] = []
    under: dict[int, list[int]] = {}
    for first, members in kinds.items():
        ties = [at for at in members if score[at] == score[members[0]]]
        lead = next((at for at in ties if chunk[at] == first), members[0])
        leads.append(lead)
        if len(members) > 1:
            under[lead] = [at for at in members if at != lead]
    return leads, under


def listed(
    store: Shown, chunks: Sequence[int], shown: Sequence[int], under: Mapping[int, Sequence[int]]
) -> dict[int, tuple[Document, ...]]:
    """What is listed under the hits that are shown, by the place of the hit."""
    members = {at: [chunks[one] for one in under[at]] for at in shown if at in under}
    known = store.found([one for some in members.values() for one in some]) if members else {}
    return {at: tuple(known[one].document for one in some if one in known) for at, some in members.items()}


def index_of(search: Search) -> CorpusIndex | None:
    """The vectors, also where nothing else of the search needs it."""
    if search.index is None and search.request.mode == "keyword":
        try:
            return search.corpus.vectors()
        except StoreError:  # a search by words says nothing of vectors; `doctor` does
            return None
    return search.index
