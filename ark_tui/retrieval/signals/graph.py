"""Graph expansion: documents linked with the best ones, if similar enough to the query (S9).

Links of the best documents so far (five by default) are followed in both directions, for two hops by default.
A text reached after h hops from a document s gets a value if its cosine with the query is at least the floor:

    (1 − 2⁻ʰ) · cosine(text, query) + 2⁻ʰ · score(s) / best score

So the score of s has a share of one half at one hop and a quarter at two. Of several paths, the largest value
counts. A seed document gets a value only through another seed (docs/decisions/0007-the-ark-profile.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.hits import SignalInfo
from ark_tui.index.protocols import NOWHERE
from ark_tui.retrieval import evidence
from ark_tui.retrieval.signals import documents, meaning
from ark_tui.retrieval.state import Candidates, Proposal, Search, Signal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.profile import Profile
    from ark_tui.domain.reasons import Reasons
    from ark_tui.store.found import Found

ASKED = 0.1  # the weight if a search requests hops and the profile has none

INFO = SignalInfo(
    "graph",
    "g",
    "structure",
    "Links lead here from one of the best documents, and the text is about the query, too.",
)


def widened(profile: Profile, hops: int) -> Profile:
    """The profile with this number of hops, and a weight for this signal."""
    weights = profile.weights if profile.weights.get(INFO.name) else {**profile.weights, INFO.name: ASKED}
    return replace(profile, weights=weights, graph=replace(profile.graph, hops=hops))


def applies(search: Search) -> bool:
    """Whether there are links to follow."""
    rule = search.profile.graph
    return bool(rule.hops and rule.seeds and search.index is not None and search.index.links)


def _walk(search: Search) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """For each hop, the reached documents, ascending, and the best seed score of each; cached per search."""
    if search.walk is not None or search.index is None:
        return search.walk or []
    rule = search.profile.graph
    numbers, score = documents.scores(search)
    top = np.sort(np.argsort(-score, kind="stable")[: rule.seeds])
    frontier, strength = numbers[top], score[top]
    search.walk, seen = [], frontier
    for _ in range(rule.hops):
        linked = search.index.linked(frontier)
        reached, place = np.unique(linked.target, return_inverse=True)
        best = np.zeros(len(reached))
        np.maximum.at(best, place, documents.look_up(frontier, strength, linked.source))
        new = np.ones(len(reached), bool) if not search.walk else ~np.isin(reached, seen)
        search.walk.append((reached[new], best[new]))
        further = new & ~np.isin(reached, seen)
        frontier, strength = reached[further], best[further]
        seen = np.union1d(seen, frontier)
    return search.walk


def propose(search: Search, limit: int) -> Proposal:
    """The chunk closest to the query of each reached document."""
    reached = [numbers for numbers, _ in _walk(search)]
    all_reached = np.unique(np.concatenate([*reached, np.empty(0, np.int64)]))
    return documents.best_chunks(search, all_reached, search.profile.graph.floor, limit)


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """0…1 by the formula above; 0 for a text that is not reached or below the floor."""
    close = meaning.scores(search, candidates)
    near = (close > NOWHERE) & (close >= search.profile.graph.floor)
    raw = np.zeros(len(candidates))
    for hops, (numbers, best) in enumerate(_walk(search), start=1):
        company = documents.look_up(numbers, best, candidates.documents)
        share = 0.5**hops
        there = near & np.isin(candidates.documents, numbers)
        value = (1 - share) * np.maximum(close, 0.0) + share * company
        raw = np.where(there, np.maximum(raw, value), raw)
    return raw


def reasons(search: Search, candidates: Candidates, found: Sequence[Found]) -> list[Reasons]:
    """For each candidate, the best-scored document linked with its own."""
    del found
    index, (numbers, score) = search.index, documents.scores(search)
    brought: list[dict[int, float]] = []
    for document, value in zip(candidates.documents, values(search, candidates), strict=True):
        near = index.linked(np.array([document])).target if index is not None and value > 0 else numbers[:0]
        scores = documents.look_up(numbers, score, near)
        best = int(scores.argmax()) if len(near) else -1
        brought.append({int(near[best]): float(scores[best]) / 2} if best >= 0 else {})
    return evidence.linked(search, brought)


SIGNAL = Signal(
    INFO,
    "vectors",
    propose,
    values,
    stage="structure",
    applies=applies,
    order=120,
    reasons=reasons,
)
