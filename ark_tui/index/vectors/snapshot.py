"""A snapshot of the vector table of one model: its vectors, neighbors, links, dates and duplicates.

The columns of the live chunks are kept as arrays. Up to `EXACT_ROWS` rows, so are the vectors, as one float32
matrix, and every search is exact. Above that, LanceDB's index finds the closest rows with the filters as
prefilters, and their cosines are computed from the vectors.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ark_tui.domain.errors import IndexDamaged
from ark_tui.domain.protocols import NEVER, Stop, check
from ark_tui.domain.query import Filters
from ark_tui.index import seal, sql
from ark_tui.index.follower import Mark
from ark_tui.index.protocols import FEW, NOWHERE, Levels, Linked, Nearest, distinct
from ark_tui.index.seal import MARK
from ark_tui.index.sql import among
from ark_tui.index.vectors import duplicates
from ark_tui.index.vectors.conditions import Documents, Masks
from ark_tui.index.vectors.table import NO_DAY, VectorTable, is_exact
from ark_tui.settings.home import read_checked
from ark_tui.store.changes import EPOCH_DAY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Matrix
    from ark_tui.index.protocols import Numbers, Scores, Vector
    from ark_tui.store.links import Edges

QUERIES = 100  # rows whose nearest neighbors are found exactly and by the index
ROWS_EACH = 20_000  # rows compared at once
DIGITS = 6  # of a cosine, rounded so that the order of summation has no effect
SPARE = 16  # one row of spare room for so many vectors in memory
REMEMBERED = 8  # queries with cached cosines of all chunks
SAMPLE = 16_384  # rows sampled from a corpus whose vectors are not in memory
REFINE = 4  # multiple of the requested rows that LanceDB's index re-scores exactly
WIDER = 16  # multiple of rows to request when documents also affect the result


@dataclass(frozen=True, slots=True)
class Links:
    """All links between existing documents, each listed at both ends.

    The links of document i begin at `start[i]`. `place` is the position of the other document, `relation` the
    code of the relation, negative for an incoming link.
    """

    place: NDArray[np.int64]
    relation: NDArray[np.int32]
    start: NDArray[np.int64]


class _Buffer:
    """Vectors of chunks in memory, with room for more, so that a few new ones do not copy all.

    The first `used` rows are read by snapshots and never change.
    """

    def __init__(self, used: int, dims: int) -> None:
        self.used = used
        self.rows = np.empty((used + used // SPARE, dims), np.float32)  # spare memory is not taken yet
        self._hold = threading.Lock()

    def grows(self, before: int, after: int) -> bool:
        """Whether it now has `after` rows, of which the caller writes those from `before` on."""
        with self._hold:
            if self.used != before or after > len(self.rows):
                return False
            self.used = after
            return True


@dataclass(frozen=True, slots=True)
class _Known:
    """Vectors read by an earlier snapshot, to be reused."""

    chunk: Numbers
    key: Numbers
    embedded: NDArray[np.bool_]
    buffer: _Buffer


class Snapshot:
    """One version of a table. Thread-safe. Raises `IndexDamaged` if the table cannot be read."""

    def __init__(
        self, table: VectorTable, mark: Mark, edges: Callable[[], Edges], before: Snapshot | None = None
    ) -> None:
        """`mark`: the last included change; `edges`: links of the store; `before`: an earlier snapshot."""
        self._table = table
        self.mark = mark
        self._edges = edges
        continues = before is not None and mark.continues(before.mark)
        rows: Any = _updated(table, before) if before and continues else _live(table)
        self.columns = rows
        column = {name: rows[name].to_numpy() for name in _NUMBERS}
        self.chunk: Numbers = column["chunk"]
        self.document: Numbers = column["document"]
        self.key: Numbers = column["hash"]
        self.embedded: NDArray[np.bool_] = rows["embedded"].to_numpy()
        self._ordinal: Numbers = column["ordinal"]
        self.documents = Documents.of(rows, self.document)
        self.document_at = np.searchsorted(self.documents.number, self.document)
        self._masks = Masks(self.documents, self.chunk, self.document_at)
        self._alike = rows.select(["hash", "alike"]).filter(_non_empty(rows["alike"]))
        self._before = before.known if before is not None else None
        self._lock = threading.Lock()
        self._products: OrderedDict[bytes, Vector] = OrderedDict()

    @property
    def change(self) -> int:
        """The number of the last included change."""
        return self.mark.number

    @property
    def dims(self) -> int:
        """The number of dimensions of the vectors."""
        return self._table.dims

    @property
    def size(self) -> int:
        """The number of chunks, with and without a vector."""
        return len(self.chunk)

    @cached_property
    def waiting(self) -> int:
        """The number of chunks without a vector."""
        return int((~self.embedded).sum())

    @property
    def state(self) -> str:
        """An identifier of this state of the corpus, for derived data."""
        return f"{self.change}-{self.size}-{self.waiting}"

    @property
    def exact(self) -> bool:
        """Whether the vectors are in memory."""
        return is_exact(self.size, self._table.dims)

    @property
    def known(self) -> _Known | None:
        """The vectors that the next snapshot can reuse."""
        buffer = self.__dict__.get("_buffer")
        return _Known(self.chunk, self.key, self.embedded, buffer) if buffer else self._before

    # -- vectors -----------------------------------------------------------------------------------

    @property
    def matrix(self) -> Matrix:
        """The vectors of all chunks, zeros for missing ones; only new ones are read from the table."""
        with self._lock:
            return self._buffer.rows[: self.size]

    @cached_property
    def _buffer(self) -> _Buffer:
        known, self._before = self._before, None
        if known is None or not len(known.chunk):
            same, buffer = np.zeros(self.size, bool), _Buffer(self.size, self.dims)
        else:
            at, count = self._places_in(known.chunk, self.chunk), len(known.chunk)
            same = (at >= 0) & known.embedded[at] & (known.key[at] == self.key) & self.embedded
            buffer = known.buffer
            if same[:count].sum() < count or not buffer.grows(count, self.size):
                buffer = _Buffer(self.size, self.dims)
                for start, end in _runs(np.flatnonzero(same), at[same]):
                    buffer.rows[start:end] = known.buffer.rows[at[start] : at[start] + end - start]
        rows = buffer.rows[: self.size]
        rows[~self.embedded] = 0
        fresh = np.flatnonzero(self.embedded & ~same)
        self._table.read_into(rows, self.chunk[fresh], fresh)
        return buffer

    def rows(self, places: Numbers) -> Matrix:
        """The vectors of chunks by their positions in the arrays."""
        if self.exact:
            return self.matrix[places]
        return self._table.rows_of(self.chunk[places])

    @cached_property
    def middle(self) -> Vector | None:
        """The mean of all vectors, or of a sample if there are many."""
        if not self.embedded.any():
            return None
        if self.exact:  # chunks without a vector have zeros
            total: Vector = self.matrix.sum(axis=0)
            return total / np.float32(self.embedded.sum())
        mean: Vector = self._sample[1].mean(axis=0)
        return mean

    @cached_property
    def _sample(self) -> tuple[Numbers, Matrix]:
        """The positions and vectors of random chunks with a vector, where they are not in memory."""
        able = np.flatnonzero(self.embedded)
        if len(able) > SAMPLE:
            able = np.sort(np.random.default_rng(0).choice(able, SAMPLE, replace=False))
        return able, self.rows(able)

    def lacking(self, where: Filters) -> Numbers:
        """The chunks that match the filters and have no vector."""
        allowed = self._allowed(where)
        return self.chunk[allowed[~self.embedded[allowed]]]

    def search(self, vector: Vector, k: int, where: Filters) -> Nearest:
        """The `k` closest chunks that match the filters."""
        if not self.exact:
            places = self._nearest(vector, k, where)
            found = self._cosines(vector, places)
        else:
            places = self._able(where)
            found = self._all(vector)[places]
        top = _top(found, k)
        return self._found(places[top], found[top])

    def search_documents(
        self, vector: Vector, k: int, where: Filters, documents: Numbers | None = None, floor: float = -1.0
    ) -> Nearest:
        """The closest chunk of each of the `k` closest documents, with a cosine of at least `floor`.

        `documents`: search only these; None: all.
        """
        count = WIDER * k
        while True:
            if self.exact:
                places = self._able(where)
                if documents is not None:
                    places = places[np.isin(self.document[places], documents)]
                found = self._all(vector)[places]
            else:
                places = self._nearest(vector, count, where, documents)
                found = self._cosines(vector, places)
            fit = np.flatnonzero(found >= floor)
            fit = fit[np.argsort(-found[fit], kind="stable")]
            _, first = np.unique(self.document[places[fit]], return_index=True)
            if self.exact or len(first) >= k or len(places) < count or len(fit) < len(places):
                fit = fit[np.sort(first)[:k]]
                return self._found(places[fit], found[fit])
            count *= WIDER

    def score(self, vector: Vector, chunks: Sequence[int] | Numbers) -> Scores:
        """The cosine of each of these chunks; NOWHERE for one without a vector."""
        at = self.places(chunks)
        raw = np.full(len(at), NOWHERE)
        raw[at >= 0] = self._cosines(vector, at[at >= 0])
        return raw

    def levels(self, vector: Vector, where: Filters) -> Levels | None:
        """The distribution of cosines of the texts that match the filters; None if none has a vector."""
        if self.exact:
            found = self._all(vector)[self._able(where)].astype(np.float64)
        else:
            places, rows = self._sample
            found = (rows[np.isin(places, self._allowed(where), assume_unique=True)] @ vector).astype(
                np.float64
            )
        if not len(found):
            return None
        last = len(found) - 1
        rank = max(last // 100, min(FEW, last))
        return Levels(float(found.mean()), -float(np.partition(-found, rank)[rank]))

    def vectors(self, chunks: Sequence[int] | Numbers) -> tuple[Numbers, Vector]:
        """The positions in `chunks` of those with a vector, and the vectors, `(n, d)`."""
        at = self.places(chunks)
        there = np.flatnonzero((at >= 0) & self.embedded[at])
        return there, self.rows(at[there])

    def _all(self, vector: Vector) -> Vector:
        """The cosine with every chunk, NOWHERE without a vector; cached for the last few queries."""
        key = vector.tobytes()
        found = self._products.get(key)
        if found is None:
            # on one core einsum reads the matrix twice as fast as a product by BLAS
            found = np.einsum("ij,j->i", self.matrix, vector).round(DIGITS)
            found[~self.embedded] = NOWHERE
            with self._lock:
                self._products[key] = found
                while len(self._products) > REMEMBERED:
                    self._products.popitem(last=False)
        return found

    def _cosines(self, vector: Vector, places: Numbers) -> Vector:
        if self.exact:
            return self._all(vector)[places]
        found: Vector = (self.rows(places) @ vector).round(DIGITS)
        found[~self.embedded[places]] = NOWHERE
        return found

    def _nearest(
        self, vector: Vector, count: int, where: Filters, documents: Numbers | None = None
    ) -> Numbers:
        """The positions of the closest chunks by LanceDB's index, ascending."""
        parts = [] if self._masks.of(where) is None else [sql.where(where)]
        parts += [among("document", documents.tolist())] if documents is not None else []
        parts += ["embedded", "chunk > 0"] if self._has_others else []
        found = nearest(self._table, vector, count, sql.every(*parts))
        places = self.places(found)
        return np.sort(places[places >= 0])

    @cached_property
    def _has_others(self) -> bool:
        """Whether the table has rows that no search may find. A filter doubles the time of a search."""
        return self._table.count() > self.size - self.waiting

    def _able(self, where: Filters) -> Numbers:
        """The positions of the chunks that have a vector and match the filters, ascending."""
        mask = self._masks.of(where)
        return np.flatnonzero(self.embedded if mask is None else mask & self.embedded)

    def _allowed(self, where: Filters) -> Numbers:
        mask = self._masks.of(where)
        return np.arange(self.size) if mask is None else np.flatnonzero(mask)

    def _found(self, places: Numbers, scores: Vector) -> Nearest:
        return Nearest(self.chunk[places], self.document[places], scores.astype(np.float64))

    # -- chunks and documents ----------------------------------------------------------------------

    def places(self, chunks: Sequence[int] | Numbers) -> Numbers:
        """The positions of chunks in the arrays, by number; −1 for a missing chunk."""
        return self._places_in(self.chunk, np.asarray(chunks, np.int64))

    @staticmethod
    def _places_in(ascending: Numbers, wanted: Numbers) -> Numbers:
        if not len(ascending):
            return np.full(len(wanted), -1)
        order = np.argsort(ascending, kind="stable") if (np.diff(ascending) < 0).any() else None
        at = np.searchsorted(ascending, wanted, sorter=order).clip(max=len(ascending) - 1)
        at = at if order is None else order[at]
        found: Numbers = np.where(ascending[at] == wanted, at, -1)
        return found

    def chunks_of(self, document: int) -> Numbers:
        """The chunks of a document, ascending."""
        found: Numbers = self.chunk[self.document == document]
        return found

    def let_through(self, chunks: Numbers, where: Filters) -> tuple[Numbers, Numbers]:
        """The chunks that match the filters, in this order, and their documents."""
        at, mask = self.places(chunks), self._masks.of(where)
        at = at[at >= 0]
        at = at if mask is None else at[mask[at]]
        return self.chunk[at], self.document[at]

    def beside(self, chunks: Numbers) -> Numbers:
        """The previous and next chunk of each, `(n, 2)`; −1 if there is none.

        It is in the same document, else in the previous or next document of the same source.
        """
        if not self.size:
            return np.full((len(chunks), 2), -1)
        at = self.places(chunks)
        places = np.where(at[:, None] >= 0, self._beside[at], -1)
        return np.where(places >= 0, self.chunk[places], -1)

    @cached_property
    def _beside(self) -> Numbers:
        """The positions of the previous and next chunk of each, `(n, 2)`; −1 if there is none."""
        beside = np.full((self.size, 2), -1)
        order = np.lexsort((self._ordinal, self.document_at))
        owner = self.document_at[order]
        _chain(beside, order[:-1], order[1:], owner[:-1] == owner[1:])
        facts = self.documents
        each = np.arange(len(facts.number))
        first, last = order[np.searchsorted(owner, each)], order[np.searchsorted(owner, each, "right") - 1]
        collection, source = facts.codes["collection"], facts.codes["source"]
        line = np.lexsort((facts.place, source, collection))
        a, b = line[:-1], line[1:]
        named = np.array([bool(name) for name in facts.names["source"]] or [False])
        same = (source[a] == source[b]) & (collection[a] == collection[b]) & named[source[a]]
        _chain(beside, last[a], first[b], same)
        return beside

    @cached_property
    def graph(self) -> Links:
        """The links between existing documents."""
        edges, number = self._edges(), self.documents.number
        source, target = self._places_in(number, edges.source), self._places_in(number, edges.target)
        there = (source >= 0) & (target >= 0)
        source, target, code = source[there], target[there], edges.relation[there]
        here, other = np.concatenate([source, target]), np.concatenate([target, source])
        code = np.concatenate([code, -code]).astype(np.int32)
        order = np.lexsort((code, other, here))
        start = np.searchsorted(here[order], np.arange(len(number) + 1))
        return Links(other[order], code[order], start)

    @property
    def links(self) -> int:
        """The number of links between documents; each is counted at both ends."""
        return len(self.graph.place)

    def linked(self, documents: Numbers) -> Linked:
        """The links of documents in both directions."""
        number, graph = self.documents.number, self.graph
        places = self._places_in(number, documents)
        places = places[places >= 0]
        count = np.diff(graph.start)[places]
        at = np.repeat(graph.start[places] - (np.cumsum(count) - count), count) + np.arange(count.sum())
        return Linked(np.repeat(number[places], count), number[graph.place[at]], graph.relation[at])

    def days(self, documents: Sequence[int]) -> dict[int, date | None]:
        """The dates of documents; unknown documents are skipped."""
        at = self._places_in(self.documents.number, distinct(np.asarray(documents, np.int64)))
        at = at[at >= 0]
        return {
            number: None if day == NO_DAY else EPOCH_DAY + timedelta(days=day)
            for number, day in zip(
                self.documents.number[at].tolist(), self.documents.day[at].tolist(), strict=True
            )
        }

    @cached_property
    def repeats(self) -> Numbers:
        """The chunks that duplicate an earlier one, ascending, each with its first duplicate, `(n, 2)`."""
        alike = zip(self._alike["hash"].to_pylist(), self._alike["alike"].to_pylist(), strict=True)
        some = self.embedded
        return np.stack(duplicates.firsts(self.chunk[some], self.key[some], dict(alike)), axis=1)

    def firsts(self, chunks: Sequence[int] | Numbers) -> Numbers:
        """For each chunk, the first of its near-duplicates; itself if it has none before it."""
        numbers, repeats = np.asarray(chunks, np.int64), self.repeats
        at = self._places_in(repeats[:, 0], numbers)
        return np.where(at >= 0, repeats[at, 1], numbers) if len(repeats) else numbers


