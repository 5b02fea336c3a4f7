"""One published version of the table, and what has been read of it: each row once, while there is room."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ark_tui.domain.errors import ModelUnavailable
from ark_tui.index.table import rows, sql
from ark_tui.index.table.place import Place, Published

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.embedding.served import ServedModel

READ = (*rows.FACTS, *rows.SCORED, "language")  # what words and facts are asked for: read together
SAMPLES = 64  # conditions whose sample is kept
LOOK_EVERY = 2.0  # seconds between two looks whether something was published
KEPT = 20_000  # rows, of each kind of what is read
EXACT = 65_536  # chunks up to which all vectors are compared, without an index
CELLS = 1 << 20  # of an index that are looked through: all, see decision 88
LOOKED_AT = 400  # vectors at least that are read exactly, of those that stand first in it
PLACED = ("document", "earlier", "later", "first")


class Snapshot:
    """A version for searches. Thread-safe; raises `StoreError` where it cannot be read."""

    def __init__(self, place: Place, published: Published, parts: dict[str, NDArray[Any]]) -> None:
        self.place = place
        self.published = published
        self.chunks = place.table(published.chunks, published.versions[published.chunks])
        self._terms = place.table(published.terms, published.versions[published.terms])
        self._parts = parts  # by hash: shared with earlier versions
        self._kept: dict[tuple[str, ...], dict[int, dict[str, Any]]] = {}
        self._counts: dict[tuple[str, str], int] = {}
        self._sizes: dict[str, int] = {}
        self._days: dict[int, int | None] = {}
        self._sampled: dict[tuple[str, str], NDArray[np.int64]] = {}
        self._lock = threading.RLock()

    def served(self) -> ServedModel | None:
        """The served model whose vectors it has; None where it has none.

        Raises `ModelUnavailable` where they are of a model that this program cannot make out.
        """
        if not self.published.model:
            return None
        from ark_tui.embedding.served import ServedModel

        model = ServedModel.loaded(self.published.model)
        with self.place.explained():
            column = self.chunks.schema.field(rows.SERVED).type
        if model is None or model.dims not in range(1, column.list_size + 1):
            raise ModelUnavailable("the table's vectors are of a model that this version does not know")
        return model

    @property
    def indexed(self) -> bool:
        """Whether an index of vectors answers, and names what is to be compared."""
        return self.published.size > EXACT

    def rows(self, chunks: Iterable[int], columns: Sequence[str]) -> dict[int, dict[str, Any]]:
        """Chunks with what some columns have of them; one that is not there is left out."""
        wanted = [*dict.fromkeys(map(int, chunks))]
        kept = self._kept.setdefault(tuple(columns), {})
        whole = self._kept.get(READ, kept) if set(columns) <= set(READ) else kept
        with self._lock:
            known: dict[int, dict[str, Any] | None] = {
                chunk: kept.get(chunk, whole.get(chunk)) for chunk in wanted
            }
            if missing := [chunk for chunk, row in known.items() if row is None]:
                read = self._keep(columns, self.read(sql.among("chunk", missing), columns, len(missing)))
                found = {row["chunk"]: row for row in read}
                fresh = {chunk: found.get(chunk, {}) for chunk in missing}
                known |= fresh
                kept.update(fresh)
        return {chunk: row for chunk, row in known.items() if row}

    def read(self, where: str, columns: Sequence[str], limit: int) -> list[dict[str, Any]]:
        """Rows of which a condition is true."""
        with self.place.explained():
            query = self.chunks.search().limit(limit).select(_with_chunk(columns))
            return _listed((query.where(where) if where else query).to_arrow())

    def matching(
        self, leaves: Mapping[tuple[str, str], float], where: str, limit: int
    ) -> list[dict[str, Any]]:
        """Rows that have one of some terms, by Lance's own BM25, weighed, best first."""
        from lancedb.query import BooleanQuery, MatchQuery, Occur

        match: Any = MatchQuery  # whose types are those of its native half
        parts = [(Occur.SHOULD, match(term, field, boost=weight)) for (field, term), weight in leaves.items()]
        if not parts or limit <= 0:
            return []
        with self.place.explained():
            query = self.chunks.search(BooleanQuery(parts), query_type="fts").limit(limit)
            found = query.select([*READ, "_score"])
            found = (found.where(where, prefilter=True) if where else found).to_arrow()
        return self._keep(READ, _listed(found.drop_columns(["_score"])))

    def nearest(self, column: str, vector: NDArray[np.float32], count: int, where: str) -> NDArray[np.int64]:
        """The chunks whose vectors have the highest products with one, best first."""
        if count <= 0:
            return np.empty(0, np.int64)
        with self.place.explained():
            wide = np.pad(vector, (0, rows.width(len(vector)) - len(vector)))
            query = self.chunks.search(wide, vector_column_name=column).distance_type("dot").limit(count)
            if self.indexed:
                query = query.nprobes(CELLS).refine_factor(-(-LOOKED_AT // count))
            else:
                query = query.bypass_vector_index()
            query = query.where(where, prefilter=True) if where else query
            found = query.select(["chunk", column, "_distance"]).to_arrow()
        kept = found.drop_columns(["_distance"])
        self._keep((column,), _listed(kept))
        return np.asarray(kept["chunk"].to_numpy(), np.int64)

    def count(self, where: str) -> int:
        """How many rows a condition is true of; asked once."""
        if (known := self._sizes.get(where)) is None:
            if len(self._sizes) > SAMPLES:
                self._sizes = {}
            with self.place.explained():
                known = self._sizes[where] = int(self.chunks.count_rows(where or None))
        return known

    def narrowing(self, where: str) -> str:
        """A condition; none where it is true of all rows, so that they need not be read for it."""
        return where if where and self.count(where) < self.published.size else ""

    def knows(self, field: str, term: str) -> bool:
        """Whether it was read in how many chunks a term of a field is."""
        return (field, term) in self._counts

    def look_up(self, terms: Iterable[tuple[str, str]]) -> None:
        """Read in how many chunks terms of fields are, all in one request."""
        if missing := [*{one for one in terms if one not in self._counts}]:
            quoted = ", ".join(sql.quoted(f"{field} {term}") for field, term in missing)
            listed = self._counted(f"key IN ({quoted})", len(missing))
            found = {(field, term): count for field, term, count in listed}
            self._counts |= {one: found.get(one, 0) for one in missing}  # in one step

    def counts(self, field: str, terms: Collection[str]) -> Mapping[str, int]:
        """In how many chunks terms of a field are."""
        self.look_up((field, term) for term in terms)
        return {term: self._counts[field, term] for term in terms}

    def beginning(self, field: str, prefix: str, limit: int) -> list[tuple[str, int]]:
        """Terms of a field that begin like this, each with how many chunks have it, in their order."""
        first = sql.quoted(f"{field} {prefix}")
        end = sql.quoted(f"{field} {prefix}\U0010ffff")
        found = [(term, count) for _, term, count in self._counted(f"key >= {first} AND key < {end}", None)]
        return sorted(found)[:limit]

    def _counted(self, where: str, limit: int | None) -> Iterable[tuple[str, str, int]]:
        with self.place.explained():
            query = self._terms.search().where(where).select(["key", "count"])
            found = (query.limit(limit) if limit else query.limit(1 << 24)).to_arrow()
        for key, count in zip(found["key"].to_pylist(), found["count"].to_pylist(), strict=True):
            field, _, term = key.partition(" ")
            yield field, term, count

    def part(self, name: str) -> NDArray[Any] | None:
        """What all chunks share, by its name; None where there is no such thing."""
        key = self.published.parts.get(name)
        if key is None:
            return None
        if key not in self._parts:
            self._parts[key] = self.place.part(key)
        return self._parts[key]

    def firsts(self, chunks: Sequence[int]) -> list[int]:
        """For each chunk the first of those that say the same: itself, if it repeats none."""
        found = self.rows(chunks, PLACED)
        return [found[chunk]["first"] if chunk in found else chunk for chunk in chunks]

    def days(self, documents: Collection[int]) -> dict[int, int | None]:
        """The dates of documents, in days since 1970; most are known from what was read already."""
        if missing := [number for number in documents if number not in self._days]:
            where = sql.among("document", missing)
            for row in self.read(where, ("document", "day"), self.published.size):
                self._days[row["document"]] = row["day"]
        return {number: self._days[number] for number in documents if number in self._days}

    def sample(self, column: str, where: str, limit: int) -> NDArray[np.int64]:
        """The chunks that a condition is true of, with their vectors read; asked once."""
        key = column, where
        if key not in self._sampled:
            if len(self._sampled) > SAMPLES:
                self._sampled.clear()
            found = self._keep((column,), self.read(where, (column,), limit))
            self._sampled[key] = np.sort(np.array([row["chunk"] for row in found], np.int64))
        return self._sampled[key]

    def _keep(self, columns: Sequence[str], found: list[dict[str, Any]]) -> list[dict[str, Any]]:
        kept = self._kept.setdefault(tuple(columns), {})
        if len(kept) > KEPT:
            kept.clear()
        kept.update((row["chunk"], row) for row in found)
        if "day" in columns:
            self._days.update((row["document"], row["day"]) for row in found)
        return found


class Source:
    """Opens what is in force at a place, for both indexes of a search. Thread-safe."""

    def __init__(self, place: Place, clock: Callable[[], float] = time.monotonic) -> None:
        self.place = place
        self._clock = clock
        self._looked = float("-inf")
        self._snapshot: Snapshot | None = None
        self._parts: dict[str, NDArray[Any]] = {}
        self._opening = threading.Lock()

    def refresh(self) -> Snapshot | None:
        """The version in force; None where nothing is published. Raises `StoreError`."""
        with self._opening:
            if self._clock() - self._looked >= LOOK_EVERY:
                published = self.place.published()
                if published is None:
                    self._snapshot = None
                elif self._snapshot is None or self._snapshot.published != published:
                    self._snapshot = Snapshot(self.place, published, self._parts)
                self._looked = self._clock()
            return self._snapshot

    def firsts(self, chunks: Sequence[int]) -> list[int]:
        """For each chunk the first of those that say the same."""
        snapshot = self.refresh()
        return snapshot.firsts(chunks) if snapshot else [*chunks]


def _with_chunk(columns: Sequence[str]) -> list[str]:
    return [*dict.fromkeys(("chunk", *columns))]


def _listed(found: Any) -> list[dict[str, Any]]:
    """Rows as dictionaries, those of vectors as arrays."""
    columns: dict[str, Sequence[Any]] = {}
    for name in found.column_names:
        column = found[name].combine_chunks()
        if name in (*rows.VECTORS, rows.SERVED):
            flat = column.flatten().to_numpy(zero_copy_only=False)
            there = column.is_valid().to_numpy(zero_copy_only=False)
            spread = np.zeros((len(there), column.type.list_size), flat.dtype)
            spread[there] = flat.reshape(-1, column.type.list_size)
            columns[name] = [one if held else None for one, held in zip(spread, there, strict=True)]
        else:
            columns[name] = column.to_pylist()
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
