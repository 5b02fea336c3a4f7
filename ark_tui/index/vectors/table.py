"""One LanceDB table for each model: a row for every chunk, with its vector and what filters ask for.

`vectors/<fingerprint>.lance` is written by LanceDB. Beside its own files lie `mark.json` (the last change of
the store that is in it), `seals.json` (checksums of the files) and `model.json` (which model it is).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache, partial
from importlib.util import find_spec, module_from_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from ark_tui.domain.errors import IndexDamaged
from ark_tui.index import seal
from ark_tui.index.sql import among
from ark_tui.settings.home import remove

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Matrix

SUFFIX = ".lance"
SEALS = "seals.json"
UNSEALED = (
    "mark.json",
    "model.json",
    SEALS,
    "recall.json",
    "pace.json",
    "_versions/latest_version_hint.json",
)
"""Files in the folder that are written again and again."""

KEPT = timedelta(hours=1)  # how long an earlier version stays for those who read it
FEW = 10_000  # chunks whose rows are looked up by their numbers; for more all rows are read
LEAST = 10_000  # vectors of texts that are gone that are kept in any case
FRAGMENTS = 20  # appends after which the table is compacted
CLIENTS = ("lance_namespace_urllib3_client", "lance_namespace_urllib3_client.models")
"""Clients of servers of tables, which we do not call: most of what importing costs."""
NO_DAY = -(2**31)
NO_CHUNK = -1  # in place of the number of a chunk that is gone, whose vector is kept to be used again
KEYS = 6  # see `duplicates`


@cache
def driver() -> Any:
    """The module lancedb. Importing it takes a quarter of a second."""
    os.environ.setdefault("LANCEDB_LOG", "error")
    for name in CLIENTS:
        _defer(name)
    import lancedb
    import lancedb.index  # named by those who build one

    return lancedb


class _Deferred(type):
    """A class of a deferred package: called, or asked for an attribute, it is the package's own."""

    def __call__(cls, *values: Any, **named: Any) -> Any:
        return cls.load()(*values, **named)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):  # what annotations ask of each class
            raise AttributeError(name)
        return getattr(cls.load(), name)


