"""Weights fitted to one's own judgments, and refused where they cannot be shown to be better (X6).

The weights of a profile are fitted with one part of the queries left out in turn; each part is ranked by the
weights that have not seen it, as a search with them ranks. The interval of what that changes decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.errors import Hint, UsageError
from ark_tui.domain.evaluation import METRICS
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.tuning import Fitted, Tuning
from ark_tui.domain.work import Progress
from ark_tui.engine.lab import comparison
from ark_tui.evaluation import estimates, fitting, systems
from ark_tui.evaluation.fitting import Graded
from ark_tui.evaluation.results import NDCG

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ark_tui.domain.profile import Profile
    from ark_tui.domain.tuning import Compared
    from ark_tui.engine.lab import Judged, Lab
    from ark_tui.evaluation.estimates import Values
    from ark_tui.retrieval.pipeline import Ranking

FEWEST = 20  # judged queries; with fewer no interval is narrow enough to tell anything
FOLDS = 10
DOCUMENTS = 100  # the best of each query, beside those that were judged
DIGITS = 4  # of a weight that is kept
AHEAD = "ndcg_10"


def fit(lab: Lab, tuning: Tuning, stop: Stop = NEVER, progress: OnProgress = ignore) -> Fitted:
    """Fit the weights of a profile. Raises `UsageError` where too few queries were judged, `Cancelled`."""
    judged, profile = lab.judged(), lab.profile(tuning)
    if len(judged) < FEWEST:
        raise UsageError(
            f"{len(judged)} of your judged queries have an answer; a fit takes {FEWEST} or more, so "
            f"{FEWEST - len(judged)} are missing.",
            Hint.run("judge", "spectral gap", "@1", "+", say="Judge the hits of further searches: {}"),
        )
    names = list(_above_nothing(profile))
    known = lab.measured(judged, profile, stop, progress)
    queries = [
        graded(lab.ranking_of(one, profile, stop).ranked(profile, stop), one, profile) for one in judged
    ]
    before = np.array([profile.weights[name] for name in names])
    left_out = np.zeros((len(judged), len(METRICS)))
    parts = fitting.folds(len(judged), FOLDS)
    for number, part in enumerate(parts):
        check(stop)
        progress(Progress("fitting", number, len(parts)))
        others = [query for place, query in enumerate(queries) if place not in part]
        weighed = weights(tuning, names, fitting.fitted(others, before))
        left_out[part] = lab.measured(tuple(judged[place] for place in part), lab.profile(weighed), stop)
    whole = lab.profile(weights(tuning, names, fitting.fitted(queries, before)))
    plain = systems.bm25()
    bm25 = lab.measured(judged, plain.profile, stop, mode=plain.mode)
    measures = comparison(left_out, known)
    return Fitted(
        profile.name,
        len(judged),
        len(parts),
        measures,
        estimates.estimate(bm25),
        {name: whole.weights[name] for name in names},
        {name: profile.weights[name] for name in names},
        refusal(measures, left_out, bm25),
    )


def refusal(measures: Compared, left_out: Values, bm25: Values) -> str:
    """Why fitted weights are not taken, with the figure; empty where they are better."""
    change, of = measures.change.of[AHEAD], measures.one.of[AHEAD]
    if change.low <= 0:
        return (
            f"nDCG@10 of queries that were left out changes by {change.mean:+.3f} "
            f"({change.low:+.3f} … {change.high:+.3f}): that is not surely better."
        )
    least = float(bm25[:, NDCG].mean())
    if float(left_out[:, NDCG].mean()) < least:
        return f"nDCG@10 of queries that were left out is {of.mean:.3f}, and BM25 alone has {least:.3f}."
    return ""


def note(fitted: Fitted, day: str) -> str:
    """What a profile with the weights says of itself: on what they were fitted, and what came of it."""
    change, one = fitted.measures.change.of[AHEAD], fitted.measures.one.of[AHEAD]
    return (
        f"Fitted on {day} from {fitted.profile} to {fitted.queries} judged queries; nDCG@10 of those "
        f"left out {one.mean:.3f}, {change.mean:+.3f} ({change.low:+.3f} … {change.high:+.3f})."
    )


def graded(ranking: Ranking, judged: Judged, profile: Profile) -> Graded:
    """The values of a query's documents by signal of weight, and their shares of its grades.

    A value is what the score grows by for a weight that is larger by 1, other things being equal.
    """
    order = ranking.order
    assert order is not None
    numbers = list(map(str, ranking.documents))
    listed = [at for at, number in enumerate(numbers) if at < DOCUMENTS or number in judged.grades]
    places = np.array(order.best, np.int64)[listed]
    given = {column.name: column.contribution for column in ranking.scored.columns}
    factor = np.prod([values[places] for name, values in order.factors.items() if name != "mmr"], axis=0)
    used = _above_nothing(profile)
    values = np.zeros((len(places), len(used)))
    for at, (name, weight) in enumerate(used.items()):
        if name in given:
            values[:, at] = given[name][places] / weight * factor
    grades = np.array([float(max(judged.grades.get(numbers[at], 0), 0)) for at in listed])
    total = grades.sum()
    return Graded(values, grades / total if total else grades)


def _above_nothing(profile: Profile) -> dict[str, float]:
    """The weights that are fitted: those above 0."""
    return {name: weight for name, weight in profile.weights.items() if weight > 0}


def weights(tuning: Tuning, names: Sequence[str], fitted: Iterable[float]) -> Tuning:
    """A tuning with other weights, as they are kept."""
    changes = (f"weight.{name}={weight:.{DIGITS}f}" for name, weight in zip(names, fitted, strict=True))
    return Tuning(tuning.profile, (*tuning.changes, *changes))
