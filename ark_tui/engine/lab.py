"""The ranking lab: a search, and the user's judged queries, ranked with other weights (X6)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ark_tui import retrieval
from ark_tui.curation import judging
from ark_tui.domain.errors import NotFound
from ark_tui.domain.evaluation import METRICS, Compared, Slider, Tuned, Tuning
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.query import Request
from ark_tui.domain.wording import counted
from ark_tui.domain.work import Progress
from ark_tui.evaluation import metrics
from ark_tui.evaluation.results import NDCG
from ark_tui.settings import editing, ranking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ark_tui.domain.hits import SearchResult
    from ark_tui.domain.profile import Profile
    from ark_tui.engine.services import Services
    from ark_tui.evaluation.metrics import Values

DEPTH = 100
"""Depth of the ranking of judged queries, as in `eval --mine`, and of searches."""


class Lab:
    """The ranking lab of a home (`engine.lab`). Thread-safe."""

    def __init__(self, parts: Services) -> None:
        self._parts = parts

    def profile(self, tuning: Tuning) -> Profile:
        """The profile of a tuning. Raises `NotFound` for an unknown profile.

        Weights for queries with names are scaled in proportion to the changed weights.
        """
        known = self._parts.settings.profiles
        if tuning.profile not in known:
            raise NotFound(f"There is no profile {tuning.profile}.", f"There are {', '.join(sorted(known))}.")
        start = known[tuning.profile]
        profile = ranking.changed(start, tuning.changes)
        if not profile.named:
            return profile
        by = {name: profile.weights[name] / weight for name, weight in start.weights.items() if weight}
        named = {name: weight * by.get(name, 1.0) for name, weight in profile.named.items()}
        return replace(profile, named=named)

    def sliders(self, tuning: Tuning) -> tuple[Slider, ...]:
        """The weights of the active signals, as sliders."""
        profile = self.profile(tuning)
        most, step = (0.6, 0.01) if profile.fusion == "convex" else (5.0, 0.05)
        return tuple(
            Slider(name, weight, max(most, weight), step)
            for name, weight in profile.weights.items()
            if weight > 0
        )

    def tuned(self, request: Request, by: Tuning, beside: Tuning, stop: Stop = NEVER) -> Tuned:
        """A search ranked by one tuning, with the ranks of its hits by another one.

        Low-confidence results are included, as only the ranking is compared.
        """
        result = self._ranked(request, by, stop)
        other = self._ranked(replace(request, limit=max(DEPTH, request.limit)), beside, stop)
        ranks = {hit.document.id: hit.rank for hit in other.hits}
        return Tuned(result, tuple(ranks.get(hit.document.id) for hit in result.hits))

    def compared(
        self, by: Tuning, other: Tuning, stop: Stop = NEVER, progress: OnProgress = ignore
    ) -> Compared | None:
        """Compare two tunings on the user's judged queries; None if no document was judged an answer."""
        with self._parts.store.read() as lease:
            judged = judging.answered(judging.judgments(lease))
        if not judged:
            return None
        one, two = (self._measured(judged, each, stop, progress) for each in (by, other))
        change = one - two
        better, worse = int((change[:, NDCG] > 0).sum()), int((change[:, NDCG] < 0).sum())
        estimate = metrics.estimate
        return Compared(estimate(one), estimate(two), estimate(change), better, worse)

    def check_name(self, name: str) -> None:
        """Check the name of a new profile. Raises `UsageError` if it is in use or invalid."""
        editing.check_profile(self._parts.settings.home, name)

    def save(self, name: str, tuning: Tuning, about: str) -> Profile:
        """Save a tuning as a user profile with a description. Raises `UsageError`."""
        saved = replace(self.profile(tuning), name=name, about=about)
        base = self._parts.settings.profiles[tuning.profile]
        editing.put_profile(self._parts.settings.home, saved, base)
        return saved

    def _ranked(self, request: Request, tuning: Tuning, stop: Stop) -> SearchResult:
        profile, corpus = self.profile(tuning), self._parts.corpus
        corpus = replace(corpus, profiles={**corpus.profiles, profile.name: profile})
        whole = replace(request, typing=False, explain=False, unlogged=True, below=True)
        self._parts.look(stop)
        asked = replace(self._parts.complete(whole), profile=profile.name, adjust=(), instead="")
        return retrieval.run(corpus, asked, stop)

    def _measured(
        self, judged: Mapping[str, metrics.Grades], tuning: Tuning, stop: Stop, progress: OnProgress
    ) -> Values:
        """The metrics of each query by a tuning, of shape (queries, metrics)."""
        rows = []
        for number, (query, grades) in enumerate(judged.items()):
            check(stop)
            progress(Progress("queries", number, len(judged), query))
            hits = self._ranked(Request(query, limit=DEPTH), tuning, stop).hits
            rows.append(metrics.measure([hit.document.id for hit in hits], grades))
        progress(Progress("queries", len(judged), len(judged)))
        return np.array(rows, np.float64)


def note(tuning: Tuning, measures: Compared | None, day: str) -> str:
    """The description of a profile made in the lab: its origin and its measures."""
    made = f"Made in the ranking lab on {day} from {tuning.profile}"
    if measures is None:
        return f"{made}; there were no judged queries to measure it on."
    change, now = measures.change.of[METRICS[NDCG]], measures.one.of[METRICS[NDCG]]
    return (
        f"{made}; nDCG@10 {now.mean:.3f}, {change.mean:+.3f} ({change.low:+.3f} … {change.high:+.3f}), "
        f"on {counted(measures.one.queries, 'judged query', 'judged queries')}."
    )