def _live(table: VectorTable) -> Any:
    """The columns of the live chunks by number, as an Arrow table."""
    return table.columns([*_READ], "chunk > 0").sort_by("chunk")


def _updated(table: VectorTable, before: Snapshot) -> Any:
    """As `_live`, from an earlier snapshot: only the rows that were changed since are read."""
    import pyarrow as pa
    import pyarrow.compute as pc

    changed = table.columns([*_READ], f"chunk > 0 AND change > {before.change}").sort_by("chunk")
    living = table.columns(["chunk"], "chunk > 0")["chunk"].to_numpy()
    rows, chunks = before.columns, before.chunk
    kept = np.isin(chunks, living) & ~np.isin(chunks, changed["chunk"].to_numpy())
    rows = rows if kept.all() else rows.filter(pa.array(kept))
    whole = pa.concat_tables([rows, changed]).combine_chunks()
    grows = not (len(rows) and len(changed)) or pc.less(rows["chunk"][-1], changed["chunk"][0]).as_py()
    return whole if grows else whole.sort_by("chunk")


def nearest(table: VectorTable, vector: Vector, count: int, where: str) -> Numbers:
    """The chunks closest to a vector by LanceDB, with the condition as a prefilter."""
    query = table.lance.search(vector).distance_type("dot")
    query = query.where(where, prefilter=True) if where else query
    rows = query.nprobes(CELLS).refine_factor(REFINE).select(["chunk", "_distance"]).limit(count).to_arrow()
    found: Numbers = rows["chunk"].to_numpy()
    return found


