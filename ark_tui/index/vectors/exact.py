"""The exact index: a vector is multiplied with all rows, once a search, whatever is asked about it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from copy import copy
from datetime import date, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ark_tui.index.protocols import FEW, NOWHERE, Levels, Linked, Nearest
from ark_tui.index.vectors import latent, serving
from ark_tui.index.vectors.view import Centre, View, products
from ark_tui.store.changes import EPOCH_DAY

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from ark_tui.domain.query import Filters
    from ark_tui.index.protocols import Numbers, Scores, Vector


KIN = 0.7  # cosine of a text with the one before it; measured means are .3 to .6


class Pool:
    """One vector of each chunk of a view, by rows of segments: a `VectorIndex` for one search."""

    def __init__(self, view: View, segments: Sequence[NDArray[Any]]) -> None:
        self._view = view
        self._segments = segments
        self._known: dict[tuple[float, bytes], Vector] = {}  # by the share, and the vector that was asked for
        self.share = 0.0  # what the vector before a chunk's counts for beside its own

    @property
    def size(self) -> int:
        return len(self._view)

    @property
    def waiting(self) -> int:
        return self._view.waiting

    def in_context(self, share: float) -> Self:
        heard = copy(self)
        heard.share = share
        return heard

    def search(self, vector: Vector, k: int, where: Filters) -> Nearest:
        found = self._allowed(vector, where)
        top = np.argpartition(-found, k)[:k] if len(found) > k else np.arange(len(found))
        top = top[found[top] > NOWHERE]
        return self._nearest(top[np.lexsort((top, -found[top]))], found)

    def search_documents(
        self, vector: Vector, k: int, where: Filters, documents: Numbers | None = None, floor: float = -1.0
    ) -> Nearest:
        found, owner = self._allowed(vector, where), self._view.chunks.document
        fit = (found > NOWHERE) & (found >= floor)
        at = np.flatnonzero(fit if documents is None else fit & np.isin(owner, documents))
        at = at[np.argsort(-found[at], kind="stable")]
        _, first = np.unique(owner[at], return_index=True)
        return self._nearest(at[np.sort(first)[:k]], found)

    def score(self, vector: Vector, chunks: Sequence[int] | Numbers) -> Scores:
        at = self._view.places(chunks)
        raw = np.full(len(at), NOWHERE)
        raw[at >= 0] = self._cosines(vector)[at[at >= 0]]
        return raw

    def levels(self, vector: Vector, where: Filters) -> Levels | None:
        found = self._allowed(vector, where)
        found = found[found > NOWHERE]
        if not len(found):
            return None
        last = len(found) - 1
        above = (last // 100, last // 1000, max(last // 100, min(FEW, last)))
        at = [last - count for count in above]
        return Levels(float(found.mean()), *np.partition(found, at)[at].tolist())

    def vectors(self, chunks: Sequence[int] | Numbers) -> tuple[Numbers, Vector]:
        rows = self._rows(chunks)
        there = np.flatnonzero(rows >= 0)
        found = [_pick(self._segments, row) for row in rows[there].tolist()]
        return there, np.stack(found) if found else np.empty((0, 0), np.float32)

    def chunks_of(self, document: int) -> Numbers:
        chunks = self._view.chunks
        numbers: Numbers = chunks.chunk[chunks.document == document]
        return numbers

    def _rows(self, chunks: Sequence[int] | Numbers) -> Numbers:
        """The row of each chunk; −1 for one without a vector."""
        at = self._view.places(chunks)
        rows = np.full(len(at), -1, np.int64)
        rows[at >= 0] = self._view.chunks.row[at[at >= 0]]
        return rows

    def _allowed(self, vector: Vector, where: Filters) -> Vector:
        """The cosine with every chunk; NOWHERE where it has no vector or may not answer."""
        found, mask = self._cosines(vector), self._view.masks.of(where)
        return found if mask is None else np.where(mask, found, np.float32(NOWHERE))

    def _cosines(self, vector: Vector) -> Vector:
        """The cosine with every chunk, worked out once; NOWHERE for one without a vector."""
        key = self.share, vector.tobytes()
        if key not in self._known:  # filled in one step: two threads may ask
            rows = self._products(vector)
            rows[-1] = NOWHERE
            found = rows[self._view.chunks.row]
            self._known[key] = self._heard(found) if self.share else found
        return self._known[key]

    def _heard(self, found: Vector) -> Vector:
        """The cosines with each vector plus a share of the one before it, as if that had unit length again.

        What two texts in a row have in common is taken as `KIN` for all: their own products would have to be
        kept, and gain little (docs/decisions/0060-context.md).
        """
        before = self._view.beside()[:, 0]
        other = found[before]
        length = (1 + self.share**2 + 2 * self.share * KIN) ** 0.5
        mixed = np.minimum((found + np.float32(self.share) * other) / np.float32(length), np.float32(1))
        both = (before >= 0) & (found > NOWHERE) & (other > NOWHERE)
        return np.where(both, mixed, found)

    def _products(self, vector: Vector) -> Vector:
        return products(self._segments, vector)

    def _nearest(self, places: Numbers, found: Vector) -> Nearest:
        chunks = self._view.chunks
        return Nearest(chunks.chunk[places], chunks.document[places], found[places].astype(np.float64))


class Directions(Pool):
    """The directions from the middle of the rows to each."""

    def __init__(self, view: View, around: Centre) -> None:
        super().__init__(view, view.idf_segments)
        self._around = around

    def vectors(self, chunks: Sequence[int] | Numbers) -> tuple[Numbers, Vector]:
        there, rows = super().vectors(chunks)
        return there, self._around.directions(rows) if len(there) else rows

    def _products(self, vector: Vector) -> Vector:
        rows = super()._products(vector)
        rows[:-1] -= self._around.middle @ vector
        rows[:-1] *= self._around.scale
        return rows


class Contexts(Pool):
    """The texts by the words that share contexts: vectors that are kept rounded."""

    def __init__(self, view: View) -> None:
        super().__init__(view, view.latent_segments)

    def vectors(self, chunks: Sequence[int] | Numbers) -> tuple[Numbers, Vector]:
        there, rows = super().vectors(chunks)
        return there, latent.wide(rows)

    def _products(self, vector: Vector) -> Vector:
        return latent.products(self._segments, vector)


class Exact(Pool):
    """All that one publication of an embedded model's vectors knows: a `CorpusIndex` for one search."""

    def __init__(self, view: View) -> None:
        super().__init__(view, view.segments)

    @cached_property
    def by_rarity(self) -> Pool | None:
        return Pool(self._view, self._view.idf_segments) if self._view.idf_segments else None

    @cached_property
    def centred(self) -> Pool | None:
        around = self._view.centre()
        return Directions(self._view, around) if around else None

    @cached_property
    def latent(self) -> Pool | None:
        return Contexts(self._view) if self._view.contexts else None

    def in_contexts(self, stems: Collection[str]) -> Vector | None:
        return self._view.contexts.query(stems) if self._view.contexts else None

    @property
    def middle(self) -> Vector | None:
        around = self._view.centre()
        return around.middle if around else None

    @property
    def weights(self) -> Vector | None:
        return self._view.idf

    @property
    def links(self) -> int:
        return len(self._view.links.links)

    def tokens(self, chunks: Sequence[int] | Numbers) -> list[NDArray[np.uint16]]:
        rows, nothing = self._rows(chunks).tolist(), np.empty(0, np.uint16)
        return [_pick(self._view.tokens, row) if row >= 0 else nothing for row in rows]

    def beside(self, chunks: Numbers) -> Numbers:
        at = self._view.places(chunks)
        places = np.where(at[:, None] >= 0, self._view.beside()[at], -1)
        return np.where(places >= 0, self._view.chunks.chunk[places], -1)

    def let_through(self, chunks: Numbers, where: Filters) -> tuple[Numbers, Numbers]:
        at = self._view.places(chunks)
        at, mask = at[at >= 0], self._view.masks.of(where)
        at = at if mask is None else at[mask[at]]
        return self._view.chunks.chunk[at], self._view.chunks.document[at]

    def linked(self, documents: Numbers) -> Linked:
        return self._view.links.of(documents)

    def days(self, documents: Sequence[int]) -> dict[int, date | None]:
        facts = self._view.documents
        wanted = np.unique(np.asarray(documents, np.int64))
        at = np.searchsorted(facts.number, wanted).clip(max=max(len(facts.number) - 1, 0))
        known = at[facts.number[at] == wanted] if len(facts.number) else at[:0]
        day = facts.facts[known, serving.FACTS.index("day")].tolist()
        return {
            number: None if at_day == serving.NO_DAY else EPOCH_DAY + timedelta(days=at_day)
            for number, at_day in zip(facts.number[known].tolist(), day, strict=True)
        }

    def firsts(self, chunks: Numbers) -> Numbers:
        repeats = self._view.repeats
        if not len(repeats):
            return chunks
        at = np.searchsorted(repeats[:, 0], chunks).clip(max=len(repeats) - 1)
        return np.where(repeats[at, 0] == chunks, repeats[at, 1], chunks)


def _pick(segments: Sequence[Any], row: int) -> Any:
    """The row of that number over all segments."""
    for segment in segments:
        if row < len(segment):
            return segment[row]
        row -= len(segment)
    raise IndexError(row)
