"""A corpus published as a LanceDB table at a URI, and searches of it by LanceDB.

```
corpus     a row per chunk: as in a home's vector table, plus title, heading, text and display data
current    one row: the current version of `corpus`, and its home
```

A reader opens the version named in `current`, which is kept for an hour after it was superseded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from ark_tui.domain import failures
from ark_tui.domain.errors import ArkError, Hint, StoreError
from ark_tui.domain.failures import NO_ANSWER, NO_BUCKET, REFUSED, of_disk
from ark_tui.index.sql import among
from ark_tui.index.vectors.rows import row
from ark_tui.index.vectors.table import KEPT, KEYS, arrow, driver, fields, index_vectors
from ark_tui.index.words import cards

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ark_tui.domain.documents import LiveChunk
    from ark_tui.domain.protocols import Matrix
    from ark_tui.domain.query import Mode
    from ark_tui.index.protocols import Vector
    from ark_tui.store.changes import Identity
    from ark_tui.store.found import Found

CORPUS, CURRENT = "corpus", "current"
TITLE_BOOST = 2.0  # boost of a title match relative to a text match
INDEXED_FROM = 5_000  # minimum rows for a vector index; smaller tables are searched exhaustively
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

    def record(self) -> Record | None:
        """The current record; None if nothing was published."""
        if CURRENT not in self.place.names():
            return None
        with self.place.explained():
            (found,) = self.place.table(CURRENT).search().limit(1).to_list()
            return Record(**json.loads(found["told"]))

    # -- writing -----------------------------------------------------------------------------------

    def begin(self, identity: Identity, model: str, dims: int, *, anew: bool = False) -> Record:
        """Prepare the location for a home. Raises `StoreError` if another home publishes there."""
        old = self.record()
        if old and old.store != identity.store:
            raise StoreError(
                f"The table at {self.place.uri} was published by another home.", "Name another place."
            )
        new = Record(identity.store, identity.epoch, model, dims)
        if old and not anew and old.change and (old.epoch, old.model, old.dims) == (new.epoch, model, dims):
            return old
        self._put(new)
        with self.place.explained():
            self.place.database().create_table(CORPUS, schema=_schema(dims), mode="overwrite")
        return new

    def write(self, record: Record, chunks: Sequence[LiveChunk], vectors: Matrix) -> None:
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

    def finish(self, record: Record, change: int) -> Record:
        """Update the indexes and make the written version current."""
        table = self.place.table(CORPUS)
        with self.place.explained():
            _index(table)
            size, version = int(table.count_rows()), int(table.version)
        done = replace(record, change=change, size=size, version=version)
        self._put(done)
        return done

    def squeeze(self) -> None:
        """Permanently delete all superseded versions, even if in use by readers."""
        for name in (CORPUS, CURRENT):
            with self.place.explained():
                self.place.table(name).optimize(
                    cleanup_older_than=timedelta(milliseconds=1), delete_unverified=True
                )

    def _put(self, record: Record) -> None:
        """Replace the row of `current`."""
        import pyarrow as pa

        one = pa.Table.from_pylist([{"told": json.dumps(asdict(record))}])
        with self.place.explained():
            self.place.database().create_table(CURRENT, one, mode="overwrite")

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
    index_vectors(table, ("chunk",), vectors=table.count_rows() >= INDEXED_FROM)
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


REMOTE: Mapping[str, str] = {
    "connect_timeout": "3s", "timeout": "20s", "client_max_retries": "4", "client_retry_timeout": "10",
}  # fmt: skip
"""Timeouts and retries of the client for each request."""

CONNECTING = 10.0  # timeout in seconds for connecting, with retries
BUCKET = "Make the bucket, or name another place."
LATER = "Check the network and try again: nothing is lost, and the next run publishes what is missing."
CAUSES = (
    (NO_BUCKET, "has no such bucket", BUCKET),
    (REFUSED, "refused access", failures.KEYS),
    (NO_ANSWER, "cannot be reached", LATER),
)
"""Patterns of the client's error messages, each with our message and a hint."""


class Damaged(StoreError):
    """The location responds, but its tables cannot be read."""


class Place:
    """The tables at a URI. Raises `StoreError` with the reason if it cannot be read or written."""

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self._database: Any = None

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Convert errors of the client to `StoreError` messages without secrets."""
        try:
            yield
        except ArkError:
            raise
        except (ValueError, OSError, RuntimeError) as error:
            self._database = None
            raise self._failure(error) from None  # its text may contain secrets
        except BaseException as error:
            if type(error).__name__ == "PanicException":  # from pyo3, which exports no class to catch
                raise self._damaged() from error
            raise

    def table(self, name: str, version: int | None = None) -> Any:
        """Open an existing table, at a version if given."""
        with self.explained():
            table = self.database().open_table(name)
            if version is not None:
                table.checkout(version)
            return table

    def names(self) -> Sequence[str]:
        """The names of the tables."""
        with self.explained():
            return list(self.database().list_tables().tables)

    def drop(self, name: str) -> None:
        """Delete a table."""
        with self.explained():
            self.database().drop_table(name)

    def database(self) -> Any:
        """The client's connection. Raises the client's errors; `explained` converts them."""
        if self._database is None:
            self._database = self._connected() if "://" in self.uri else driver().connect(self.uri)
        return self._database

    def _connected(self) -> Any:
        """Connect within `CONNECTING` seconds; the client itself would retry for more than a minute."""
        options = {} if self.uri.startswith("db://") else {"storage_options": dict(REMOTE)}
        answer = SimpleQueue[Any]()

        def connect() -> None:
            try:
                answer.put(driver().connect(self.uri, **options))
            except BaseException as error:  # noqa: BLE001 - passed to the waiting thread
                answer.put(error)

        Thread(target=connect, name="connecting", daemon=True).start()
        try:
            found = answer.get(timeout=CONNECTING)
        except Empty:
            raise TimeoutError("timed out") from None
        if isinstance(found, BaseException):
            raise found
        return found

    def _failure(self, error: BaseException) -> StoreError:
        if "://" not in self.uri and (failure := of_disk(error, self.uri)):
            return failure
        for pattern, what, hint in CAUSES:
            if re.search(pattern, str(error)):
                return StoreError(f"The place of the table {self.uri} {what}.", hint)
        return self._damaged()

    def _damaged(self) -> Damaged:
        return Damaged(
            f"The table at {self.uri} cannot be read.",
            Hint.run("export table", self.uri, anew=True, say="Publish it again from its home: {}"),
        )
