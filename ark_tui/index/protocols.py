"""What searches of the indexes ask for and return.

Chunks and documents are identified by the store's numbers.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.index.words.terms import Terms

    Vector: TypeAlias = NDArray[np.float32]
    Numbers: TypeAlias = NDArray[np.int64]
    Scores: TypeAlias = NDArray[np.float64]

FEW = 30  # texts
NOWHERE = -2.0  # the similarity of a chunk without a vector: below any cosine


def distinct(numbers: Numbers) -> Numbers:
    """The distinct numbers, ascending: like `np.unique`, but without loading masked arrays."""
    import numpy as np

    ordered = np.sort(numbers, axis=None)
    found: Numbers = ordered[np.diff(ordered, prepend=ordered[:1] - 1) != 0]
    return found


@dataclass(frozen=True, slots=True)
class Nearest:
    """Chunks with their documents and cosines, best first; ties by number, ascending."""

    chunks: Numbers
    documents: Numbers
    scores: Scores


@dataclass(frozen=True, slots=True)
class Levels:
    """The distribution of a query's cosines.

    `chance`: reached by 1 in 100 texts, and by at least `FEW`, or by all if there are fewer.
    """

    mean: float
    chance: float


@dataclass(frozen=True, slots=True)
class Linked:
    """Links as parallel arrays: from the requested documents (`source`) to their neighbors (`target`).

    `relation` is a code of the index; it is negative if the link points from the neighbor to the document.
    """

    source: Numbers
    target: Numbers
    relation: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Chunks with their documents and scores, best first. `count`: the total of matches, if requested."""

    chunks: tuple[int, ...] = ()
    documents: tuple[int, ...] = ()
    scores: tuple[float, ...] = ()
    count: int = 0


@dataclass(frozen=True, slots=True)
class Bm25:
    """Scores by BM25.

    `boosts`: weights of `title`, `title_word`, `heading`, `before`, `identifier` and `bigram`, relative to
    the body's 1.
    """

    terms: Terms
    boosts: Mapping[str, float] = field(default_factory=dict)

    @property
    def key(self) -> Hashable:
        """What tells it from another query."""
        return self.terms, *self.boosts.items()


@dataclass(frozen=True, slots=True)
class Coverage:
    """Scores by the share (0…1) of the terms' total idf that occurs in a chunk.

    `own`: count only the text itself; otherwise the preceding text also counts, with a lower weight.
    """

    terms: Terms
    own: bool = False

    @property
    def key(self) -> Hashable:
        """What tells it from another query."""
        return self.terms, self.own


@dataclass(frozen=True, slots=True)
class Times:
    """Scores by times: the sum of the weights of the sets with a stamp (`y1995`, `m2026-03`) of the chunk."""

    weighed: Sequence[tuple[Sequence[str], float]]

    @property
    def key(self) -> Hashable:
        """What tells it from another query."""
        return tuple((tuple(stamps), weight) for stamps, weight in self.weighed)


WordQuery: TypeAlias = Bm25 | Coverage | Times
