"""Moving the numbers of a ranking profile, and what comes of it: the ranking lab and the fit (X6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from ark_tui.domain.evaluation import Estimate, Measures
from ark_tui.domain.fields import As
from ark_tui.domain.hits import SearchResult


@dataclass(frozen=True, slots=True)
class Tuning:
    """A way to rank: a profile by its name, and changes of it, each a `KEY=VALUE`."""

    profile: str
    changes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Slider:
    """A number of a profile that can be moved, from `least` to `most`, by `step`.

    `key`: what the number is called in changes, such as `weight.bm25`. `searches`: the indexes are asked
    again when it moves; others only weigh. `said`: what the value means, where the number alone does not
    tell.
    """

    key: str
    value: float
    least: float
    most: float
    step: float
    searches: bool = False
    said: str = ""


@dataclass(frozen=True, slots=True)
class Tuned:
    """A search ranked by one tuning beside another: the place of each hit in the other list, from 1.

    `searched`: the indexes were asked, since no earlier step had asked them for the same.
    """

    result: SearchResult
    before: tuple[int | None, ...]
    searched: bool = False


@dataclass(frozen=True, slots=True)
class Compared:
    """Two tunings on one's own judged queries; `change` is query by query, the one less the other."""

    one: Measures
    other: Measures
    change: Measures
    better: int  # queries with a higher nDCG@10
    worse: int


@dataclass(frozen=True, slots=True)
class Fitted:
    """Weights fitted to one's own judgments, and whether they may take the place of those before.

    All measures are of queries that were left out when the weights were fitted that ranked them. `refused`
    says with the figure why the weights are not better; empty where they are. `saved`: the profile they are
    kept as.
    """

    also: ClassVar[tuple[str, ...]] = ("by_fitted", "by_before", "by_bm25", "change")

    profile: str
    queries: int
    folds: int
    measures: Annotated[Compared, As.HIDDEN]  # by the fitted weights, by those before
    bm25: Annotated[Measures, As.HIDDEN]
    weights: Mapping[str, float]
    before: Mapping[str, float]
    refused: Annotated[str, As.SPARSE] = ""
    saved: Annotated[str, As.SPARSE] = ""

    @property
    def by_fitted(self) -> Mapping[str, Estimate]:
        """Each measure of queries left out, by the weights that were fitted without them."""
        return self.measures.one.of

    @property
    def by_before(self) -> Mapping[str, Estimate]:
        """The same by the weights before."""
        return self.measures.other.of

    @property
    def by_bm25(self) -> Mapping[str, Estimate]:
        """The same by BM25 alone."""
        return self.bm25.of

    @property
    def change(self) -> Mapping[str, Estimate]:
        """What the fitted weights change, query by query."""
        return self.measures.change.of
