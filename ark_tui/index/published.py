"""A corpus published as a LanceDB table at a URI, and searches of it by LanceDB itself.

```
corpus     a row for each chunk: as in a home's vector table, with title, heading, text and what a hit shows
current    one row: which version of `corpus` is in force, whose it is, and who is publishing
```

`current` is replaced only where it is as it was read, so that of two publishers one is refused. A reader
opens the version that it names, which stays for an hour after it was superseded.
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
SILENT = 300.0  # seconds without a batch after which a publisher is taken to have ended
TITLE_BOOST = 2.0  # of a match in a title against one in a text
INDEXED_FROM = 5_000  # rows from which on vectors are indexed; fewer are all compared
UNINDEXED = 16  # one in so many rows may be new before the vectors are indexed again
BITS = 4  # of a dimension in that index
CELLS = 1 << 10  # of the index of vectors that are looked through: all
REFINE = 4  # times as many rows as asked for are compared exactly


@dataclass(frozen=True, slots=True)
class Record:
    """What is in force at a place. `model`: the served model of the vectors as JSON; empty: static."""

    store: str
    epoch: str
    model: str
    dims: int
    change: int = 0  # of the home, up to which it is published
    version: int = 0  # of the table
    size: int = 0  # chunks
    publisher: str = ""  # who is writing now; empty for nobody
    renewed: float = 0.0  # when the publisher last wrote, in seconds since 1970


@dataclass(frozen=True, slots=True)
class Match:
    """A chunk that LanceDB found, with its score; best first."""

    number: int
    found: Found
    score: float


class PublishedTable:
    """The table at a place. Raises `StoreError`."""

    def __init__(self, uri: str) -> None:
        self.place = Place(uri)
        self._serial = 0

    def record(self) -> Record | None:
        """What is in force; None where nothing was published."""
        if CURRENT not in self.place.names():
            return None
        with self.place.explained():
            (found,) = self.place.table(CURRENT).search().limit(1).to_list()
            self._serial = int(found["serial"])
            return Record(**json.loads(found["told"]))

    # -- writing -----------------------------------------------------------------------------------

    def begin(self, identity: Identity, model: str, dims: int, *, anew: bool = False) -> Record:
        """Claim the place for a home. Raises `StoreError` where another home or process has it."""
        old, me = self.record(), f"{platform.node()} {os.getpid()}"
        if old and old.store != identity.store:
            raise StoreError(
                f"The table at {self.place.uri} was published by another home.", "Name another place."
            )
        if old and old.publisher not in {"", me} and time.time() - old.renewed < SILENT:
            raise StoreError(
                f"{old.publisher.partition(' ')[0]} is publishing at {self.place.uri} now.",
                "Try again when it is done; what is missing there is published then.",
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
        """Write changes with their vectors, `(len(chunks), dims)`, zeros where there is none."""
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
        """Bring the indexes up to date and put what was written in force."""
        table = self.place.table(CORPUS)
        with self.place.explained():
            _index(table)
            size, version = int(table.count_rows()), int(table.version)
        return self._put(replace(record, change=change, size=size, version=version, publisher=""))

    def give_up(self, record: Record) -> None:
        """Let others publish, where this was broken off."""
        with suppress(StoreError):
            self._put(replace(record, publisher=""))

    def squeeze(self) -> None:
        """Remove every byte of superseded versions, though others may be reading them."""
        for name in (CORPUS, CURRENT):
            with self.place.explained():
                self.place.table(name).optimize(
                    cleanup_older_than=timedelta(milliseconds=1), delete_unverified=True
                )

    def _put(self, record: Record) -> Record:
        """Replace the row of `current`; raises `StoreError` where another process has done so meanwhile."""
        import pyarrow as pa

        record = replace(record, renewed=time.time())
        row = {"key": CURRENT, "told": json.dumps(asdict(record)), "serial": self._serial + 1}
        one = pa.Table.from_pylist([row])
        with self.place.explained():
            if CURRENT not in self.place.names():
                with suppress(ValueError):  # another process has made it: the condition below decides
                    self.place.database().create_table(CURRENT, schema=one.schema)
            merge = self.place.table(CURRENT).merge_insert("key")
            merge = merge.when_matched_update_all(where=f"target.serial = {self._serial}")
            done = (merge if self._serial else merge.when_not_matched_insert_all()).execute(one)
        if done.num_updated_rows + done.num_inserted_rows != 1:
            raise StoreError(
                f"Another process has begun to publish at {self.place.uri}.", "Try again when it is done."
            )
        self._serial += 1
        return record

    # -- searching ---------------------------------------------------------------------------------

    def search(
        self, record: Record, text: str, vector: Vector | None, where: str, limit: int, mode: Mode
    ) -> list[Match]:
        """The best chunks by LanceDB: its full-text index, the vectors, or both fused by rank."""
        table = self.place.table(CORPUS, record.version)
        with self.place.explained():
            query = _asked(table, text, vector, mode)
            if where:
                query = query.where(where, prefilter=True)
            rows = query.limit(limit).to_list()
        return [Match(int(one["chunk"]), cards.read(one["card"]), _score(one)) for one in rows]


def _asked(table: Any, text: str, vector: Vector | None, mode: Mode) -> Any:
    """The query for LanceDB; by words where there is no vector."""
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
    """Build or renew LanceDB's indexes: of words, of chunk numbers, and of vectors where there are many."""
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
