"""A corpus published as a LanceDB table at a URI, and searches of it by LanceDB.

```
corpus     a row per chunk: as in a home's vector table, plus title, heading, text and display data
current    one row: the current version of `corpus`, its owner, and the active publisher
```

`current` is updated by compare-and-swap, so only one of two concurrent publishers succeeds. A reader opens
the version named there, which is kept for an hour after it was superseded.
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from ark_tui.domain.errors import StoreError
from ark_tui.index.place import Place
from ark_tui.index.sql import among
from ark_tui.index.vectors.rows import row
from ark_tui.index.vectors.table import KEPT, KEYS, arrow, driver, fields
from ark_tui.index.words import cards

if TYPE_CHECKING:
    from ark_tui.domain.documents import LiveChunk
    from ark_tui.domain.protocols import Matrix
    from ark_tui.domain.query import Mode
    from ark_tui.index.protocols import Vector
    from ark_tui.store.changes import Identity
    from ark_tui.store.found import Found

CORPUS, CURRENT = "corpus", "current"
SILENT = 300.0  # seconds without a batch after which a publisher's claim expires
TITLE_BOOST = 2.0  # boost of a title match relative to a text match
INDEXED_FROM = 5_000  # minimum rows for a vector index; smaller tables are searched exhaustively
UNINDEXED = 16  # the vector index is rebuilt if more than 1 / UNINDEXED of the rows are new
BITS = 4  # per dimension in the vector index
CELLS = 1 << 10  # searched partitions of the vector index: all
REFINE = 4  # multiple of the requested rows that is re-scored exactly


@dataclass(frozen=True, slots=True)
class Record:
    """The published state at a location. `model`: the served model of the vectors as JSON; empty: static."""

    store: str
    epoch: str
    model: str
    dims: int
    change: int = 0  # the last published change of the home
    version: int = 0  # of the table
    size: int = 0  # chunks
    publisher: str = ""  # the active publisher; empty if none
    renewed: float = 0.0  # the publisher's last write, in seconds since 1970


@dataclass(frozen=True, slots=True)
class Match:
    """A chunk found by LanceDB, with its score."""

    number: int
    found: Found
    score: float


class PublishedTable:
    """The published table at a location. Raises `StoreError`."""

    def __init__(self, uri: str) -> None:
        self.place = Place(uri)
        self._serial = 0

    def record(self) -> Record | None:
        """The current record; None if nothing was published."""
        if CURRENT not in self.place.names():
            return None
        with self.place.explained():
            (found,) = self.place.table(CURRENT).search().limit(1).to_list()
            self._serial = int(found["serial"])
            return Record(**json.loads(found["told"]))

    # -- writing -----------------------------------------------------------------------------------

    def begin(self, identity: Identity, model: str, dims: int, *, anew: bool = False) -> Record:
        """Claim the location for a home. Raises `StoreError` if claimed by another home or process."""
        old, me = self.record(), f"{platform.node()} {os.getpid()}"
        if old and old.store != identity.store:
            raise StoreError(
                f"The table at {self.place.uri} was published by another home.", "Name another place."
            )
        if old and old.publisher not in {"", me} and time.time() - old.renewed < SILENT:
            raise StoreError(
                f"{old.publisher.partition(' ')[0]} is publishing at {self.place.uri} now.",
                "Try again when it is done.",
            )
        new = Record(identity.store, identity.epoch, model, dims, publisher=me)
        if old and not anew and (old.epoch, old.model, old.dims) == (new.epoch, new.model, new.dims):
            new = replace(old, publisher=me)
        self._put(new)
        if not new.change:
            with self.place.explained():
                self.place.database().create_table(CORPUS, schema=_schema(dims), mode="overwrite")
        return new

    def write(self, record: Record, chunks: Sequence[LiveChunk], vectors: Matrix) -> Record:
        """Write changes with their vectors, `(len(chunks), dims)`; zeros for a missing vector."""
        alive = [at for at, chunk in enumerate(chunks) if not chunk.gone]
        gone = [chunk.number for chunk in chunks if chunk.gone]
        table = self.place.table(CORPUS)
        with self.place.explained():
            if alive:
                merge = table.merge_insert("chunk").when_matched_update_all().when_not_matched_insert_all()
                merge.execute(_rows([chunks[at] for at in alive], vectors[alive], record.dims))
            if gone:
                table.delete(among("chunk", gone))
        return self._put(replace(record, renewed=time.time()))

    def finish(self, record: Record, change: int) -> Record:
        """Update the indexes and make the written version current."""
        table = self.place.table(CORPUS)
        with self.place.explained():
            _index(table)
            size, version = int(table.count_rows()), int(table.version)
        return self._put(replace(record, change=change, size=size, version=version, publisher=""))

    def give_up(self, record: Record) -> None:
        """Release the claim after an aborted publication."""
        with suppress(StoreError):
            self._put(replace(record, publisher=""))

    def squeeze(self) -> None:
        """Permanently delete all superseded versions, even if in use by readers."""
        for name in (CORPUS, CURRENT):
            with self.place.explained():
                self.place.table(name).optimize(
                    cleanup_older_than=timedelta(milliseconds=1), delete_unverified=True
                )

    def _put(self, record: Record) -> Record:
        """Replace the row of `current`. Raises `StoreError` if another process replaced it."""
        import pyarrow as pa

        record = replace(record, renewed=time.time())
        row = {"key": CURRENT, "told": json.dumps(asdict(record)), "serial": self._serial + 1}
        one = pa.Table.from_pylist([row])
        with self.place.explained():
            if CURRENT not in self.place.names():
                with suppress(ValueError):  # created by another process: the condition below decides
                    self.place.database().create_table(CURRENT, schema=one.schema)
            merge = self.place.table(CURRENT).merge_insert("key")
            merge = merge.when_matched_update_all(where=f"target.serial = {self._serial}")
            done = (merge if self._serial else merge.when_not_matched_insert_all()).execute(one)
        if done.num_updated_rows + done.num_inserted_rows != 1:
            raise StoreError(
                f"Another process is publishing at {self.place.uri}.", "Try again when it is done."
            )
        self._serial += 1
        return record

    # -- searching ---------------------------------------------------------------------------------

    def search(
        self, record: Record, text: str, vector: Vector | None, where: str, limit: int, mode: Mode
    ) -> list[Match]:
        """The best chunks by LanceDB's full-text index, its vector index, or both fused by rank."""
        table = self.place.table(CORPUS, record.version)
        with self.place.explained():
            query = _asked(table, text, vector, mode)
            if where:
                query = query.where(where, prefilter=True)
            rows = query.limit(limit).to_list()
        return [Match(int(one["chunk"]), cards.read(one["card"]), _score(one)) for one in rows]


