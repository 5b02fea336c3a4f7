"""The LanceDB table of a model: a row per chunk, with its vector and the columns for filters.

`vectors/<fingerprint>.lance` is written by LanceDB. Its folder also contains `mark.json` (the last included
change of the store), `seals.json` (checksums of the files) and `model.json` (the model).
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
from ark_tui.settings.home import read_checked, remove, write_checked

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
    "pace.json",
    "recall.json",
    "_versions/latest_version_hint.json",
)
"""Files in the folder that are rewritten and therefore not sealed."""

KEPT = timedelta(hours=1)  # how long earlier versions are kept for readers
FEW = 10_000  # maximum chunks looked up by number; for more, all rows are read
LEAST = 10_000  # vectors of deleted texts that are always kept
AT_ONCE = (
    200_000  # rows of a batch that is read; with LanceDB's default, 100,000 rows take three times as long
)
VECTORS_AT_ONCE = 8_192  # vectors of a batch: many at once would take as much memory again, and longer
FRAGMENTS = 20  # appends after which the table is compacted
EXACT_ROWS, EXACT_BYTES = 200_000, 256 << 20
"""The limits up to which all vectors are in memory and searches are exact."""

BITS = (
    4  # per dimension in the vector index; recall in tight clusters was 0.68 with one bit and 1.0 with four
)
UNINDEXED = 16  # the vector index is rebuilt if more than 1 / UNINDEXED of the rows are new
CLIENTS = ("lance_namespace_urllib3_client", "lance_namespace_urllib3_client.models")
"""Clients of table servers, unused here: they take most of the import time."""
NO_DAY = -(2**31)
NO_CHUNK = -1  # the number in rows of deleted chunks, whose vectors are kept for reuse
KEYS = 6  # see `duplicates`


@cache
def driver() -> Any:
    """Import the module lancedb, which takes a quarter of a second."""
    os.environ.setdefault("LANCEDB_LOG", "error")
    for name in CLIENTS:
        _defer(name)
    import lancedb
    import lancedb.index  # used to build indexes

    return lancedb


class _Deferred(type):
    """A placeholder class: a call or attribute access loads the real class of the package."""

    def __call__(cls, *values: Any, **named: Any) -> Any:
        return cls.load()(*values, **named)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):  # accessed by annotations
            raise AttributeError(name)
        return getattr(cls.load(), name)


def _defer(name: str) -> None:
    """Defer loading a package until one of its classes is used; its modules stay importable."""
    spec = find_spec(name) if name not in sys.modules else None
    if spec is None or spec.loader is None:
        return
    package = sys.modules[name] = module_from_spec(spec)
    load = cache(partial(spec.loader.exec_module, package))

    def named(attribute: str) -> Any:
        if not attribute[0].isupper():  # not a class
            raise AttributeError(attribute)

        def loaded() -> Any:
            load()
            return package.__dict__[attribute]

        return _Deferred(attribute, (), {"load": staticmethod(loaded)})

    package.__dict__["__getattr__"] = named


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Vectors `(n, dims)` of texts, given by their 32-digit hashes."""

    hashes: tuple[str, ...]
    vectors: Matrix


def hash_keys(hashes: Iterable[str]) -> NDArray[np.int64]:
    """The first 64 bits of text hashes; collision probability 1 in 40 million for a million texts."""
    return np.array([int(value[:16], 16) for value in hashes], np.uint64).view(np.int64)


def is_exact(rows: int, dims: int) -> bool:
    """Whether this many vectors are kept in memory."""
    return rows <= EXACT_ROWS and rows * dims * 4 <= EXACT_BYTES