def _defer(name: str) -> None:
    """Load a package when one of its classes is used, not when it is named; its modules can be imported."""
    spec = find_spec(name) if name not in sys.modules else None
    if spec is None or spec.loader is None:
        return
    package = sys.modules[name] = module_from_spec(spec)
    load = cache(partial(spec.loader.exec_module, package))

    def named(attribute: str) -> Any:
        if not attribute[0].isupper():  # no class
            raise AttributeError(attribute)

        def loaded() -> Any:
            load()
            return package.__dict__[attribute]

        return _Deferred(attribute, (), {"load": staticmethod(loaded)})

    package.__dict__["__getattr__"] = named


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Some texts by their 32-digit hashes, with `(n, dims)` vectors."""

    hashes: tuple[str, ...]
    vectors: Matrix


def hash_keys(hashes: Iterable[str]) -> NDArray[np.int64]:
    """The first 64 bits of text hashes. Two of a million texts share them once in forty million corpora."""
    return np.array([int(value[:16], 16) for value in hashes], np.uint64).view(np.int64)


class VectorTable:
    """The table of one model. Raises `IndexDamaged` where it cannot be read.

    One thread writes; others may read. `dims`: of the vectors.
    """

    def __init__(self, folder: Path, dims: int) -> None:
        """`folder`: that of the table, whose name ends in `.lance`."""
        self.folder = folder
        self.dims = dims
        self._table: Any = None

    @property
    def sealed(self) -> bool:
        """Whether there was a whole table once."""
        return (self.folder / SEALS).exists()

    def exists(self) -> bool:
        """Whether there is a table; imports nothing."""
        return (self.folder / "_versions").is_dir()

    @property
    def lance(self) -> Any:
        """LanceDB's own table, made where there is none."""
        if self._table is None:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            database = driver().connect(self.folder.parent)
            name = self.folder.name.removesuffix(SUFFIX)
            self._table = (
                database.open_table(name)
                if self.exists()
                else database.create_table(name, schema=self.schema)
            )
        return self._table

    @property
    def schema(self) -> Any:
        """The Arrow schema of a row."""
        return _schema(self.dims)

    def refresh(self) -> None:
        """See what others have written."""
        if self._table is not None:
            self._table.checkout_latest()

    def close(self) -> None:
        self._table = None

    def count(self, where: str | None = None) -> int:
        """How many rows fulfil a condition."""
        with seal.guarded("vector"):
            return int(self.lance.count_rows(where)) if self.exists() else 0

    def columns(self, names: Sequence[str], where: str = "") -> Any:
        """Some columns of the rows that fulfil a condition, as an Arrow table."""
        with seal.guarded("vector"):
            query = self.lance.search()
            return (query.where(where) if where else query).select(list(names)).to_arrow()

    def vectors(self, where: str, key: str = "chunk") -> tuple[NDArray[np.int64], Matrix]:
        """The vectors of rows, normalised, and what a column of numbers has beside them."""
        rows = self.columns([key, "vector"], where)
        return rows[key].to_numpy(), self.matrix(rows["vector"])

    def these(self, chunks: Iterable[int]) -> str:
        """The condition that a row is of one of these chunks and has a vector."""
        return f"embedded AND {among('chunk', chunks)}"

    def rows_of(self, chunks: NDArray[np.int64]) -> Matrix:
        """The vectors of chunks, in their order, zeros for one without."""
        found = np.zeros((len(chunks), self.dims), np.float32)
        if len(chunks):
            few = len(chunks) <= FEW
            numbers, rows = self.vectors(self.these(chunks.tolist()) if few else "embedded AND chunk > 0")
            order = np.argsort(numbers)
            at = np.searchsorted(numbers, chunks, sorter=order).clip(max=max(len(numbers) - 1, 0))
            at = order[at] if len(numbers) else at
            there = numbers[at] == chunks if len(numbers) else np.zeros(len(chunks), bool)
            found[there] = rows[at[there]]
        return found

    def matrix(self, column: Any) -> Matrix:
        """A column of vectors as `(n, dims)` float32 rows of unit length, zeros where there is no vector."""
        flat = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
        wide: Matrix = flat.reshape(-1, self.dims).astype(np.float32)
        lengths = np.linalg.norm(wide, axis=1, keepdims=True)
        lengths[lengths == 0] = 1
        wide /= lengths
        return wide

    def write(self, rows: Any, *, new: bool) -> None:
        """Put rows in place of those of the same chunks; `new`: there are none of these."""
        with seal.guarded("vector"):
            if new:
                self.lance.add(rows)
            else:
                merge = self.lance.merge_insert("chunk")
                merge.when_matched_update_all().when_not_matched_insert_all().execute(rows)

    def remove(self, chunks: Sequence[int], keep: Sequence[int]) -> None:
        """Remove chunks; the vectors of those to `keep` stay, for the same text to use again."""
        gone = {"chunk": NO_CHUNK, "document": NO_CHUNK, "path": "", "collection": "", "source": ""}
        with seal.guarded("vector"):
            if keep:
                self.lance.update(where=self.these(keep), values=gone)
            if chunks:
                self.lance.delete(among("chunk", chunks))

    def reuse(self, hashes: Sequence[int]) -> None:
        """Remove the vectors that were kept of texts, since chunks have them again."""
        with seal.guarded("vector"):
            self.lance.delete(f"chunk = {NO_CHUNK} AND {among('hash', hashes)}")

    def retain(self, column: str, values: NDArray[np.int64]) -> int:
        """Keep the rows that have one of these values, and no byte of the others; returns how many went.

        All is written anew: LanceDB leaves a deleted row in its file.
        """
        import pyarrow as pa

        def kept(batch: Any) -> Any:
            return batch.filter(pa.array(np.isin(batch.column(column).to_numpy(), values)))

        if not self.exists():
            return 0
        with seal.guarded("vector"):
            before, self.dims = self.count(), int(self.lance.schema.field("vector").type.list_size)
            self._rewrite(kept)
            return before - self.count()

    def _rewrite(self, keep: Callable[[Any], Any]) -> None:
        import pyarrow as pa

        schema, source = self.schema, self.lance

        def kept() -> Iterator[Any]:
            for batch in source.search().to_batches():
                rows = keep(batch)
                yield pa.RecordBatch.from_arrays([rows.column(name) for name in schema.names], schema=schema)

        name = self.folder.name.removesuffix(SUFFIX)
        rows = pa.RecordBatchReader.from_batches(schema, kept())
        self._table = driver().connect(self.folder.parent).create_table(name, rows, mode="overwrite")
        self._table.optimize(cleanup_older_than=timedelta(milliseconds=1), delete_unverified=True)

    def forget_chunks(self) -> None:
        """Keep the vectors by the hashes of their texts only: the chunks are about to be numbered anew."""
        import pyarrow as pa
        import pyarrow.compute as pc

        def anonymous(batch: Any) -> Any:
            batch = batch.filter(pc.field("embedded"))
            for name in ("chunk", "document"):
                at = batch.schema.get_field_index(name)
                gone = pa.array(np.full(batch.num_rows, NO_CHUNK, np.int64))
                batch = batch.set_column(at, batch.schema.field(at), gone)
            return batch

        with seal.guarded("vector"):
            self._rewrite(anonymous)

    def tidy(self) -> None:
        """Compact what many appends have left and remove versions that nobody reads any more.

        Vectors of texts that are gone are dropped when they outnumber the others.
        """
        with seal.guarded("vector"):
            if 2 * self.lance.count_rows(f"chunk = {NO_CHUNK}") > self.lance.count_rows() + LEAST:
                self.lance.delete(f"chunk = {NO_CHUNK}")
            fragments = self.lance.stats()["fragment_stats"]
            if fragments["num_fragments"] > FRAGMENTS:
                self.lance.optimize(cleanup_older_than=KEPT)

    def drop(self) -> None:
        """Delete the table and every file beside it but the one that says whose it is."""
        self._table = None
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if path.name != "model.json":
                remove(path)

    def seal(self) -> None:
        """Note the checksums of the files; those that were noted are not read again."""
        names = (str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file())
        listed = sorted(name for name in names if name not in UNSEALED)
        before = seal.read(self.folder / SEALS) or {}
        seal.write(self.folder / SEALS, seal.sealed(self.folder, listed, before))

    def sound(self, *, thorough: bool = False) -> bool:
        """Whether there is a table and its files are as they were sealed; `thorough`: every byte is read.

        LanceDB removes files of superseded versions, and a killed process leaves files without a seal:
        neither is a fault where the table opens.
        """
        seals = seal.read(self.folder / SEALS)
        if seals is None or not self.exists():
            return False
        whole = all((self.folder / name).exists() for name in seals)
        return not self._fault(thorough=thorough) and (whole or self._opens())

    def readable(self) -> bool:
        """Whether every vector can be read, and no file that was sealed is damaged."""
        return self.exists() and not self._fault(thorough=True) and self._opens()

    def _fault(self, *, thorough: bool) -> str:
        seals = seal.read(self.folder / SEALS) or {}
        there = {name: held for name, held in seals.items() if (self.folder / name).exists()}
        return seal.fault(self.folder, there, thorough=thorough)

    def _opens(self) -> bool:
        try:
            self.columns(["chunk", "vector"])
        except IndexDamaged:
            return False
        return True


