"""Moving the weights of a ranking profile, and what that changes (X6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ark_tui.domain.evaluation import Measures
from ark_tui.domain.hits import SearchResult


@dataclass(frozen=True, slots=True)
class Tuning:
    """A profile by its name, and changes of it, each a `KEY=VALUE`."""

    profile: str
    changes: tuple[str, ...] = ()

    def moved(self, weights: Mapping[str, float]) -> Tuning:
        """The same with other weights, by the names of their signals."""
        more = (f"weight.{name}={weight:.6g}" for name, weight in weights.items())
        return Tuning(self.profile, (*self.changes, *more))


@dataclass(frozen=True, slots=True)
class Slider:
    """The weight of a signal in force. It can be moved from 0 to `most`, by `step`."""

    signal: str
    value: float
    most: float
    step: float


@dataclass(frozen=True, slots=True)
class Tuned:
    """A search ranked by one tuning, and the rank of each hit by another; None: not among its first 100."""

    result: SearchResult
    before: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """Two tunings on one's own judged queries; `change` is query by query, the one less the other."""

    one: Measures
    other: Measures
    change: Measures
    better: int  # queries with a higher nDCG@10
    worse: int
