"""What each re-ranker moved: late interaction, a model that reads the best again, variety.

A document's rank before a re-ranker is its rank by what was counted until then, times all that scores are
multiplied with; its rank after it is the one before the next. All ranks are among the documents found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from ark_tui.domain.hits import Shift

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.retrieval.state import Scored, Stage

    Step: TypeAlias = tuple[
        str, list[int]
    ]  # a re-ranker, and the places of the documents as they were before

STAGES: tuple[Stage, ...] = ("late", "rerank")
"""The stages that only put what has been found into another order."""


def steps(scored: Scored, factor: NDArray[np.float64] | float, best: list[int]) -> list[Step]:
    """The signals that re-rank, in their order, each with the documents in the order before it.

    `best` are the places of the documents' best candidates by the whole score, in its order; `factor` is what
    the sum of each candidate is multiplied with.
    """
    import numpy as np

    if not any(column.signal.stage in STAGES for column in scored.columns):
        return []
    found: list[Step] = []
    so_far = np.zeros(len(scored.candidates))
    owner, ours = _owners(scored.candidates.documents, best)
    for column in scored.columns:
        if column.signal.stage in STAGES:
            height = np.full(len(best), -np.inf)
            np.maximum.at(height, owner[ours], (so_far * factor)[ours])
            order = np.argsort(-height, kind="stable").tolist()
            found.append((column.name, [best[at] for at in order]))
        so_far = so_far + column.contribution
    return found


def _owners(documents: NDArray[np.int64], best: list[int]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """For each candidate, which of the documents it is of, and whether it is of any."""
    import numpy as np

    known = documents[best]
    order = np.argsort(known)
    at = np.searchsorted(known[order], documents).clip(max=max(len(best) - 1, 0))
    owner: NDArray[np.int64] = order[at]
    return owner, known[owner] == documents


def of(steps: list[Step], best: list[int], shown: list[int]) -> dict[int, tuple[Shift, ...]]:
    """What the re-rankers moved, by the places that are shown; `best` is the order in the end."""
    ranks = [{place: rank for rank, place in enumerate(order, 1)} for _, order in (*steps, ("", best))]
    return {
        place: tuple(
            Shift(name, before[place], after[place])
            for (name, _), before, after in zip(steps, ranks[:-1], ranks[1:], strict=True)
            if before[place] != after[place]
        )
        for place in shown
    }
