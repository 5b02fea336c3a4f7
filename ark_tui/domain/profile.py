"""Ranking parameters as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Decay:
    """`max(floor, 1 − age_days / 365 × rate)`, linear in age (requirement S8)."""

    floor: float = 0.3
    rate: float = 0.5


@dataclass(frozen=True, slots=True)
class Profile:
    """How signals become one score.

    `convex`: Σ weight × normalised value. `rrf`: Σ weight × value / (k + rank), ranks from 1.
    `depth`: how many of the best of each signal become candidates. `boosts`: within bm25, per field.
    `stop_words`: the query's function words are asked for, too; only the baselines of `eval` want that.
    """

    name: str
    about: str = ""
    fusion: Literal["convex", "rrf"] = "convex"
    k: float = 15.0
    depth: int = 100
    weights: dict[str, float] = field(default_factory=dict)
    boosts: dict[str, float] = field(default_factory=dict)
    decay: Decay | None = None
    stop_words: bool = False
