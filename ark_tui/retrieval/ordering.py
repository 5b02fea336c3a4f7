"""Ordering of documents: score multipliers, best chunk per document, near-duplicates, diversity.

Near-duplicates are grouped: the best of them is the hit, the others are listed under it (I10).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from ark_tui.domain.errors import StoreError
from ark_tui.retrieval import decay
from ark_tui.retrieval.shown import Shown
from ark_tui.retrieval.state import Candidates, Scored, Search
from ark_tui.store import searches

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.documents import Document
    from ark_tui.index.vectors.snapshot import Snapshot

LOOKED_AT = 50  # documents re-ordered for diversity; at least the limit
NEXT_TO_NOTHING = 1e-9  # share of the best score


@dataclass(frozen=True, slots=True)
class Order:
    """The documents in order, each as the position of its best candidate.

    `under`: the near-duplicates of each, by position. `score` and each of `factors`: one value per candidate.
    `more`: the count of further candidates of each document, by number.
    """

    best: list[int]
    under: dict[int, list[int]]
    score: NDArray[np.float64]
    factors: dict[str, NDArray[np.float64]]
    more: dict[int, int]


def ordered(search: Search, scored: Scored, store: Shown) -> Order:
    """Order the documents of scored candidates, best first, and apply the score multipliers."""
    candidates, final = scored.candidates, scored.score
    days = store.days(candidates)
    factors = _factors(search, candidates, days, store)
    for values in factors.values():
        final = final * values
    best, more = best_of_documents(candidates.documents.tolist(), final.tolist(), days)
    best, under = grouped(search, candidates, best, final)
    if search.profile.mmr < 1:
        best, factors["mmr"] = varied(search, candidates, best, final)
        final = final * factors["mmr"]
    return Order(best, under, final, factors, more)


def _factors(
    search: Search, candidates: Candidates, days: dict[int, date | None], store: Shown
) -> dict[str, NDArray[np.float64]]:
    """The score multipliers that apply to this search, by name."""
    import numpy as np

    found: dict[str, NDArray[np.float64]] = {}
    rule = search.profile.decay
    if rule is not None and search.corpus.decay:
        today = search.corpus.clock.now().date()
        ages = [decay.factor(days.get(number), today, rule) for number in candidates.documents.tolist()]
        found["decay"] = np.array(ages)
    access = search.profile.access
    if access is not None and search.corpus.decay and len(candidates):
        numbers = candidates.documents.tolist()
        used = _used(search, set(numbers), store)
        found["access"] = np.array([decay.boost(used[number], access) for number in numbers])
    if search.query.negated:
        from ark_tui.retrieval import exclusion

        found["exclusion"] = exclusion.factors(search, candidates)
    return found


def _used(search: Search, numbers: set[int], store: Shown) -> dict[int, int]:
    """How often the agent accessed each document; cached per search."""
    if fresh := sorted(numbers - search.used.keys()):
        counts = searches.access_counts(store.lease(), search.request.agent, fresh)
        search.used |= {number: counts.get(number, 0) for number in fresh}
    return search.used


def best_of_documents(
    owners: Sequence[int], score: Sequence[float], days: Mapping[int, date | None]
) -> tuple[list[int], dict[int, int]]:
    """The best candidate of each document, best first, ties newest first; and the count of further ones."""
    best: dict[int, int] = {}
    more: dict[int, int] = {}
    for i, owner in enumerate(owners):
        if (known := best.get(owner)) is None:
            best[owner], more[owner] = i, 0
            continue
        more[owner] += 1
        if score[i] > score[known]:
            best[owner] = i
    keyed = [
        (-score[i], -(day.toordinal() if (day := days[owner]) else 1), owner, i)
        for owner, i in best.items()
        if owner in days
    ]
    keyed.sort()
    return [i for *_, i in keyed], more


def grouped(
    search: Search, candidates: Candidates, best: list[int], score: NDArray[np.float64]
) -> tuple[list[int], dict[int, list[int]]]:
    """Group near-duplicates: the remaining positions of `best`, best first, and the others under each.

    If scores tie, the text stored first leads its group.
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
    """The documents listed under the shown hits, by position of the hit."""
    members = {at: [chunks[one] for one in under[at]] for at in shown if at in under}
    known = store.found([one for some in members.values() for one in some]) if members else {}
    return {at: tuple(known[one].document for one in some if one in known) for at, some in members.items()}


def index_of(search: Search) -> Snapshot | None:
    """The vector index, also in keyword mode."""
    if search.index is None and search.request.mode == "keyword":
        try:
            return search.corpus.vectors()
        except StoreError:  # a keyword search does not report this; `doctor` does
            return None
    return search.index


def varied(
    search: Search, candidates: Candidates, best: list[int], score: NDArray[np.float64]
) -> tuple[list[int], NDArray[np.float64]]:
    """Maximal marginal relevance (Carbonell and Goldstein 1998): the new order and each candidate's factor.

    Each step selects the document with the largest λ·r + (1 − λ)·(1 − s): r is its score / best score, s the
    largest cosine of its chunk with those already selected. That value × the best score is its new score.

    Documents beyond the first `LOOKED_AT`, or with a score near 0, follow in their old order with factor 0.
    """
    import numpy as np

    wanted = max(LOOKED_AT, search.request.limit)
    places = [at for at in best[:wanted] if score[at] > NEXT_TO_NOTHING * max(score[best[0]], 0.0)]
    found = np.zeros(len(candidates))
    if not places:
        return best, found + 1
    share, most = search.profile.mmr, float(score[places[0]])
    relevance = score[places] / most
    alike = _alike(search, candidates, places)
    closest = np.zeros(len(places))
    left = np.ones(len(places), bool)
    order = []
    for _ in places:
        worth = np.where(left, share * relevance + (1 - share) * (1 - closest), -np.inf)
        taken = int(worth.argmax())
        order.append(places[taken])
        found[places[taken]] = worth[taken] / relevance[taken]
        left[taken] = False
        closest = np.maximum(closest, alike[taken])
    chosen = set(order)
    return [*order, *(at for at in best if at not in chosen)], found


def _alike(search: Search, candidates: Candidates, places: list[int]) -> NDArray[np.float64]:
    """The pairwise cosines of the candidates, clipped to 0…1; 0 without a vector."""
    import numpy as np

    from ark_tui.retrieval.signals import meaning

    alike = np.zeros((len(places), len(places)))
    index = meaning.index(search) or index_of(search)
    if index is not None:
        there, rows = index.vectors(candidates.chunks[places])
        alike[np.ix_(there, there)] = np.clip(rows @ rows.T, 0.0, 1.0)
    return alike
