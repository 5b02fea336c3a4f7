"""The vectors of the table: a `CorpusIndex` for one search, and those of a served model.

Lance names the closest rows, with the filters applied before it looks: all are compared up to `EXACT`, above
by its index, refined. Each cosine that is answered is worked out here from the vector itself.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from copy import copy
from datetime import date, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ark_tui.domain.query import Filters
from ark_tui.index.protocols import FEW, NOWHERE, Levels, Linked, Nearest
from ark_tui.index.table import rows, sql
from ark_tui.index.table.snapshot import PLACED
from ark_tui.index.vectors import latent
from ark_tui.index.vectors.exact import DIGITS, EVERY, KIN, WIDER
from ark_tui.index.vectors.view import Centre
from ark_tui.store.changes import EPOCH_DAY

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from ark_tui.embedding.served import ServedModel
    from ark_tui.index.protocols import Numbers, Scores, Vector, Weigh
    from ark_tui.index.table.snapshot import Snapshot, Source


INDEXED = 4  # in place of `WIDER`, where each vector that is read is a request: see decision 88


class Column:
    """One kind of vector: a `VectorIndex`."""

    def __init__(self, snapshot: Snapshot, name: str, digits: int = DIGITS, dims: int = 0) -> None:
        self._at = snapshot
        self._name = name
        self._digits = digits
        self._dims = dims or rows.VECTORS[name]
        self._share = 0.0  # what the vector before a chunk's counts for beside its own
        self._said: dict[tuple[float, bytes, Filters], Levels | None] = {}

    @property
    def size(self) -> int:
        return self._at.published.size

    @property
    def waiting(self) -> int:
        return self._at.published.waiting

    @property
    def change(self) -> int:
        return self._at.published.mark.number

    def lacking(self, where: Filters) -> Numbers:
        missing = sql.every(sql.where(where), f"{self._name} IS NULL")
        found = self._at.read(missing, ("chunk",), self.waiting) if self.waiting else []
        return np.array([row["chunk"] for row in found], np.int64)

    def in_context(self, share: float) -> Self:
        heard = copy(self)
        heard._share = share  # noqa: SLF001  (its own)
        return heard

    def search(self, vector: Vector, k: int, where: Filters, weigh: Weigh | None = None) -> Nearest:  # noqa: ARG002
        """Days do not count here: they are asked for of memories, which no table has."""
        found = self._best(vector, self._closest(vector, k, sql.where(where)))
        return Nearest(found.chunks[:k], found.documents[:k], found.scores[:k])

    def search_documents(
        self, vector: Vector, k: int, where: Filters, documents: Numbers | None = None, floor: float = -1.0
    ) -> Nearest:
        among = "" if documents is None else sql.among("document", np.asarray(documents).tolist())
        wanted, count = sql.every(sql.where(where), among), WIDER * k
        while True:
            chunks = self._closest(vector, count, wanted)
            found = self._best(vector, chunks)
            fit = found.scores >= floor
            _, first = np.unique(found.documents[fit], return_index=True)
            if len(first) >= k or len(chunks) < count or not fit.all():
                at = np.flatnonzero(fit)[np.sort(first)[:k]]
                return Nearest(found.chunks[at], found.documents[at], found.scores[at])
            count *= WIDER

    def score(self, vector: Vector, chunks: Sequence[int] | Numbers) -> Scores:
        numbers = np.asarray(chunks, np.int64)
        own = self._cosines(vector, numbers)
        if not self._share:
            return own
        before = self._neighbours(numbers, "earlier")
        other = self._cosines(vector, before)
        return _heard(own, other, self._share)

    def levels(self, vector: Vector, where: Filters) -> Levels | None:
        key = self._share, vector.tobytes(), where
        if key not in self._said:
            self._said[key] = self._levels(vector, sql.where(where))
        return self._said[key]

    def vectors(self, chunks: Sequence[int] | Numbers) -> tuple[Numbers, Vector]:
        numbers = np.asarray(chunks, np.int64).tolist()
        found = self._at.rows(numbers, (self._name,))
        there = [at for at, chunk in enumerate(numbers) if _held(found, chunk, self._name)]
        each = [found[numbers[at]][self._name] for at in there]
        empty = np.empty((0, self._dims), np.float32)
        stacked = np.stack(each).astype(np.float32, copy=False)[:, : self._dims] if each else empty
        return np.array(there, np.int64), stacked

    def chunks_of(self, document: int) -> Numbers:
        found = self._at.read(f"document = {int(document)}", ("chunk",), self.size)
        return np.sort(np.array([row["chunk"] for row in found], np.int64))

    def _closest(self, vector: Vector, count: int, where: str) -> Numbers:
        """The chunks among which the best are: the closest, and in a context those that follow one."""
        where = self._at.narrowing(where)
        if not self._share:
            return self._at.nearest(self._name, vector, count, where)
        wide = (INDEXED if self._at.indexed else WIDER) * count
        near = self._at.nearest(self._name, vector, wide, where)
        leading = self._at.nearest(self._name, vector, wide, "") if where else near
        after = self._neighbours(leading, "later")
        after = np.setdiff1d(after[after >= 0], near)
        if where and len(after):
            listed = self._at.read(
                sql.every(where, sql.among("chunk", after.tolist())), ("chunk",), len(after)
            )
            after = np.array([row["chunk"] for row in listed], np.int64)
        return np.concatenate([near, after])

    def _best(self, vector: Vector, chunks: Numbers) -> Nearest:
        """All of some chunks, best first, of equals the lower number."""
        chunks = np.sort(chunks)
        scores = self.score(vector, chunks)
        order = np.argsort(-scores, kind="stable")
        order = order[scores[order] > NOWHERE]
        facts = self._at.rows(chunks[order].tolist(), PLACED)
        documents = np.array([facts[chunk]["document"] for chunk in chunks[order].tolist()], np.int64)
        return Nearest(chunks[order], documents, scores[order])

    def _cosines(self, vector: Vector, chunks: Numbers) -> Scores:
        there, vectors = self.vectors(chunks)
        found = np.full(len(chunks), NOWHERE)
        if len(there):
            found[there] = self._products(vectors, vector).round(self._digits)
        return found

    def _products(self, vectors: Vector, vector: Vector) -> Vector:
        products: Vector = vectors @ vector
        return products

    def _neighbours(self, chunks: Numbers, side: str) -> Numbers:
        facts = self._at.rows(chunks.tolist(), PLACED)
        return np.array([facts[c][side] if c in facts else -1 for c in chunks.tolist()], np.int64)

    def _levels(self, vector: Vector, where: str) -> Levels | None:
        """By all that may answer, of many by an even sample."""
        wanted = where
        if (total := self._at.count(where)) > EVERY:
            wanted = sql.every(where, f"chunk % {-(-total // EVERY)} = 0")
        chunks = self._at.sample(self._name, wanted, EVERY)
        found = self.score(vector, chunks)
        found = -np.sort(-found[found > NOWHERE])
        if not len(found):
            return None
        total = round(total * len(found) / len(chunks))  # that have a vector
        last, part = total - 1, len(found) / total
        above = (last // 100, last // 1000, max(last // 100, min(FEW, last)))
        reached = [float(found[min(int(at * part), len(found) - 1)]) for at in above]
        return Levels(float(found.mean()), *reached)


class Directions(Column):
    """The directions from the middle of the vectors by rarity to each."""

    def __init__(self, snapshot: Snapshot, around: Centre) -> None:
        super().__init__(snapshot, "rarity")
        self._around = around

    def vectors(self, chunks: Sequence[int] | Numbers) -> tuple[Numbers, Vector]:
        there, found = super().vectors(chunks)
        return there, self._around.directions(found) if len(there) else found

    def _closest(self, vector: Vector, count: int, where: str) -> Numbers:
        return super()._closest(vector, count if self._share else WIDER * count, where)


class TableIndex(Column):
    """All that one version of the table knows of the embedded model's vectors: a `CorpusIndex`."""

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__(snapshot, "own")

    @classmethod
    def open(cls, source: Source) -> Self | None:
        """That in force; None where nothing is published."""
        snapshot = source.refresh()
        return cls(snapshot) if snapshot else None

    @cached_property
    def by_rarity(self) -> Column | None:
        return None if self.weights is None else Column(self._at, "rarity")

    @cached_property
    def centred(self) -> Column | None:
        return None if self.middle is None else Directions(self._at, Centre(self.middle))

    @cached_property
    def latent(self) -> Column | None:
        has = "latent" in self._at.published.parts
        return Column(self._at, "latent", latent.DIGITS) if has else None

    def in_contexts(self, stems: Collection[str]) -> Vector | None:
        parts = [self._at.part(name) for name in ("stems", "rarities", "latent", "length")]
        if any(part is None for part in parts):
            return None
        keys, rarity, table, length = parts
        found = latent.Table(keys, rarity, table, float(length[0])).query(stems)  # type: ignore[arg-type,index]
        return np.pad(found, (0, rows.VECTORS["latent"] - len(found)))

    @property
    def middle(self) -> Vector | None:
        return self._at.part("middle")

    @property
    def weights(self) -> Vector | None:
        return self._at.part("weights")

    @cached_property
    def _links(self) -> NDArray[np.int64]:
        found = self._at.part("links")
        return np.empty((0, 3), np.int64) if found is None else found

    @property
    def links(self) -> int:
        return len(self._links)

    def tokens(self, chunks: Sequence[int] | Numbers) -> list[NDArray[np.uint16]]:
        numbers = np.asarray(chunks, np.int64).tolist()
        found = self._at.rows(numbers, ("tokens",))
        return [np.array((found.get(one) or {}).get("tokens") or (), np.uint16) for one in numbers]

    def beside(self, chunks: Numbers) -> Numbers:
        sides = [self._neighbours(np.asarray(chunks, np.int64), side) for side in ("earlier", "later")]
        return np.stack(sides, axis=1)

    def let_through(self, chunks: Numbers, where: Filters) -> tuple[Numbers, Numbers]:
        numbers = np.asarray(chunks, np.int64).tolist()
        wanted = sql.every(sql.where(where), sql.among("chunk", numbers))
        read = self._at.read(wanted, ("chunk", "document"), len(numbers)) if numbers else []
        owner = {row["chunk"]: row["document"] for row in read}
        kept = [chunk for chunk in numbers if chunk in owner]
        return np.array(kept, np.int64), np.array([owner[chunk] for chunk in kept], np.int64)

    def linked(self, documents: Numbers) -> Linked:
        found = self._links[np.isin(self._links[:, 0], documents)]
        return Linked(found[:, 0], found[:, 1], found[:, 2].astype(np.int32))

    def days(self, documents: Sequence[int]) -> dict[int, date | None]:
        wanted = {int(number) for number in documents}
        known = self._at.days(wanted)
        return {n: None if day is None else EPOCH_DAY + timedelta(days=day) for n, day in known.items()}

    def firsts(self, chunks: Numbers) -> Numbers:
        return np.array(self._at.firsts(np.asarray(chunks, np.int64).tolist()), np.int64)


