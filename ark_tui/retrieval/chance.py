"""The probability that a hit is an answer, by an additive log-odds model (S25).

It does not change the order of the hits. Its features: how far a hit's score is above the rest of the list,
the MaxSim of the leading texts with the query, and the verdict's log-odds if negative. The weights are in
the profile for which they were fitted; `python -m benchmarks.chance --fit` refits them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.domain.hits import Evidence
from ark_tui.retrieval.signals import maxsim

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.hits import Verdict
    from ark_tui.domain.profile import Chance
    from ark_tui.retrieval.state import Scored, Search

REST = 30  # index of the document that represents the rest of the list
LEADING = 3  # top texts for the mean closeness

Odds = tuple[Evidence, ...]
"""The evidence for a hit; its contributions add up to the log-odds that the hit is an answer."""


def found(
    search: Search,
    scored: Scored,
    best: Sequence[int],
    final: NDArray[np.float64],
    verdict: Verdict | None,
    most: int | None = None,
) -> dict[int, Odds]:
    """The odds of the first `most` of the `best` candidates (best first), by candidate.

    Empty without a verdict, or if the profile has no fitted weights.
    """
    rule = search.profile.chance if search.profile.fusion == "convex" else None
    close = next((column.raw for column in scored.columns if column.name == maxsim.INFO.name), None)
    if rule is None or close is None or verdict is None or not best or final[best[0]] <= 0:
        return {}
    closeness = float(close[best[:LEADING]].clip(0.0, 1.0).mean())
    given = odds(final[best].tolist(), closeness, verdict.log_odds, rule, most)
    return dict(zip(best[:most], given, strict=True))


def odds(
    scores: Sequence[float], closeness: float, log_odds: float, rule: Chance, most: int | None = None
) -> list[Odds]:
    """The odds of the first `most` scores; the list is descending and the best score is above 0.

    `lead`: (score − rest) / best score, where rest is the score at index `REST`, 0 in shorter lists.
    `closeness`: the mean MaxSim of the leading texts. `log_odds`: the verdict's log-odds.
    """
    rest = scores[REST] if len(scores) > REST else 0.0
    doubt = min(log_odds, 0.0)
    same = (
        Evidence("closeness", closeness, rule.closeness * closeness),
        Evidence("doubt", doubt, doubt),
        Evidence("start", 1.0, rule.start),
    )
    leads = ((score - rest) / scores[0] for score in scores[:most])
    return [(Evidence("lead", lead, rule.lead * lead), *same) for lead in leads]
