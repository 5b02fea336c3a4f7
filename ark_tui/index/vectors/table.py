"""The LanceDB table of a served model: text hash → vector, as it came. Rows never change.

It is the embedding cache: tagging, moving or deleting a document moves nothing in it, and a text that
comes back is not embedded again. The embedded model has none: decision 69.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ark_tui.domain.errors import IndexDamaged
from ark_tui.index import seal
from ark_tui.settings.home import remove

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Matrix

NAME = "embeddings"
SEAL = "embeddings.json"
HINT = "latest_version_hint.json"  # the one file of a table that is written again
FRAGMENTS = 20  # appends after which the table is compacted, if they make a good part of it
SHARE = 8  # which is one in so many of its rows
MOST = 100  # appends after which it is compacted anyway
CLIENTS = "lance_namespace_urllib3_client"  # of servers of tables, which nobody here asks


def driver() -> Any:
    """The module lancedb, whose import takes half a second the first time."""
    os.environ.setdefault("LANCEDB_LOG", "error")
    _put_off(CLIENTS)
    import lancedb

    return lancedb


def _put_off(name: str) -> None:
    """Let a package be loaded when one of its names is wanted; its modules can be imported before.

    lancedb imports models of `CLIENTS`, whose own names, thousands of checked methods, take longer to make
    than all the rest of lancedb.
    """
    spec = find_spec(name) if name not in sys.modules else None
    if spec is None or spec.loader is None:
        return
    package, load = module_from_spec(spec), spec.loader.exec_module

    def wanted(attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        del package.__dict__["__getattr__"]
        load(package)
        return getattr(package, attribute)

    package.__dict__["__getattr__"] = wanted
    sys.modules[name] = package


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Some texts by their 32-digit hashes, and `(n, dims)` vectors, or each text's token ids."""

    hashes: tuple[str, ...]
    vectors: Matrix = field(default_factory=lambda: np.empty((0, 0), np.float32))
    tokens: Sequence[NDArray[np.uint16]] = ()

    def picked(self, places: Sequence[int]) -> Embeddings:
        """Those of these rows, which have vectors."""
        return Embeddings(tuple(self.hashes[i] for i in places), self.vectors[places])


