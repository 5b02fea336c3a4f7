"""What the stages of one search share: the corpus, the query as read, the candidates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ark_tui.domain.hits import SignalInfo

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.profile import Profile
    from ark_tui.domain.protocols import Clock, Stop
    from ark_tui.domain.query import Filters, Query, Request
    from ark_tui.index.vectors import Vectors
    from ark_tui.index.vectors.reader import View
    from ark_tui.index.words import Words
    from ark_tui.index.words.terms import Terms
    from ark_tui.store import Store


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is searched."""

    store: Store
    words: Words
    vectors: Vectors
    profiles: Mapping[str, Profile]
    clock: Clock
    decay: bool = True


@dataclass(slots=True)
class Search:
    """One search under way. `problems`: why a leg cannot run, by its name."""

    request: Request
    query: Query
    terms: Terms
    filters: Filters
    profile: Profile
    corpus: Corpus
    stop: Stop
    view: View | None = None
    problems: dict[str, str] = field(default_factory=dict)
    similarities: dict[str, NDArray[np.float32]] = field(default_factory=dict)  # by static signal


@dataclass(slots=True)
class Candidates:
    """The chunks that are scored, with their documents; ascending by chunk number."""

    chunks: NDArray[np.int64]
    documents: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.chunks)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A signal's best chunks of the whole corpus. `count`: how many it found in all."""

    chunks: NDArray[np.int64]
    documents: NDArray[np.int64]
    count: int = 0


@dataclass(frozen=True, slots=True)
class Signal:
    """One reason for a chunk to be ranked high.

    `propose` names the best of the corpus; `values` gives the raw value of each candidate; a candidate is
    found by the signal where `values` is above `nothing`. `normalise` maps raw values of the candidates to
    0…1 for a convex sum; `rrf` gives the value that score-weighted reciprocal rank fusion multiplies.
    """

    info: SignalInfo
    leg: str  # "words" or "vectors": the legs run side by side
    propose: Callable[[Search, int], Proposal]
    values: Callable[[Search, Candidates], NDArray[np.float64]]
    normalise: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    rrf: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    nothing: float = 0.0
