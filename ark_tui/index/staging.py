"""What others have read for a home and it has not taken up yet: a Lance table for each batch, in place.

That is the place of the setting `index`, or the home's cache. A batch has a table of its own, named for what
is in it: whoever repeats a batch writes the same one anew, writers never wait for each other, and taken up it
is dropped. One more row, `here`, tells a worker that it sees the place itself and no folder of the same name.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ark_tui.domain.documents import content_hash
from ark_tui.domain.errors import StoreError
from ark_tui.index.place import Damaged, Place

COLUMNS = {
    "key": "string", "scanned_ns": "int64", "hash": "string", "bytes": "int64", "documents": "large_string",
    "texts": "string", "served": "large_binary",
}  # fmt: skip
SEVERAL = ("texts", "served")
"""For each text of the file's chunks: its hash, and its vector of a served model. (A column
called vectors lancedb would make another type.)"""

FOLDER = "staged"  # in the cache of a home, where no place elsewhere is set
ELSEWHERE = "Put the home on a share at the same path, or name a place in the setting `index` that all reach."


@dataclass(frozen=True, slots=True)
class Staging:
    """The tables of one home at a place."""

    uri: str
    home: str  # by whose texts they are told apart from those of other homes

    def begin(self) -> str:
        """Mark the place; returns what a worker is to find there."""
        token = secrets.token_hex(8)
        self._write(f"{self._prefix}here", [{"key": token}])
        return token

    def check(self, token: str) -> None:
        """Raise `StoreError` where this is not the place that `begin` has marked."""
        rows = []
        with suppress(StoreError):
            rows = self.read(f"{self._prefix}here")
        if not rows or rows[0]["key"] != token:
            raise StoreError(f"{self.uri} is not to be reached from here.", ELSEWHERE)

    def write(self, keys: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
        """Write a batch in one step; returns the name of its table."""
        name = f"{self._prefix}{content_hash(' '.join(keys).encode())}"
        self._write(name, rows)
        return name

    def read(self, name: str) -> list[dict[str, Any]]:
        """The rows of a batch; raises `StoreError`."""
        place = Place(self.uri)
        with place.explained():
            found: list[dict[str, Any]] = place.table(name).to_arrow().to_pylist()
        return found

    def names(self) -> list[str]:
        """The batches that are there, whole or cut off while they were written."""
        there = Place(self.uri).names()
        return [name for name in there if name.startswith(self._prefix) and not name.endswith("-here")]

    def drop(self, name: str) -> None:
        """Remove a batch."""
        with suppress(Damaged):  # it has gone already
            Place(self.uri).drop(name)

    def clear(self) -> None:
        """Remove all that is there of this home."""
        for name in [*self.names(), f"{self._prefix}here"]:
            self.drop(name)

    def _write(self, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        import pyarrow as pa

        types = {name: getattr(pa, kind)() for name, kind in COLUMNS.items()}
        schema = pa.schema(types | {name: pa.list_(types[name]) for name in SEVERAL})
        place = Place(self.uri)
        with place.explained():
            place.database().create_table(name, pa.Table.from_pylist(list(rows), schema), mode="overwrite")

    @property
    def _prefix(self) -> str:
        return f"staged-{self.home[:8]}-"
