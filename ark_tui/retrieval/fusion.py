"""Score fusion: combine the signals into one score and keep each contribution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.retrieval.state import Column

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.profile import Profile
    from ark_tui.retrieval.state import Signal


VERBATIM = "verbatim"


def scaled(profile: Profile, active: Sequence[str]) -> Profile:
    """Scale the weights of the active signals to a sum of 1, so that scores are in 0…1.

    Only convex profiles are scaled. The weight of `verbatim` is relative to the sum of all the others.
    """
    if profile.fusion != "convex":
        return profile
    weights = {name: profile.weights.get(name, 0.0) for name in active}
    if VERBATIM in weights:
        weights[VERBATIM] *= sum(weight for name, weight in weights.items() if name != VERBATIM) or 1.0
    whole = sum(weights.values())
    if whole <= 0:
        return profile
    shares = {name: weight / whole for name, weight in weights.items()}
    return replace(profile, weights={**profile.weights, **shares})


def column(signal: Signal, raw: NDArray[np.float64], profile: Profile, floor: float | None = None) -> Column:
    """Convert a signal's raw values to contributions by the fusion method of the profile.

    convex: weight × normalized value; with a `floor`, (value − floor) / (best − floor).
    rrf: weight × value / (k + rank) among the best `depth`, the score-weighted form of reciprocal rank
    fusion (Cormack et al. 2009).
    """
    import numpy as np

    weight = profile.weights.get(signal.info.name, 0.0)
    found = raw > signal.nothing
    if profile.fusion == "convex":
        value = np.where(found, signal.normalise(raw) if floor is None else _above(raw, floor), 0.0)
        contribution = weight * value
    else:
        rank = _ranks(raw, found)
        within = found & (rank <= profile.depth)
        value = np.where(within, signal.normalise(raw), 0.0)
        contribution = weight * value / (profile.k + np.maximum(rank, 1))
    return Column(signal, weight, raw, value, contribution, floor)


def share_of_best(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    """Normalize to value / best value; negative values become 0."""
    import numpy as np

    best = raw.max(initial=0.0)
    found: NDArray[np.float64] = np.maximum(raw, 0.0) / best if best > 0 else np.zeros_like(raw)
    return found


def _above(raw: NDArray[np.float64], floor: float) -> NDArray[np.float64]:
    """(value − floor) / (best − floor), 0 below the floor; if nothing exceeds the floor, 1 at the floor."""
    import numpy as np

    height = raw.max(initial=floor) - floor
    return np.maximum(raw - floor, 0.0) / height if height > 0 else (raw >= floor).astype(float)


def merged(columns: list[Column], profile: Profile) -> list[Column]:
    """Merge the cosine and the enriched cosine into one ranking.

    The larger value of each candidate determines its rank and gets the contribution; the other contributes 0.
    Both show the merged rank and keep their raw values.
    """
    import numpy as np

    at = {column.name: place for place, column in enumerate(columns)}
    own = next((at[name] for name in ("cosine", "static") if name in at), None)
    if own is None or "enriched" not in at:
        return columns
    pair = columns[own], columns[at["enriched"]]
    better = pair[1].raw > pair[0].raw
    raw = np.where(better, pair[1].raw, pair[0].raw)
    result = list(columns)
    for place, mine in ((own, ~better), (at["enriched"], better)):
        one = columns[place]
        whole = column(one.signal, raw, profile, one.floor)
        result[place] = replace(
            whole,
            raw=one.raw,
            by=raw,
            normalised=np.where(mine, whole.normalised, 0.0),
            contribution=np.where(mine, whole.contribution, 0.0),
        )
    return result


def total(columns: list[Column], size: int) -> NDArray[np.float64]:
    """The sum of the contributions, added in column order so that the displayed parts add up exactly."""
    import numpy as np

    score = np.zeros(size)
    for one in columns:
        score = score + one.contribution
    return score


def _ranks(raw: NDArray[np.float64], found: NDArray[np.bool_]) -> NDArray[np.int64]:
    """1 + the number of better values, so ties share a rank; 0 if not found."""
    import numpy as np

    ascending = np.sort(raw[found])
    better = len(ascending) - np.searchsorted(ascending, raw, side="right")
    return np.where(found, better + 1, 0)