def index_vectors(lance: Any, columns: Sequence[str], *, vectors: bool) -> bool:
    """Build LanceDB's indexes of lookup columns and, with `vectors`, its approximate index of vectors.

    Rows added later are searched exhaustively until LanceDB's `optimize` or a rebuild. Returns whether the
    index of vectors was built.
    """
    index = driver().index
    there = {name for one in lance.list_indices() for name in one.columns}
    for name in columns:
        if name not in there:
            lance.create_index(name, config=index.BTree())
    stats = lance.index_stats("vector_idx") if "vector" in there else None
    needed = vectors and (stats is None or UNINDEXED * stats.num_unindexed_rows > lance.count_rows())
    if needed:
        config = index.IvfRq(distance_type="dot", num_bits=BITS)
        lance.create_index("vector", config=config, replace=True)
    return needed


class VectorTable:
    """The table of one model. Raises `IndexDamaged` if it cannot be read.

    One thread writes; others may read. `dims`: dimensions of the vectors.
    """

    def __init__(self, folder: Path, dims: int) -> None:
        """`folder`: the folder of the table; its name ends in `.lance`."""
        self.folder = folder
        self.dims = dims
        self._table: Any = None

    @property
    def sealed(self) -> bool:
        """Whether a complete table was written before."""
        return (self.folder / SEALS).exists()

    def exists(self) -> bool:
        """Whether the table exists; does not import lancedb."""
        return (self.folder / "_versions").is_dir()

    @property
    def lance(self) -> Any:
        """The LanceDB table, created if missing."""
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

    @property
    def version(self) -> int:
        """The number of the loaded version; 0 without a table."""
        return int(self.lance.version) if self.exists() else 0

    def refresh(self) -> None:
        """Load the latest version."""
        if self._table is not None:
            self._table.checkout_latest()

    def close(self) -> None:
        self._table = None

    def count(self, where: str | None = None) -> int:
        """The number of rows that match a condition."""
        with seal.guarded("vector"):
            return int(self.lance.count_rows(where)) if self.exists() else 0

    def columns(self, names: Sequence[str], where: str = "") -> Any:
        """Some columns of the rows that match a condition, as an Arrow table."""
        with seal.guarded("vector"):
            query = self.lance.search()
            found = (query.where(where) if where else query).select(list(names))
            return found.to_batches(AT_ONCE).read_all()

    def vectors(self, where: str) -> Matrix:
        """The normalized vectors of the rows that match a condition."""
        return self.matrix(self.columns(["vector"], where)["vector"].combine_chunks())

    def these(self, chunks: Iterable[int]) -> str:
        """The condition that a row belongs to one of these chunks and has a vector."""
        return f"embedded AND {among('chunk', chunks)}"

    def rows_of(self, chunks: NDArray[np.int64]) -> Matrix:
        """The vectors of chunks, in this order; zeros for a missing vector."""
        wanted, each = np.unique(chunks, return_inverse=True)
        found = np.zeros((len(wanted), self.dims), np.float32)
        self.read_into(found, wanted, np.arange(len(wanted)))
        return found[each]

    def read_into(self, matrix: Matrix, chunks: NDArray[np.int64], places: NDArray[np.int64]) -> None:
        """Copy the vectors of chunks, ascending, to these rows of a matrix; missing vectors are skipped."""
        if not len(chunks):
            return
        where = self.these(chunks.tolist()) if len(chunks) <= FEW else "embedded AND chunk > 0"
        with seal.guarded("vector"):
            rows = self.lance.search().where(where).select(["chunk", "vector"])
            for batch in rows.to_batches(VECTORS_AT_ONCE):
                numbers = batch.column("chunk").to_numpy()
                at = np.searchsorted(chunks, numbers).clip(max=len(chunks) - 1)
                there = chunks[at] == numbers
                matrix[places[at[there]]] = self.matrix(batch.column("vector"))[there]

    def matrix(self, column: Any) -> Matrix:
        """An Arrow array of vectors as float32 rows of unit length; zeros for a missing vector.

        NumPy would take three times as long as Arrow to widen float16.
        """
        flat = column.flatten().cast("float").to_numpy(zero_copy_only=False)
        wide: Matrix = flat.reshape(-1, self.dims)
        lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))[:, None]
        lengths[lengths == 0] = 1
        unit: Matrix = wide / lengths
        return unit

    def write(self, rows: Any, *, new: bool) -> None:
        """Insert or replace the rows of chunks; `new`: none of the chunks has a row yet."""
        with seal.guarded("vector"):
            if new:
                self.lance.add(rows)
            else:
                merge = self.lance.merge_insert("chunk")
                merge.when_matched_update_all().when_not_matched_insert_all().execute(rows)

    def remove(self, chunks: Sequence[int], keep: Sequence[int]) -> None:
        """Delete chunks; the vectors of those in `keep` stay for reuse by the same text."""
        gone = {"chunk": NO_CHUNK, "document": NO_CHUNK, "path": "", "collection": "", "source": ""}
        with seal.guarded("vector"):
            if keep:
                self.lance.update(where=self.these(keep), values=gone)
            if chunks:
                self.lance.delete(among("chunk", chunks))

    def reuse(self, hashes: Sequence[int]) -> None:
        """Delete vectors kept for reuse, since chunks have these texts again."""
        with seal.guarded("vector"):
            self.lance.delete(f"chunk = {NO_CHUNK} AND {among('hash', hashes)}")

    def retain(self, column: str, values: NDArray[np.int64]) -> int:
        """Keep only the rows with one of these values, permanently delete the others, and return their count.

        The table is rewritten, since LanceDB leaves deleted rows in its files.
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
        """Keep the vectors by text hash only, because the chunks will be renumbered."""
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
        """Compact the table after many appends, and delete old versions.

        Vectors of deleted texts are deleted when they outnumber the others.
        """
        with seal.guarded("vector"):
            if 2 * self.lance.count_rows(f"chunk = {NO_CHUNK}") > self.lance.count_rows() + LEAST:
                self.lance.delete(f"chunk = {NO_CHUNK}")
            fragments = self.lance.stats()["fragment_stats"]
            if fragments["num_fragments"] > FRAGMENTS:
                self.lance.optimize(cleanup_older_than=KEPT)

    def index(self) -> bool:
        """Build LanceDB's vector index if there are too many vectors for exact search.

        Returns whether it was built: not if most rows are in it.
        """
        if is_exact(self.count("embedded AND chunk > 0"), self.dims):
            return False
        with seal.guarded("vector"):
            return index_vectors(self.lance, ("chunk", "hash", "document"), vectors=True)

    def drop(self) -> None:
        """Delete all files in the folder except `model.json`."""
        self._table = None
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if path.name != "model.json":
                remove(path)

    def seal(self) -> None:
        """Store the checksums of the files; files already sealed are not read again."""
        names = (str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file())
        listed = sorted(name for name in names if name not in UNSEALED)
        before = read_checked(self.folder / SEALS) or {}
        write_checked(self.folder / SEALS, seal.sealed(self.folder, listed, before))

    def sound(self, *, thorough: bool = False) -> bool:
        """Whether the table exists and its files match their seals; `thorough`: every byte is read.

        Missing files of superseded versions and unsealed files of a killed process are accepted if the table
        opens.
        """
        seals = read_checked(self.folder / SEALS)
        if seals is None or not self.exists():
            return False
        whole = all((self.folder / name).exists() for name in seals)
        return not self._fault(thorough=thorough) and (whole or self._opens())

    def readable(self) -> bool:
        """Whether every vector can be read and no sealed file is damaged."""
        return self.exists() and not self._fault(thorough=True) and self._opens()

    def _fault(self, *, thorough: bool) -> str:
        seals = read_checked(self.folder / SEALS) or {}
        there = {name: held for name, held in seals.items() if (self.folder / name).exists()}
        return seal.fault(self.folder, there, thorough=thorough)

    def _opens(self) -> bool:
        try:
            self.columns(["chunk", "vector"])
        except IndexDamaged:
            return False
        return True


def arrow(rows: Sequence[dict[str, Any]], vectors: Matrix, keys: NDArray[np.uint64], dims: int) -> Any:
    """Rows as an Arrow table, with their vectors and MinHash keys."""
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