class ServedColumn(Column):
    """The vectors of the served model that the home which publishes has in force: a `VectorIndex`."""

    def __init__(self, snapshot: Snapshot, model: ServedModel) -> None:
        super().__init__(snapshot, rows.SERVED, dims=model.dims)

    @property
    def waiting(self) -> int:
        return len(self._lacking)

    def lacking(self, where: Filters) -> Numbers:
        missing = sql.every(sql.where(where), sql.among("chunk", self._lacking.tolist()))
        found = self._at.read(missing, ("chunk",), self.waiting) if self.waiting else []
        return np.array([row["chunk"] for row in found], np.int64)

    @cached_property
    def _lacking(self) -> Numbers:
        found = self._at.part(rows.LACKING)
        return np.empty(0, np.int64) if found is None else found


def _held(found: dict[int, dict[str, Any]], chunk: int, name: str) -> bool:
    return chunk in found and found[chunk][name] is not None


def _heard(found: Scores, other: Scores, share: float) -> Scores:
    """As `exact.Pool` mixes the cosine with a chunk and that with the one before it."""
    length = (1 + share**2 + 2 * share * KIN) ** 0.5
    mixed = np.minimum((found + share * other) / length, 1.0)
    return np.where(np.minimum(found, other) <= NOWHERE, found, mixed)
