"""Tuning of ranking profiles, and its effects (X6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ark_tui.domain.evaluation import Measures
from ark_tui.domain.hits import SearchResult


@dataclass(frozen=True, slots=True)
class Tuning:
    """A profile name, with overrides in the form `KEY=VALUE`."""

    profile: str
    changes: tuple[str, ...] = ()

    def moved(self, weights: Mapping[str, float]) -> Tuning:
        """Add overrides of weights, given by signal name."""
        more = (f"weight.{name}={weight:.6g}" for name, weight in weights.items())
        return Tuning(self.profile, (*self.changes, *more))


@dataclass(frozen=True, slots=True)
class Slider:
    """An adjustable signal weight: from 0 to `most`, in increments of `step`."""

    signal: str
    value: float
    most: float
    step: float


@dataclass(frozen=True, slots=True)
class Tuned:
    """A search result with one tuning, and each hit's rank with another; None: not in its first 100."""

    result: SearchResult
    before: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """Two tunings on the user's judged queries; `change` is the paired difference, `one` − `other`."""

    one: Measures
    other: Measures
    change: Measures
    better: int  # queries with a higher nDCG@10
    worse: int
