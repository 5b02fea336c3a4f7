"""Shared code of the cosine signals: compare a query vector with the vectors of an index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING

from ark_tui.domain.hits import SignalInfo
from ark_tui.index.protocols import NOWHERE
from ark_tui.retrieval.state import Candidates, Probe, Proposal, Search, Signal, Stage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.reasons import Reasons
    from ark_tui.store.found import Found

Why = Callable[[Search, Candidates, Sequence["Found"]], "list[Reasons]"]

Ask = Callable[[Search], Probe | None]
"""Computes the probe of a search; None if it has no query vector or index."""


def once(ask: Ask) -> Ask:
    """Cache the result per search."""

    @wraps(ask)
    def asked(search: Search) -> Probe | None:
        if ask not in search.probes:  # assigned atomically, since two threads may call this
            search.probes[ask] = ask(search)
        return search.probes[ask]

    return asked


def scores(probe: Probe | None, candidates: Candidates) -> NDArray[np.float64]:
    """The cosine of each candidate; NOWHERE for one without a vector."""
    import numpy as np

    return probe.index.score(probe.vector, candidates.chunks) if probe else np.full(len(candidates), NOWHERE)


def itself(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    """The cosine, or 0 without one."""
    import numpy as np

    return np.where(raw > NOWHERE, raw, 0.0)


def signal(
    info: SignalInfo,
    backend: str,
    ask: Ask,
    *,
    order: int,
    stage: Stage = "first",
    reasons: Why | None = None,
) -> Signal:
    """Create a signal whose value is the cosine with a vector."""

    def propose(search: Search, limit: int) -> Proposal:
        probe = ask(search)
        return Proposal.of(probe.index.search(probe.vector, limit, search.filters) if probe else None)

    def values(search: Search, candidates: Candidates) -> NDArray[np.float64]:
        return scores(ask(search), candidates)

    def floor(search: Search) -> float | None:
        """The cosine expected by chance; see `Levels.chance`."""
        probe = ask(search)
        levels = probe.index.levels(probe.vector, search.filters) if probe else None
        return levels.chance if levels else None

    return Signal(
        info, backend, propose, values, itself, NOWHERE,
        stage=stage, order=order, floor=floor, reasons=reasons,
    )  # fmt: skip