class EmbeddingTable:
    """The table, opened when it is first needed: importing lancedb costs half a second.

    `dims`: of its vectors.
    """

    def __init__(self, folder: Path, dims: int) -> None:
        self._folder = folder
        self._place = folder / f"{NAME}.lance"
        self._dims = dims
        self._table: Any = None

    def exists(self) -> bool:
        """Whether anything was ever embedded with this model; imports nothing."""
        return self._place.is_dir()

    def sound(self, *, thorough: bool = False) -> bool:
        """Whether the files that are sealed are as they were; `thorough`: and every row can be read.

        What was added by a process that was killed then is not sealed, and no fault.
        """
        if not self.exists():
            return not self._place.exists()
        seals = seal.read(self._folder / SEAL) or {}
        there = {name: held for name, held in seals.items() if (self._place / name).exists()}
        if seal.fault(self._place, there, thorough=thorough):
            return False
        try:
            return not thorough or sum(len(rows.hashes) for rows in self.batches()) == self.count()
        except IndexDamaged:
            return False

    def drop(self) -> None:
        """Forget every embedding: the table is damaged."""
        self._table = None
        remove(self._place)
        remove(self._folder / SEAL)

    def count(self) -> int:
        """How many rows it has."""
        with seal.guarded("vector"):
            return int(self._open().count_rows()) if self.exists() else 0

    def add(self, rows: Embeddings) -> None:
        """Append rows whose hashes are not in the table yet."""
        with seal.guarded("vector"):
            self._open().add(self._arrow(rows))

    def lacking(self, hashes: Sequence[str]) -> list[int]:
        """The places of those that it has no row of, of equal ones the last."""
        places = {value: place for place, value in enumerate(hashes)}
        with seal.guarded("vector"):
            for batch in self._open().search().select(["hash"]).to_batches():
                for value in batch.column("hash").to_pylist():
                    places.pop(_digits(value), None)
        return sorted(places.values())

    def keep(self, hashes: Collection[str]) -> int:
        """Keep the rows of these texts, and no byte of the others; returns how many there were of those.

        All is written anew: a row that LanceDB deletes stays in its file until a tenth of that is deleted.
        Of a damaged table nothing is kept.
        """
        if not self.exists():
            return 0
        try:
            with seal.guarded("vector"):
                return self._keep(hashes)
        except IndexDamaged:
            self.drop()
            return 0

    def _keep(self, hashes: Collection[str]) -> int:
        import pyarrow as pa
        import pyarrow.compute as pc

        before, schema = self.count(), self._open().schema
        living = pa.array(sorted(hashes), pa.string())
        if schema.field("hash").type != pa.string():
            living = pa.array([bytes.fromhex(value) for value in living.to_pylist()], pa.binary(16))
        self._rewrite(schema, lambda batch: batch.filter(pc.is_in(batch.column("hash"), living)))
        return before - self.count()

    def renew(self) -> None:
        """Bring a table of an earlier version into the form of this one, which has fewer columns."""
        if not self.exists():
            return
        with seal.guarded("vector"):
            wanted = self._schema()
            if not self._open().schema.equals(wanted):
                self._rewrite(wanted, _with_short_hashes)

    def _rewrite(self, schema: Any, change: Callable[[Any], Any]) -> None:
        """Write all anew, with the columns of a schema, and leave no version of before."""
        import pyarrow as pa

        table = self._open()

        def changed() -> Iterator[Any]:
            for batch in table.search().select(schema.names).to_batches():
                rows = change(batch)
                yield pa.RecordBatch.from_arrays([rows.column(name) for name in schema.names], schema=schema)

        rows = pa.RecordBatchReader.from_batches(schema, changed())
        self._table = driver().connect(self._folder).create_table(NAME, rows, mode="overwrite")
        self._compact()

    def batches(self, size: int = 8192) -> Iterator[Embeddings]:
        """All rows, in the order they were added."""
        if not self.exists():
            return
        with seal.guarded("vector"):
            for batch in self._open().search().select(["hash", "vector"]).to_batches(batch_size=size):
                hashes = tuple(map(_digits, batch.column("hash").to_pylist()))
                flat = batch.column("vector").flatten().to_numpy(zero_copy_only=False)
                yield Embeddings(hashes, np.ascontiguousarray(flat.reshape(-1, self._dims), np.float32))

    def tidy(self) -> None:
        """Compact what many appends have left, and drop all versions but the last.

        All is written anew: not before a good part of it is, or there are very many. Only whoever holds the
        follower's lock reads the table, so that nobody is still at an older version.
        """
        if self._table is None:
            return
        fragments, rows = self._table.stats()["fragment_stats"], self.count()
        appended = SHARE * (rows - fragments["lengths"]["max"]) >= rows
        if fragments["num_fragments"] > (FRAGMENTS if appended else MOST):
            self._compact()

    def seal(self) -> None:
        """Note how the files are now, if they were touched. Only whoever writes the table may do so."""
        if self._table is not None:
            files = (path for path in self._place.rglob("*") if path.is_file() and path.name != HINT)
            names = sorted(str(path.relative_to(self._place)) for path in files)
            before = seal.read(self._folder / SEAL) or {}
            before = {
                name: held for name, held in before.items() if not seal.fault(self._place, {name: held})
            }
            seal.write(self._folder / SEAL, seal.sealed(self._place, names, before))

    def _compact(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that others may be reading: nobody is
            self._open().optimize(cleanup_older_than=timedelta(0), delete_unverified=True)

    def close(self) -> None:
        self._table = None

    def _open(self) -> Any:
        if self._table is None:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            database = driver().connect(self._folder)
            self._table = (
                database.open_table(NAME)
                if self.exists()
                else database.create_table(NAME, schema=self._schema())
            )
        return self._table

    def _schema(self) -> Any:
        import pyarrow as pa

        vector = pa.field("vector", pa.list_(pa.float32(), self._dims), nullable=False)
        return pa.schema([pa.field("hash", pa.binary(16), nullable=False), vector])

    def _arrow(self, rows: Embeddings) -> Any:
        import pyarrow as pa

        hashes = pa.array([bytes.fromhex(value) for value in rows.hashes], pa.binary(16))
        vectors = pa.FixedSizeListArray.from_arrays(pa.array(rows.vectors.ravel()), self._dims)
        return pa.Table.from_arrays([hashes, vectors], schema=self._schema())


def _digits(value: bytes | str) -> str:
    """A hash as its digits, as tables of earlier versions have it."""
    return value if isinstance(value, str) else value.hex()


def _with_short_hashes(batch: Any) -> Any:
    """A batch with its hashes as bytes, not as digits."""
    import pyarrow as pa

    hashes = [bytes.fromhex(value) for value in batch.column("hash").to_pylist()]
    at = batch.schema.get_field_index("hash")
    return batch.set_column(at, "hash", pa.array(hashes, pa.binary(16)))


def hash_keys(hashes: Sequence[str]) -> NDArray[np.uint64]:
    """The first 64 bits of text hashes. Two of a million texts share them once in forty million corpora."""
    return np.array([int(value[:16], 16) for value in hashes], dtype=np.uint64)
