"""Chance: how likely a hit is an answer, by an additive model in log-odds (S25).

The order of the hits is the score's. What is added here says what a place in it is worth: how far a hit
stands above what ends the list, how close the leading texts come to the words of the query, and what the
verdict doubts. The weights stand in the profile that they were fitted with; `python -m benchmarks.chance
--fit` works them out again.
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

REST = 30  # documents before the one that stands for the rest of the list
LEADING = 3  # texts whose closeness counts

Odds = tuple[Evidence, ...]
"""What speaks for a hit, whose contributions add up to the log-odds that it is an answer."""


def found(
    search: Search,
    scored: Scored,
    best: Sequence[int],
    final: NDArray[np.float64],
    verdict: Verdict | None,
    most: int | None = None,
) -> dict[int, Odds]:
    """The odds of the candidates that are the best of their documents, best first, of `most` of them.

    None of them has any where nothing can be said of the query, or the profile was not fitted for it.
    """
    rule = search.profile.chance if search.profile.fusion == "convex" else None
    close = next((column.raw for column in scored.columns if column.name == maxsim.INFO.name), None)
    if rule is None or close is None or verdict is None or not best or final[best[0]] <= 0:
        return {}
    closeness = float(close[best[:LEADING]].clip(0.0, 1.0).mean())
    given = odds(final[best].tolist(), closeness, verdict.standing, rule, most)
    return dict(zip(best[:most], given, strict=True))


def odds(
    scores: Sequence[float], closeness: float, standing: float, rule: Chance, most: int | None = None
) -> list[Odds]:
    """The odds of each score of a list, or of the first `most`; the best comes first and is above 0.

    `lead`: the score less that of the document that `REST` others precede, 0 where there are fewer, as a
    share of the best. `closeness`: the mean MaxSim of the leading texts. `standing`: the verdict's log-odds.
    """
    rest = scores[REST] if len(scores) > REST else 0.0
    doubt = min(standing, 0.0)
    same = (
        Evidence("closeness", closeness, rule.closeness * closeness),
        Evidence("doubt", doubt, doubt),
        Evidence("start", 1.0, rule.start),
    )
    leads = ((score - rest) / scores[0] for score in scores[:most])
    return [(Evidence("lead", lead, rule.lead * lead), *same) for lead in leads]
