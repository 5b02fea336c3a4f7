"""Index protocols for searches: find the best few chunks, and get further data of given chunks.

No method returns a value for every chunk, so an index may be approximate or remote. Chunks and documents are
identified by the store's numbers.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from datetime import date

    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.query import Filters
    from ark_tui.index.words.terms import Terms
    from ark_tui.store.found import Found

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
    """The distribution of a query's cosines: the mean, and those reached by 1 in 100 and 1 in 1000 texts.

    `chance`: like `hundredth`, but reached by at least `FEW` texts, or by all if there are fewer.
    """

    mean: float
    hundredth: float
    thousandth: float
    chance: float


@dataclass(frozen=True, slots=True)
class Linked:
    """Links as parallel arrays: from the requested documents (`source`) to their neighbors (`target`).

    `relation` is a code of the index; it is negative if the link points from the neighbor to the document.
    """

    source: Numbers
    target: Numbers
    relation: NDArray[np.int32]


class VectorIndex(Protocol):
    """At most one vector per chunk, in one state of the corpus. Vectors have unit length."""

    @property
    def size(self) -> int:
        """The number of chunks, with and without a vector."""

    @property
    def waiting(self) -> int:
        """The number of chunks without a vector."""

    @property
    def change(self) -> int:
        """The last change of the store that is included."""

    def lacking(self, where: Filters) -> Numbers:
        """The chunks that match the filters and have no vector."""

    def search(self, vector: Vector, k: int, where: Filters) -> Nearest:
        """The `k` closest chunks that match the filters."""

    def search_documents(
        self, vector: Vector, k: int, where: Filters, documents: Numbers | None = None, floor: float = -1.0
    ) -> Nearest:
        """The closest chunk of each of the `k` closest documents, with a cosine of at least `floor`.

        `documents`: search only these; None: all.
        """

    def score(self, vector: Vector, chunks: Sequence[int] | Numbers) -> Scores:
        """The cosine of each of these chunks; NOWHERE for one without a vector."""

    def levels(self, vector: Vector, where: Filters) -> Levels | None:
        """The distribution of cosines of the texts that match the filters; None if none has a vector."""

    def vectors(self, chunks: Sequence[int] | Numbers) -> tuple[Numbers, Vector]:
        """The positions in `chunks` of those with a vector, and the vectors, `(n, d)`."""

    @property
    def middle(self) -> Vector | None:
        """The mean of all vectors, or of a sample if there are many; None without vectors."""

    def chunks_of(self, document: int) -> Numbers:
        """The chunks of a document, ascending."""


class CorpusIndex(VectorIndex, Protocol):
    """The vectors of the embedded model, with neighbors, links, dates and duplicates."""

    @property
    def links(self) -> int:
        """The number of links between documents; each is counted at both ends."""

    def beside(self, chunks: Numbers) -> Numbers:
        """The previous and next chunk of each, `(n, 2)`; −1 if there is none.

        It is in the same document, else in the previous or next document of the same source.
        """

    def let_through(self, chunks: Numbers, where: Filters) -> tuple[Numbers, Numbers]:
        """The chunks that match the filters, in this order, and their documents."""

    def linked(self, documents: Numbers) -> Linked:
        """The links of documents in both directions."""

    def days(self, documents: Sequence[int]) -> dict[int, date | None]:
        """The dates of documents; unknown documents are skipped."""

    def firsts(self, chunks: Numbers) -> Numbers:
        """For each chunk, the first of its near-duplicates; itself if it has none before it."""


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


class WordIndex(Protocol):
    """The words of all chunks, as of the last `refresh`. Raises `StoreError` if it cannot be read."""

    @property
    def waiting(self) -> int:
        """The number of chunks known to be missing."""

    @property
    def ready(self) -> bool:
        """Whether the index exists."""

    @property
    def languages(self) -> Sequence[str]:
        """The languages of the texts besides English, as ISO 639-1 codes."""

    def with_compounds(self, terms: Terms) -> Terms:
        """Add the compounds of the words, and the parts of words that are compounds."""

    def refresh(self) -> bool:
        """Load the latest commit; true if there is a new one."""

    def has(self, change: int) -> bool:
        """Whether the index is up to date with a change of the store."""

    def size(self) -> int:
        """The number of chunks in the index."""

    def search(self, query: WordQuery, k: int, where: Filters, *, count: bool = False) -> Ranked:
        """The `k` best chunks that match the filters; `count`: also count all matches."""

    def score(self, query: WordQuery, chunks: Sequence[int] | Numbers) -> Scores:
        """The score of each chunk; 0 if it does not match or is missing."""

    def coverage_of(self, terms: Terms, documents: Sequence[int]) -> dict[int, float]:
        """The coverage of the best chunk of each document; documents without a match are skipped."""

    def listed(self, where: Filters, k: int) -> Ranked:
        """Chunks that match the filters, in no order, all with score 0."""

    def resolved(self, where: Filters) -> Filters:
        """Resolve text conditions of the filters, so that any index can evaluate them.

        Text conditions without a word are dropped.
        """

    def shown(self, chunks: Sequence[int]) -> dict[int, Found]:
        """The display data of chunks; missing and superseded chunks and messages are skipped."""

    def days(self, chunks: Sequence[int]) -> dict[int, date | None]:
        """The dates of the chunks' documents, by document number."""

    def rarities(self, terms: Terms) -> list[tuple[float, bool]]:
        """For each term its idf, and whether any chunk contains it, also as a part of an identifier."""

    def document_frequency(self, stem: str, word: str = "") -> int:
        """The number of chunks with a stem: the larger of the counts in title and body.

        `word`: the word of the stem; in another language it may have a different stem.
        """

    def idf(self, stem: str, word: str = "") -> float:
        """The idf of a stem: ln(1 + (N − n + ½) / (n + ½))."""

    def knows(self, word: str) -> bool:
        """Whether any chunk contains a word, its stem, or an identifier with it as a part."""

    def complete(self, prefix: str) -> list[str]:
        """Words of the corpus with this prefix, most frequent first."""

    def suggest(self, word: str) -> tuple[str, ...]:
        """Spelling suggestions for a word that is in no chunk, most likely first."""
