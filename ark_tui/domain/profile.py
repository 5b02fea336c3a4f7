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
class Access:
    """`min(most, 1 + accesses × rate)`: raises documents that an agent opened, copied or cited (S8)."""

    rate: float = 0.02
    most: float = 1.3


@dataclass(frozen=True, slots=True)
class Feedback:
    """Pseudo-relevance feedback: expand the query from its own first hits (S3, S4).

    `source`: take the feedback documents from the fused first pass, or from the cosine alone. `hits`: how
    many. `floor`: their minimum cosine. `terms`: how many of their most frequent words to add.
    """

    source: Literal["fused", "cosine"] = "fused"
    hits: int = 3
    floor: float = -1.0
    terms: int = 12


@dataclass(frozen=True, slots=True)
class Graph:
    """How far to follow links from the best documents, and the minimum cosine of linked ones (S9)."""

    hops: int = 2
    seeds: int = 5
    floor: float = 0.55


@dataclass(frozen=True, slots=True)
class Chance:
    """Coefficients of the log-odds that a hit is an answer; see `ark_tui.retrieval.chance`."""

    start: float = 0.0
    lead: float = 0.0
    closeness: float = 0.0


@dataclass(frozen=True, slots=True)
class Profile:
    """How signals are combined into one score.

    `convex`: Σ weight × normalized value. `rrf`: Σ weight × value / (k + rank), ranks from 1.
    `depth`: how many of the best of each signal become candidates. `boosts`: BM25 field weights; `before`
    (the preceding text) also counts in the cosines.
    `stop_words`: keep the query's stop words; only the baselines of `eval` need it.
    `sigma`: days; above 0, the temporal signal is the distance in time, otherwise the share of named times.
    `named`: weights that replace others if the query contains a name. `expand`: weights of signals that run
    only after expansion by a chat model.
    `mmr`: λ of maximal marginal relevance, 1 for off. `stand_in`: use the static cosine only as a fallback
    for the served model's. `chance`: None if no coefficients were fitted to the profile.
    """

    name: str
    about: str = ""
    fusion: Literal["convex", "rrf"] = "convex"
    k: float = 15.0
    depth: int = 100
    sigma: float = 0.0
    mmr: float = 1.0
    stand_in: bool = False
    weights: dict[str, float] = field(default_factory=dict)
    named: dict[str, float] = field(default_factory=dict)
    expand: dict[str, float] = field(default_factory=dict)
    boosts: dict[str, float] = field(default_factory=dict)
    feedback: Feedback = field(default_factory=Feedback)
    graph: Graph = field(default_factory=Graph)
    decay: Decay | None = None
    access: Access | None = None
    chance: Chance | None = None
    stop_words: bool = False
