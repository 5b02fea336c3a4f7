"""The ranking lab: a search, and one's own judged queries, ranked anew as the numbers of a profile move (X6).

Each search is kept with what every signal said (`ark_tui.retrieval.kept`), so that another weight costs sums.
Nothing is kept of a corpus that has changed. Questions are answered by what they hold: a search and a tuning.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from ark_tui.curation import judging
from ark_tui.domain.errors import UsageError
from ark_tui.domain.evaluation import METRICS
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.query import Mode, Request
from ark_tui.domain.tuning import Compared, Slider, Tuned, Tuning
from ark_tui.domain.wording import counted
from ark_tui.domain.work import Progress
from ark_tui.evaluation import estimates, metrics
from ark_tui.evaluation.results import NDCG
from ark_tui.retrieval import kept
from ark_tui.retrieval.kept import Kept
from ark_tui.settings import editing, ranking
from ark_tui.settings.sliders import sliders

if TYPE_CHECKING:
    from ark_tui.domain.profile import Profile
    from ark_tui.engine.services import Services
    from ark_tui.evaluation.estimates import Values

BOARDS = 4  # ways to ask the indexes of which searches are kept at a time
RUN_DEPTH = 100  # documents per judged query, as in `eval --mine`

Complete = Callable[[Request, Stop], Request]
"""Completes a request as a search does, having taken up what another process has left behind."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A query with an answer, and the grades of its documents, by their numbers as texts."""

    query: str
    grades: metrics.Grades