def recall(table: VectorTable, stop: Stop = NEVER) -> float:
    """Measure recall@10 of LanceDB's index: random rows as queries, compared with exact search."""
    live = "embedded AND chunk > 0"
    numbers = table.columns(["chunk"], live)["chunk"].to_numpy()
    asked = np.random.default_rng(0).choice(numbers, min(QUERIES, len(numbers)), replace=False)
    queries = table.vectors(f"{live} AND {among('chunk', asked.tolist())}")
    best, held = np.empty((len(queries), 0), np.float32), np.empty((len(queries), 0), np.int64)
    with seal.guarded("vector"):
        for batch in table.lance.search().where(live).select(["chunk", "vector"]).to_batches(ROWS_EACH):
            check(stop)
            rows = table.matrix(batch.column("vector"))
            chunks = np.broadcast_to(batch.column("chunk").to_numpy(), (len(queries), len(rows)))
            best, held = np.hstack([best, queries @ rows.T]), np.hstack([held, chunks])
            top = np.argsort(-best, axis=1)[:, :10]
            best, held = np.take_along_axis(best, top, axis=1), np.take_along_axis(held, top, axis=1)
        found = [nearest(table, query, 10, live) for query in queries]
    return sum(len(np.intersect1d(a, b)) for a, b in zip(held, found, strict=True)) / max(1, held.size)


