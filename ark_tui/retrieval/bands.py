"""Bands: which hits are answers, which are weak, and where the list ends (S18, S25).

The verdict says how much speaks for the corpus having an answer at all; within the list it is the share of
the best score that tells. Both limits were read off judged sets: below `END`
hardly any hit is an answer, and where the verdict is below `NOTHING` hardly any query has one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.hits import Band, Verdict
    from ark_tui.domain.profile import Profile

NOTHING = -4.0  # log-odds of the verdict, under which nothing is listed
SURE = 0.6  # share of the best score from which on a hit is an answer
END = 0.4  # share of the best score at which the list ends


def assigned(scores: NDArray[np.float64], verdict: Verdict | None, profile: Profile) -> list[Band]:
    """The band of each score. Without a verdict nothing is doubted.

    Shares of the best mean something in a convex sum only: reciprocal ranks fall by themselves.
    """
    if verdict is None:
        return ["answer"] * len(scores)
    if verdict.standing < NOTHING:
        return ["below"] * len(scores)
    best = scores.max(initial=0.0) if profile.fusion == "convex" else 0.0
    shares = (scores / best).tolist() if best > 0 else [1.0] * len(scores)
    return [_band(share, doubted=verdict.standing < 0) for share in shares]


def _band(share: float, *, doubted: bool) -> Band:
    if share < END:
        return "below"
    return "weak" if doubted or share < SURE else "answer"