class Lab:
    """`engine.lab`. Thread-safe."""

    def __init__(self, parts: Services, complete: Complete) -> None:
        self._parts = parts
        self._complete = complete
        self._boards: OrderedDict[Hashable, dict[Request, Kept]] = OrderedDict()
        self._orders: WeakKeyDictionary[Kept, tuple[Tuning, dict[int, int]]] = WeakKeyDictionary()
        self._change = -1
        self._lock = threading.Lock()

    def profile(self, tuning: Tuning) -> Profile:
        """The profile that a tuning stands for; raises `UsageError` where there is none.

        A weight that was changed takes along, in proportion, the one that a query with a name in it has.
        """
        known = self._parts.settings.profiles
        if tuning.profile not in known:
            raise UsageError(
                f"There is no profile {tuning.profile}.", f"There are {', '.join(sorted(known))}."
            )
        start = known[tuning.profile]
        profile = ranking.changed(start, tuning.changes)
        if not profile.named:
            return profile
        by = {name: profile.weights[name] / weight for name, weight in start.weights.items() if weight}
        named = {name: weight * by.get(name, 1.0) for name, weight in profile.named.items()}
        return replace(profile, named=named)

    def sliders(self, tuning: Tuning) -> tuple[Slider, ...]:
        """What can be moved, as it stands by a tuning."""
        found = sliders(self.profile(tuning))
        if self._parts.settings.decay:
            return found
        off = "switched off in the settings"
        return tuple(replace(one, said=off) if one.key.startswith("decay.") else one for one in found)

    def tuned(self, request: Request, by: Tuning, beside: Tuning, stop: Stop = NEVER) -> Tuned:
        """A search ranked by a tuning, with the places of its hits by another one.

        All documents are ranked, also what lies below the floor: whether to answer is another question.
        """
        request = self._complete(
            replace(request, typing=False, adjust=(), unlogged=True, explain=False), stop
        )
        search, searched = self.kept(request, self.profile(by), stop)
        ranked = search.ranked(self.profile(by), stop)
        result = ranked.answer()
        shown = [
            number
            for number, chunk in zip(ranked.documents[: request.limit], ranked.chunks, strict=False)
            if chunk in ranked.search.found  # else the store no longer has it
        ]
        places = self._places(request, beside, stop)
        return Tuned(result, tuple(map(places.get, shown)), searched)

    def _places(self, request: Request, tuning: Tuning, stop: Stop) -> dict[int, int]:
        """The place of each document by a tuning, from 1; kept, since steps are compared with the same."""
        search, _ = self.kept(request, self.profile(tuning), stop)
        if search not in self._orders or self._orders[search][0] != tuning:
            ranked = search.ranked(self.profile(tuning), stop)
            places = {number: place for place, number in enumerate(ranked.documents, start=1)}
            self._orders[search] = tuning, places
        return self._orders[search][1]

    def compared(
        self, by: Tuning, other: Tuning, stop: Stop = NEVER, progress: OnProgress = ignore
    ) -> Compared | None:
        """Two tunings measured on one's own judged queries; None where nothing was judged as an answer."""
        judged = self.judged()
        if not judged:
            return None
        one, two = (self.measured(judged, self.profile(each), stop, progress) for each in (by, other))
        return comparison(one, two)

    def check_name(self, name: str) -> None:
        """Raises `UsageError` for a name that a profile has already, or that none can have."""
        editing.check_profile(self._parts.settings.home, name)

    def save(self, name: str, tuning: Tuning, about: str) -> Profile:
        """Keep a tuning as a profile of one's own, with what is to be said of it; raises `UsageError`."""
        saved = replace(self.profile(tuning), name=name, about=about)
        base = self._parts.settings.profiles[tuning.profile]
        editing.put_profile(self._parts.settings.home, saved, base)
        return saved

    def judged(self) -> tuple[Judged, ...]:
        """One's own queries that have an answer."""
        with self._parts.store.read() as lease:
            known = judging.graded(lease)
        return tuple(
            Judged(query, {str(number): grade for number, grade in grades.items()})
            for query, grades in known.items()
            if any(grades.values())
        )

    def measured(
        self,
        judged: tuple[Judged, ...],
        profile: Profile,
        stop: Stop = NEVER,
        progress: OnProgress = ignore,
        mode: Mode = "hybrid",
    ) -> Values:
        """The metrics of each query by a profile: queries × metrics."""
        rows = []
        for number, one in enumerate(judged):
            check(stop)
            progress(Progress("queries", number, len(judged), one.query))
            ranked = self.ranking_of(one, profile, stop, mode).ranked(profile, stop).documents
            rows.append(metrics.measure(list(map(str, ranked[:RUN_DEPTH])), one.grades))
        progress(Progress("queries", len(judged), len(judged)))
        return np.array(rows, np.float64)

    def ranking_of(self, judged: Judged, profile: Profile, stop: Stop = NEVER, mode: Mode = "hybrid") -> Kept:
        """The kept search of a judged query."""
        request = Request(judged.query, mode, limit=RUN_DEPTH, below=True, unlogged=True)
        return self.kept(self._complete(request, stop), profile, stop)[0]

    def kept(self, request: Request, profile: Profile, stop: Stop) -> tuple[Kept, bool]:
        """A kept search, and whether it is a new one."""
        key = replace(request, profile="", instead="")
        with self._lock:
            board = self._board(kept.asked(profile))
            if (known := board.get(key)) is not None:
                return known, False
        found = Kept(self._parts.corpus, request, profile, stop)
        with self._lock:
            return board.setdefault(key, found), True

    def _board(self, asked: Hashable) -> dict[Request, Kept]:
        """The kept searches that ask the indexes for the same; those used longest ago make room."""
        change = self._parts.store.change()
        if change != self._change:
            self._boards.clear()
            self._change = change
        board = self._boards.setdefault(asked, {})
        self._boards.move_to_end(asked)
        while len(self._boards) > BOARDS:
            self._boards.popitem(last=False)
        return board


def note(tuning: Tuning, measures: Compared | None, day: str) -> str:
    """What a profile that was made in the lab says of itself: from what, and on what it was measured."""
    made = f"Made in the ranking lab on {day} from {tuning.profile}"
    if measures is None:
        return f"{made}; no query was judged to measure it on."
    change, now = measures.change.of[METRICS[NDCG]], measures.one.of[METRICS[NDCG]]
    return (
        f"{made}; nDCG@10 {now.mean:.3f}, {change.mean:+.3f} ({change.low:+.3f} … {change.high:+.3f}), "
        f"on {counted(measures.one.queries, 'judged query', 'judged queries')}."
    )


def comparison(one: Values, other: Values) -> Compared:
    """Two rankings of the same queries: their means, and the interval of the paired difference."""
    change = one - other
    better, worse = int((change[:, NDCG] > 0).sum()), int((change[:, NDCG] < 0).sum())
    estimate = estimates.estimate
    return Compared(estimate(one), estimate(other), estimate(change), better, worse)