def arrow(rows: Sequence[dict[str, Any]], vectors: Matrix, keys: NDArray[np.uint64], dims: int) -> Any:
    """Rows as an Arrow table: their columns, and side by side with them vectors and keys."""
    import pyarrow as pa

    schema = _schema(dims)
    plain = pa.Table.from_pylist(
        list(rows), pa.schema([f for f in schema if f.name not in ("vector", "keys")])
    )
    wide = pa.FixedSizeListArray.from_arrays(pa.array(vectors.astype(np.float16).ravel()), dims)
    keyed = pa.FixedSizeListArray.from_arrays(pa.array(keys.view(np.int64).ravel()), KEYS)
    columns = {**{name: plain[name] for name in plain.column_names}, "vector": wide, "keys": keyed}
    return pa.Table.from_arrays([columns[name] for name in schema.names], schema=schema)


@cache
def _schema(dims: int) -> Any:
    import pyarrow as pa

    return pa.schema(fields(dims))


def fields(dims: int) -> list[Any]:
    """The columns of a row, as Arrow fields."""
    import pyarrow as pa

    numbers, texts = pa.int64(), pa.string()
    return [
        *(pa.field(name, numbers) for name in ("chunk", "document", "hash", "change", "since")),
        *(pa.field(name, pa.int32()) for name in ("ordinal", "place", "day")),
        *(pa.field(name, texts) for name in ("collection", "path", "tier", "type", "layer", "source")),
        *(pa.field(name, pa.bool_()) for name in ("embedded", "superseded")),
        pa.field("tags", pa.list_(texts)),
        pa.field("alike", pa.list_(numbers)),
        pa.field("keys", pa.list_(numbers, KEYS)),
        pa.field("vector", pa.list_(pa.float16(), dims)),
    ]  # fmt: skip