CELLS = 1 << 10  # searched partitions of an index: more than exist, so none is missed
_NUMBERS = ("chunk", "document", "hash", "change", "ordinal")
_READ = (
    *_NUMBERS, "embedded", "collection", "path", "tier", "type", "layer", "source", "place", "tags", "day",
    "superseded", "since", "alike",
)  # fmt: skip


def _top(worth: Vector, count: int) -> Numbers:
    """The positions of the `count` highest values, best first; ties by position."""
    if 0 < count < len(worth):
        least = np.partition(worth, len(worth) - count)[len(worth) - count]
        some = np.flatnonzero(worth >= least)
    else:
        some = np.arange(len(worth))
    return some[np.argsort(-worth[some], kind="stable")][:count]


def _runs(to: Numbers, of: Numbers) -> Iterator[tuple[int, int]]:
    """Ranges of positions `to` in which both grow by one: blocks that can be copied as a whole."""
    if len(to):
        breaks = np.flatnonzero((np.diff(to) != 1) | (np.diff(of) != 1))
        starts, ends = np.concatenate([[0], breaks + 1]), np.concatenate([breaks, [len(to) - 1]])
        yield from zip(to[starts].tolist(), (to[ends] + 1).tolist(), strict=True)


def _chain(beside: Numbers, a: Numbers, b: Numbers, linked: NDArray[np.bool_]) -> None:
    beside[a[linked], 1] = b[linked]
    beside[b[linked], 0] = a[linked]


