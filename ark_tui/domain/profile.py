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
    """`min(most, 1 + accesses × rate)`: what an agent has opened, copied or cited counts more (S8)."""

    rate: float = 0.02
    most: float = 1.3


@dataclass(frozen=True, slots=True)
class Feedback:
    """What the query learns from its own first hits (S3, S4).

    `source`: the leaders are the best of the fused first pass, or of the cosine alone. `hits`: how many.
    `floor`: the least cosine of a leader. `terms`: how many of their most frequent words they add.
    """

    source: Literal["fused", "cosine"] = "fused"
    hits: int = 3
    floor: float = -1.0
    terms: int = 12


@dataclass(frozen=True, slots=True)
class Graph:
    """How far links are followed from the best documents, and the least cosine of what they lead to (S9)."""

    hops: int = 2
    seeds: int = 5
    floor: float = 0.55


@dataclass(frozen=True, slots=True)
class Chance:
    """Log-odds that a hit is an answer, per unit of what speaks for it; see `ark_tui.retrieval.chance`."""

    start: float = 0.0
    lead: float = 0.0
    closeness: float = 0.0


@dataclass(frozen=True, slots=True)
class Profile:
    """How signals become one score.

    `convex`: Σ weight × normalised value. `rrf`: Σ weight × value / (k + rank), ranks from 1.
    `depth`: how many of the best of each signal become candidates. `boosts`: within bm25, per field;
    `before`, of what stands before a text, counts in the cosines, too.
    `stop_words`: the query's function words are asked for, too; only the baselines of `eval` want that.
    `sigma`: days; above 0, the temporal signal is the distance in time, else the share of the named times.
    `named`: weights that take the place of others where the query has a name in it. `expand`: weights of
    signals that take part only where a chat model was asked for terms.
    `mmr`: maximal marginal relevance, 1 for off. `stand_in`: the static cosine runs only where the served
    model's cannot, and takes its place. `chance`: None where no figures were fitted to the profile.
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
