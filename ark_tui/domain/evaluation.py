"""Evaluation of rankings on judged queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar

from ark_tui.domain.fields import As, Key
from ark_tui.domain.hits import SearchResult

METRICS = ("ndcg_10", "recall_10", "hit_3", "mrr_10")


@dataclass(frozen=True, slots=True)
class Plan:
    """An evaluation request."""

    folders: tuple[Path, ...] = ()  # judged sets, each in BEIR's layout
    mine: bool = False  # the user's own judgments on their own corpus
    corpus: Path | None = None  # take the documents from the files of this folder, not from a corpus.jsonl
    profile: str = ""  # empty: the configured one
    ablate: bool = False
    compare: tuple[str, str] | None = None
    keep_home: Path | None = None  # folder that keeps indexed sets for reuse
    adjust: tuple[str, ...] = ()  # overrides of the measured profile: `weight.bm25=0.3`


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over queries, with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Measures:
    """An estimate for each of `METRICS`: of a ranking (0…1), or of the difference of two (−1…1)."""

    also: ClassVar[tuple[str, ...]] = ("means", "intervals")

    queries: int
    of: Annotated[Mapping[str, Estimate], As.HIDDEN]

    @property
    def means(self) -> Annotated[Mapping[str, float], As.FLAT]:
        """The mean of each."""
        return {name: estimate.mean for name, estimate in self.of.items()}

    @property
    def intervals(self) -> Annotated[Mapping[str, tuple[float, float]], Key("interval")]:
        """The 95 % interval of each: low, high."""
        return {name: (estimate.low, estimate.high) for name, estimate in self.of.items()}


@dataclass(frozen=True, slots=True)
class Ablated:
    """The effect of removing one signal: metrics without it − with it."""

    signal: str
    change: Annotated[Measures, As.FLAT]


@dataclass(frozen=True, slots=True)
class QueryChange:
    """A query on which two rankings differ; `a` and `b` are nDCG@10."""

    set: str
    id: str
    text: Annotated[str, Key("query")]
    a: float
    b: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two rankings on the same queries; `change` is b − a. Largest differences first."""

    a: str
    b: str
    change: Annotated[Measures, Key("difference")]
    won: tuple[QueryChange, ...]  # b is better
    lost: tuple[QueryChange, ...]  # a is better
    tied: int


@dataclass(frozen=True, slots=True)
class SetResult:
    """The metrics of one judged set; or the macro mean of several, with equal weights."""

    name: str
    documents: int
    measures: Annotated[Measures, As.FLAT]
    categories: Mapping[str, Measures] = field(default_factory=dict)
    baselines: Mapping[str, Measures] = field(default_factory=dict)
    ablation: Annotated[tuple[Ablated, ...], As.SPARSE] = ()
    comparison: Annotated[Comparison | None, As.SPARSE] = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A profile evaluated on judged sets. `notices`: warnings about the sets."""

    profile: str
    sets: tuple[SetResult, ...]
    macro: SetResult
    notices: tuple[str, ...] = ()


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
