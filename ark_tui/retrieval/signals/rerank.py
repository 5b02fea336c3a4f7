"""Re-ranking: a cross-encoder scores query and text together, for the best twenty candidates (S15).

It runs only if the search requests it. Its raw value is the log-odds that the text answers the query.
Candidates that it does not score keep their previous score.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.domain.errors import ModelUnavailable
from ark_tui.domain.hits import SignalInfo
from ark_tui.retrieval.shown import Shown, embedded
from ark_tui.retrieval.state import Candidates, Search, Signal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.profile import Profile
    from ark_tui.domain.query import Request

DEPTH = 20  # scored chunks
ASKED = 1.0  # the weight if the profile has none: as much as all other signals together
NOTHING = float("-inf")

INFO = SignalInfo(
    "rerank",
    "x",
    "model",
    "How well the text answers the query, by a model that reads both together; for the best twenty.",
)


def wanted(request: Request) -> bool:
    """Whether a search requests re-ranking."""
    said = bool(request.reranker) if request.rerank is None else request.rerank
    return said and not request.typing


def weighed(profile: Profile, request: Request) -> Profile:
    """The profile with a weight if the request asks for re-ranking, without one if it forbids it."""
    weights = {name: weight for name, weight in profile.weights.items() if name != INFO.name}
    if wanted(request):
        weights[INFO.name] = profile.weights.get(INFO.name) or ASKED
    elif request.rerank is None and not request.typing:
        return profile
    return replace(profile, weights=weights)


def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
    """Log-odds for the best candidates; NOTHING for the others, or without a re-ranker."""
    import numpy as np

    raw = np.full(len(candidates), NOTHING)
    if search.so_far is None:
        return raw
    best = np.argsort(-search.so_far, kind="stable")[:DEPTH]
    with Shown(search) as store:
        found = store.found(candidates.chunks[best].tolist())
    there = [place for place in best.tolist() if int(candidates.chunks[place]) in found]
    texts = [embedded(found[int(candidates.chunks[place])]) for place in there]
    try:
        reranker = search.corpus.reranker(search.request.reranker)
        scores = reranker.scores(search.query.text.strip(), texts, search.stop)
    except ModelUnavailable as error:
        search.problems[INFO.name] = error.what.rstrip(".")
        return raw
    raw[there[: len(scores)]] = scores
    said = [reranker.remark] if reranker.remark else []
    if len(scores) < len(there):
        said.append(f"{reranker.name} has read {len(scores)} of {len(there)} in its time")
    search.remarks[INFO.name] = "; ".join(said)
    return raw


def chance(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    """Convert log-odds to a probability: 1 / (1 + e^−x)."""
    import numpy as np

    found: NDArray[np.float64] = 1 / (1 + np.exp(-raw.clip(-500, 500)))
    return found


SIGNAL = Signal(
    INFO,
    "texts",
    None,
    values,
    chance,
    nothing=NOTHING,
    stage="rerank",
    order=140,
    reads=DEPTH,
)