def _asked(table: Any, text: str, vector: Vector | None, mode: Mode) -> Any:
    """The LanceDB query; a keyword query without a vector."""
    from lancedb.query import FullTextOperator, MultiMatchQuery
    from lancedb.rerankers import RRFReranker

    columns = ["chunk", "card"]
    words = MultiMatchQuery(text, ["title", "text"], boosts=[TITLE_BOOST, 1.0], operator=FullTextOperator.OR)
    if vector is None or mode == "keyword":
        return table.search(words, query_type="fts").select([*columns, "_score"])
    if mode == "semantic":
        query = table.search(np.asarray(vector), query_type="vector").select([*columns, "_distance"])
    else:
        query = table.search(query_type="hybrid").vector(np.asarray(vector)).text(words)
        query = query.rerank(RRFReranker()).select(columns)
    return query.distance_type("dot").nprobes(CELLS).refine_factor(REFINE)


def _score(row: Mapping[str, Any]) -> float:
    for name in ("_relevance_score", "_score"):
        if name in row:
            return float(row[name])
    return 1.0 - float(row["_distance"])


def _index(table: Any) -> None:
    """Create or update LanceDB's indexes: full text, chunk numbers, and vectors if there are many."""
    index = driver().index
    there = {name for one in table.list_indices() for name in one.columns}
    for name in ("title", "text"):
        if name not in there:
            table.create_index(name, config=index.FTS(with_position=False))
    if "chunk" not in there:
        table.create_index("chunk", config=index.BTree())
    rows = table.count_rows()
    stats = table.index_stats("vector_idx") if "vector" in there else None
    if rows >= INDEXED_FROM and (stats is None or UNINDEXED * stats.num_unindexed_rows > rows):
        table.create_index("vector", config=index.IvfRq(distance_type="dot", num_bits=BITS), replace=True)
    table.optimize(cleanup_older_than=KEPT)


def _rows(chunks: Sequence[LiveChunk], vectors: Matrix, dims: int) -> Any:
    """The rows of chunks as an Arrow table."""
    import pyarrow as pa

    has: list[bool] = [bool(one.any()) for one in vectors]
    made = [row(chunk, embedded=one, alike=[]) for chunk, one in zip(chunks, has, strict=True)]
    plain = arrow(made, vectors, np.zeros((len(made), KEYS), np.uint64), dims)
    return pa.Table.from_arrays([*plain.columns, *_more(chunks)], schema=_schema(dims))


def _more(chunks: Iterable[LiveChunk]) -> list[Any]:
    import pyarrow as pa

    chunks = list(chunks)
    return [
        pa.array([chunk.title for chunk in chunks], pa.string()),
        pa.array([f"{chunk.heading}\n{chunk.text}" if chunk.heading else chunk.text for chunk in chunks]),
        pa.array([cards.write(chunk) for chunk in chunks], pa.binary()),
    ]


def _schema(dims: int) -> Any:
    import pyarrow as pa

    more = [pa.field("title", pa.string()), pa.field("text", pa.string()), pa.field("card", pa.binary())]
    return pa.schema([*fields(dims), *more])
