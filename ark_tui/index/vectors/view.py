"""The corpus as vectors see it, as of one publication: arrays over the chunks that are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.index.vectors import serving
from ark_tui.index.vectors.adjacency import Adjacency
from ark_tui.index.vectors.conditions import Masks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.query import Filters
    from ark_tui.index.protocols import Weigh
    from ark_tui.index.vectors.latent import Table
    from ark_tui.index.vectors.readers import Reading
    from ark_tui.index.vectors.rows import Rows


@dataclass(frozen=True, slots=True)
class Centre:
    """The middle of the vectors pooled by rarity: what all texts share and no query asks for."""

    middle: NDArray[np.float32]

    def directions(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Unit vectors from the middle towards these, `(n, d)`; zeros for one that is the middle."""
        away = vectors - self.middle
        lengths = np.linalg.norm(away, axis=-1, keepdims=True)
        lengths[lengths == 0] = 1
        found: NDArray[np.float32] = away / lengths
        return found

    def distances(self, products: NDArray[np.float32]) -> NDArray[np.float32]:
        """The distances of unit vectors x from the middle m, by their products: |x − m|² = 1 − 2xm + m²."""
        squares = 1 - 2 * products + np.float32(self.middle @ self.middle)
        found: NDArray[np.float32] = np.sqrt(np.maximum(squares, np.float32(1e-6)))
        return found


@dataclass(slots=True)
class View:
    """The corpus as of one publication. Arrays run side by side over the live chunks."""

    current: serving.Current
    folder: Path
    chunks: serving.ChunkMap
    documents: serving.DocumentFacts
    own: Rows  # the vectors of the model itself
    by_rarity: Rows | None  # the same texts pooled by `idf`
    latent: Rows | None  # by `contexts`
    tokens: list[serving.Tokens]
    document_at: NDArray[np.int64]  # chunk → place among the documents
    idf: NDArray[np.float32] | None  # the weight of each token id in the idf pool
    masks: Masks  # which chunks filters let answer, once worked out
    links: Adjacency
    repeats: NDArray[np.int64]  # (n, 2): chunks that repeat an earlier one, and the first of their kind
    contexts: Table | None  # what `latent` was pooled with

    beside: NDArray[np.int32]
    """`(n, 2)`: the place of the chunk before and of the one after each; −1 where there is none.

    In the same document, else in the document before or after in the same source.
    """

    reading: Reading  # what keeps its files

    _centre: Centre | None = None
    _away: NDArray[np.float32] | None = None
    _exactly: NDArray[np.float32] | None = None
    _before: NDArray[np.int32] | None = None
    _preceding: NDArray[np.int64] | None = None
    _in_rows: bool | None = None
    _waiting: int | None = None
    _able: tuple[Filters, NDArray[np.int64]] | None = None

    def __len__(self) -> int:
        return len(self.chunks.chunk)

    def places(self, numbers: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """Where chunks stand in the arrays, by number; −1 for one that is not there."""
        wanted = np.asarray(numbers, np.int64)
        if not len(self):
            return np.full(len(wanted), -1)
        at = np.searchsorted(self.chunks.chunk, wanted).clip(max=len(self) - 1)
        return np.where(self.chunks.chunk[at] == wanted, at, -1)

    def centre(self) -> Centre | None:
        """The middle of the vectors pooled by rarity, if there are any. Worked out once."""
        if self._centre is None and self.by_rarity is not None:
            self._centre = Centre(self.by_rarity.mean())
        return self._centre

    def away(self, centre: Centre, rows: Rows) -> NDArray[np.float32]:
        """About how far each row is from the middle, worked out once."""
        if self._away is None:
            self._away = centre.distances(rows.estimates(centre.middle))
        return self._away

    def able(self, where: Filters) -> NDArray[np.int64]:
        """The places of the chunks that have a vector and may answer, ascending; the last are remembered."""
        known = self._able  # another thread may ask with other filters
        if known is None or known[0] != where:
            there, mask = self.chunks.row >= 0, self.masks.of(where)
            known = where, np.flatnonzero(there if mask is None else there & mask)
            self._able = known
        return known[1]

    def weights(self, places: NDArray[np.int64], weigh: Weigh) -> NDArray[np.float32]:
        """What the days of the documents of some places count for; those of one without a day in full."""
        day = self.documents.facts[:, serving.FACTS.index("day")][self.document_at[places]]
        found: NDArray[np.float32] = np.where(day == serving.NO_DAY, np.float32(1), weigh(day))
        return found

    def with_middle(self, rows: Rows, some: NDArray[np.int64]) -> NDArray[np.float32]:
        """The products of some rows with the middle, each worked out once."""
        assert self._centre is not None
        if self._exactly is None:
            self._exactly = np.full(len(rows), np.nan, np.float32)
        known = self._exactly
        if len(fresh := some[np.isnan(known[some])]):
            known[fresh] = rows.products(fresh, self._centre.middle)
        return known[some]

    @property
    def before(self) -> NDArray[np.int32]:
        """The row of the chunk before each; −1 where there is none, or none with a vector. Found once."""
        if self._before is None:
            places = self.beside[:, 0]
            self._before = np.where(places >= 0, self.chunks.row[places], np.int32(-1))
        return self._before

    @property
    def preceding(self) -> NDArray[np.int64]:
        """The place of the chunk before each, and of none; −1 where there is none. Found once."""
        if self._preceding is None:
            self._preceding = np.append(self.beside[:, 0], -1).astype(np.int64)
        return self._preceding

    @property
    def in_rows(self) -> bool:
        """Whether the chunks stand as the rows do, one for one. Looked at once."""
        if self._in_rows is None:
            row = self.chunks.row
            self._in_rows = len(row) == len(self.own) and np.array_equal(row, np.arange(len(row)))
        return self._in_rows

    def tokens_of(self, row: int) -> NDArray[np.uint16]:
        """The token ids of a row's text; empty for a model that is not pooled."""
        for some in self.tokens:
            if row < len(some):
                return some[row]
            row -= len(some)
        return np.empty(0, np.uint16)

    @property
    def waiting(self) -> int:
        """Chunks without a vector. Counted once."""
        if self._waiting is None:
            self._waiting = int((self.chunks.row < 0).sum())
        return self._waiting


def neighbours(chunks: serving.ChunkMap, documents: serving.DocumentFacts) -> NDArray[np.int32]:
    """The places of the chunks before and after each, as in `View.beside`."""
    count = len(chunks.chunk)
    beside = np.full((count, 2), -1, np.int32)
    if not count:
        return beside
    owner = np.searchsorted(documents.number, chunks.document)
    along = owner << 32 | chunks.ordinal  # nearly sorted, as chunks are numbered
    order = np.argsort(along, kind="stable")
    _chain(beside, order[:-1], order[1:], owner[order[:-1]] == owner[order[1:]])
    places = np.arange(len(documents.number))
    first = order[np.searchsorted(owner[order], places, side="left").clip(max=count - 1)]
    last = order[np.searchsorted(owner[order], places, side="right") - 1]
    collection, source, place = (
        documents.facts[:, serving.FACTS.index(name)] for name in ("collection", "source", "place")
    )
    line = np.lexsort((place, source, collection))
    a, b = line[:-1], line[1:]
    same = (source[a] >= 0) & (source[a] == source[b]) & (collection[a] == collection[b])
    _chain(beside, last[a], first[b], same)
    return beside


def _chain(
    beside: NDArray[np.int32], a: NDArray[np.int64], b: NDArray[np.int64], linked: NDArray[np.bool_]
) -> None:
    beside[a[linked], 1] = b[linked]
    beside[b[linked], 0] = a[linked]