def _non_empty(column: Any) -> Any:
    import pyarrow.compute as pc

    return pc.greater(pc.fill_null(pc.list_value_length(column), 0), 0)


class Vectors:
    """Reader of a model's table. Thread-safe; the constructor does no I/O."""

    def __init__(
        self,
        folder: Path,
        dims: int,
        edges: Callable[[], Edges],
        repair: Callable[[], object] | None = None,
    ) -> None:
        """`edges`: the links of the store; `repair`: rebuilds a damaged table."""
        self._folder, self._dims, self._edges, self._repair = folder, dims, edges, repair
        self._seen: tuple[int, int] | None = None
        self._snapshot: Snapshot | None = None
        self._opening = threading.Lock()

    def refresh(self) -> Snapshot | None:
        """The current snapshot; None if nothing was written yet. Raises `StoreError`."""
        try:
            stat = (self._folder / MARK).stat()
        except OSError:
            self._snapshot = self._seen = None
            return None
        with self._opening:
            if (stat.st_mtime_ns, stat.st_ino) != self._seen:
                self._snapshot = self._opened()
                self._seen = (stat.st_mtime_ns, stat.st_ino)
            return self._snapshot

    open = refresh

    def close(self) -> None:
        """Release the arrays; the next search opens the table again."""
        with self._opening:
            self._snapshot = self._seen = None

    def _opened(self) -> Snapshot:
        try:
            return self._read()
        except IndexDamaged:
            if self._repair is None:
                raise
            self._repair()
        return self._read()

    def _read(self) -> Snapshot:
        mark, table = read_checked(self._folder / MARK), VectorTable(self._folder, self._dims)
        if mark is None or not table.sound():
            raise seal.damaged("vector")
        return Snapshot(table, Mark(**mark), self._edges, self._snapshot)
