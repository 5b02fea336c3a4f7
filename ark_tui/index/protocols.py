"""What a search asks of an index: for the best few, and of those it has what more it wants to know.

No question is answered with a value of every chunk, so that an index may be approximate, or elsewhere. Chunks
and documents go by the store's numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

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
NOWHERE = -2.0  # the similarity of a chunk that has no vector: below any cosine


def distinct(numbers: Numbers) -> Numbers:
    """Each number once, ascending: as `np.unique`, which loads masked arrays to ask whether this is one."""
    import numpy as np

    ordered = np.sort(numbers, axis=None)
    found: Numbers = ordered[np.diff(ordered, prepend=ordered[:1] - 1) != 0]
    return found


@dataclass(frozen=True, slots=True)
class Nearest:
    """Chunks with their documents and cosines, best first; of equals the lower number comes first."""

    chunks: Numbers
    documents: Numbers
    scores: Scores


@dataclass(frozen=True, slots=True)
class Levels:
    """What cosine a text of the corpus has in the mean; what one in a hundred, one in a thousand, reaches.

    `chance`: as `hundredth`, but that at least `FEW` texts reach it, or all where there are fewer.
    """

    mean: float
    hundredth: float
    thousandth: float
    chance: float


@dataclass(frozen=True, slots=True)
class Linked:
    """Links, side by side: from one of the documents that were asked about, to its neighbour.

    `relation` is a code of the index; negative: the link leads from the neighbour here.
    """

    source: Numbers
    target: Numbers
    relation: NDArray[np.int32]


Weigh: TypeAlias = "Callable[[NDArray[Any]], Vector]"
"""What days since 1970 count for, from 0 to 1; of one such object always the same."""


class VectorIndex(Protocol):
    """One vector of each chunk, in one state of the corpus. Vectors have unit length, or none at all."""

    @property
    def size(self) -> int:
        """Chunks, with and without a vector."""

    @property
    def waiting(self) -> int:
        """Chunks without a vector."""

    @property
    def change(self) -> int:
        """The change of the store up to which it has its chunks."""

    def lacking(self, where: Filters) -> Numbers:
        """The chunks that the filters let answer and that have no vector."""

    def search(self, vector: Vector, k: int, where: Filters, weigh: Weigh | None = None) -> Nearest:
        """The `k` closest chunks that the filters let answer.

        `weigh`: first by their cosine times what their day counts for; one without a day counts in full.
        """

    def search_documents(
        self, vector: Vector, k: int, where: Filters, documents: Numbers | None = None, floor: float = -1.0
    ) -> Nearest:
        """The closest chunk of each of the `k` closest documents: of these, None for all; from `floor` on."""

    def score(self, vector: Vector, chunks: Sequence[int] | Numbers) -> Scores:
        """The cosine of each of these chunks; NOWHERE for one without a vector."""

    def levels(self, vector: Vector, where: Filters) -> Levels | None:
        """How close the texts that may answer are as a whole; None where none has a vector."""

    def vectors(self, chunks: Sequence[int] | Numbers) -> tuple[Numbers, Vector]:
        """Which of these chunks have a vector, by place in `chunks`, and the vectors, `(n, d)`."""

    @property
    def middle(self) -> Vector | None:
        """The mean of all vectors, of a sample where there are many; None where there is none."""

    def chunks_of(self, document: int) -> Numbers:
        """The chunks of a document, ascending."""


class CorpusIndex(VectorIndex, Protocol):
    """The vectors of the embedded model, and what else its index knows of chunks and documents."""

    @property
    def links(self) -> int:
        """How many links there are between documents, counted at either end."""

    def beside(self, chunks: Numbers) -> Numbers:
        """The chunk before and the one after each, `(n, 2)`; −1 where there is none.

        In the same document, else in the document before or after in the same source.
        """

    def let_through(self, chunks: Numbers, where: Filters) -> tuple[Numbers, Numbers]:
        """Those of these chunks that may answer, in this order, and their documents."""

    def linked(self, documents: Numbers) -> Linked:
        """The links of documents in both directions."""

    def days(self, documents: Sequence[int]) -> dict[int, date | None]:
        """The dates of documents; those that it does not know are left out."""

    def firsts(self, chunks: Numbers) -> Numbers:
        """For each chunk the first of those that say the same: itself, if it repeats none."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """Chunks with their documents and scores, best first. `count`: how many matched, if that was asked."""

    chunks: tuple[int, ...] = ()
    documents: tuple[int, ...] = ()
    scores: tuple[float, ...] = ()
    count: int = 0


@dataclass(frozen=True, slots=True)
class Bm25:
    """Scores by BM25.

    `boosts`: weights of `title`, `title_word`, `heading`, `before`, `identifier` and `bigram` against the
    body's 1.
    """

    terms: Terms
    boosts: Mapping[str, float] = field(default_factory=dict)

    @property
    def key(self) -> Hashable:
        """What tells it from another query."""
        return self.terms, *self.boosts.items()


@dataclass(frozen=True, slots=True)
class Coverage:
    """Scores by the share (0…1) of the terms' idf mass that occurs.

    `own`: in the text itself; else what stands before it counts, too, though less.
    """

    terms: Terms
    own: bool = False

    @property
    def key(self) -> Hashable:
        """What tells it from another query."""
        return self.terms, self.own


@dataclass(frozen=True, slots=True)
class Times:
    """Scores by times: of each set of stamps (`y1995`, `m2026-03`) of which a chunk has one, its weight."""

    weighed: Sequence[tuple[Sequence[str], float]]

    @property
    def key(self) -> Hashable:
        """What tells it from another query."""
        return tuple((tuple(stamps), weight) for stamps, weight in self.weighed)


WordQuery: TypeAlias = Bm25 | Coverage | Times


class WordIndex(Protocol):
    """The words of all chunks, as of the last `refresh`. Raises `StoreError` where it cannot be read."""

    @property
    def waiting(self) -> int:
        """Chunks that are known to be missing still."""

    @property
    def ready(self) -> bool:
        """Whether there is an index at all."""

    @property
    def languages(self) -> Sequence[str]:
        """In which languages besides English texts are written, as ISO 639-1 codes."""

    def with_compounds(self, terms: Terms) -> Terms:
        """Terms with the compounds of their words, and the parts of those that are compounds themselves."""

    def refresh(self) -> bool:
        """See what has been committed since the last look; true if something has."""

    def has(self, change: int) -> bool:
        """Whether everything up to a change of the store is in it."""

    def size(self) -> int:
        """How many chunks are in it."""

    def search(self, query: WordQuery, k: int, where: Filters, *, count: bool = False) -> Ranked:
        """The `k` best chunks that the filters let answer; `count`: with how many these are in all."""

    def score(self, query: WordQuery, chunks: Sequence[int] | Numbers) -> Scores:
        """The score of each of these chunks; 0 for one that does not match, or is not there."""

    def coverage_of(self, terms: Terms, documents: Sequence[int]) -> dict[int, float]:
        """The coverage of the best chunk of each of these documents; those without any are left out."""

    def listed(self, where: Filters, k: int) -> Ranked:
        """Chunks that the filters let through, in no order, all with score 0."""

    def resolved(self, where: Filters) -> Filters:
        """The filters with each text that they ask for looked up, so that any index can evaluate them.

        What has no word in it asks for nothing and is left out.
        """

    def shown(self, chunks: Sequence[int]) -> dict[int, Found]:
        """Chunks with what a hit shows; one that is not there, is superseded or a message is left out."""

    def days(self, chunks: Sequence[int]) -> dict[int, date | None]:
        """The dates of chunks' documents, by document."""

    def rarities(self, terms: Terms) -> list[tuple[float, bool]]:
        """Of each term its idf, and whether it is in any chunk, be it as a part of an identifier."""

    def document_frequency(self, stem: str, word: str = "") -> int:
        """In how many chunks a stem occurs, in whichever of title and body it is commoner.

        `word`: what it is the stem of, which in texts of another language may have another one.
        """

    def idf(self, stem: str, word: str = "") -> float:
        """How rare a stem is: ln(1 + (N − n + ½) / (n + ½))."""

    def idfs(self, words: Mapping[str, str]) -> dict[str, float]:
        """The rarity of stems, each given with its word."""

    def knows(self, word: str) -> bool:
        """Whether a word, as written or by its stem, or as a part of an identifier, is in any chunk."""

    def complete(self, prefix: str) -> list[str]:
        """Words of the corpus that begin like this, commonest first."""

    def suggest(self, word: str) -> tuple[str, ...]:
        """Words of the corpus that may have been meant by one that is in no chunk, likeliest first."""
