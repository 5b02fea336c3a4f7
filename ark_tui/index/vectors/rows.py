"""The rows of a vector table: conversion of chunks, and the existing rows as columns for the writer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ark_tui.domain.unicode import composed
from ark_tui.index.vectors.table import KEYS, NO_CHUNK, VectorTable, hash_keys

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.documents import LiveChunk

BLANK: dict[str, Any] = {
    "chunk": NO_CHUNK, "document": NO_CHUNK, "hash": 0, "change": 0, "since": None, "ordinal": 0,
    "place": None, "day": None, "collection": "", "path": "", "tier": "", "type": "", "layer": "",
    "source": "", "embedded": False, "superseded": False, "tags": [], "alike": [],
}  # fmt: skip
"""The default values of a row without a chunk."""


def row(chunk: LiveChunk, *, embedded: bool, alike: Sequence[int]) -> dict[str, Any]:
    """The row of a chunk, without its vector. `alike`: the keys of near-duplicate texts."""
    return {
        "chunk": chunk.number, "document": chunk.document, "hash": key(chunk.text_hash),
        "change": chunk.change, "since": chunk.since, "ordinal": chunk.ordinal, "place": chunk.place,
        "day": chunk.day, "collection": chunk.collection, "path": composed(chunk.path), "tier": chunk.tier,
        "type": chunk.type, "layer": str(chunk.layer), "source": chunk.source, "embedded": embedded,
        "superseded": chunk.superseded, "tags": above(chunk.tags), "alike": [*alike],
    }  # fmt: skip


def above(tags: Sequence[str]) -> list[str]:
    """Tags with their parent tags: `garden/compost` is found by `garden`."""
    split = [tag.split("/") for tag in tags]
    return sorted({"/".join(parts[:end]) for parts in split for end in range(1, len(parts) + 1)})


def key(text_hash: str) -> int:
    """The lookup key of a text, from its hash."""
    return int(hash_keys((text_hash,))[0])


class Written:
    """Columns of the existing rows: read at the start of a round, updated with each batch."""

    def __init__(self, table: VectorTable) -> None:
        found = table.columns(["chunk", "document", "hash", "embedded", "keys"])
        self.chunk: NDArray[np.int64] = found["chunk"].to_numpy()
        self.document: NDArray[np.int64] = found["document"].to_numpy()
        self.hash: NDArray[np.int64] = found["hash"].to_numpy()
        self.embedded: NDArray[np.bool_] = found["embedded"].to_numpy()
        flat = found["keys"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        self.keys: NDArray[np.uint64] = flat.reshape(-1, KEYS).view(np.uint64)

    def among(self, chunks: NDArray[np.int64]) -> NDArray[np.int64]:
        """The chunks that have a row."""
        return self.chunk[np.isin(self.chunk, chunks)]

    def places(self, chunks: Sequence[int]) -> NDArray[np.int64]:
        """The positions of the rows of chunks; −1 for a chunk without one."""
        there = np.flatnonzero(np.isin(self.chunk, np.array(chunks, np.int64)))
        at = dict(zip(self.chunk[there].tolist(), there.tolist(), strict=True))
        return np.array([at.get(chunk, -1) for chunk in chunks], np.int64)

    def add(self, rows: Sequence[dict[str, Any]], keys: NDArray[np.uint64]) -> list[int]:
        """Add written rows; return the hashes whose vectors were kept for reuse until now."""
        self._keep(~np.isin(self.chunk, np.array([row["chunk"] for row in rows], np.int64)))
        kept = (self.chunk == NO_CHUNK) & np.isin(
            self.hash, np.array([row["hash"] for row in rows], np.int64)
        )
        reused: list[int] = np.unique(self.hash[kept]).tolist()
        self._keep(~kept)
        for name in ("chunk", "document", "hash", "embedded"):
            now = getattr(self, name)
            setattr(self, name, np.concatenate([now, np.array([row[name] for row in rows], now.dtype)]))
        self.keys = np.concatenate([self.keys, keys])
        return reused

    def forget(self, chunks: Sequence[int]) -> list[int]:
        """Remove chunks; return those whose text no other chunk has, so that their vectors can be kept."""
        if not chunks:
            return []
        gone = np.isin(self.chunk, np.array(chunks, np.int64))
        last = gone & self.embedded & ~np.isin(self.hash, self.hash[~gone & self.embedded])
        kept: list[int] = self.chunk[last].tolist()
        self.chunk = np.where(last, NO_CHUNK, self.chunk)
        self._keep(~gone | last)
        return kept

    def _keep(self, kept: NDArray[np.bool_]) -> None:
        if not kept.all():
            for name in ("chunk", "document", "hash", "embedded", "keys"):
                setattr(self, name, getattr(self, name)[kept])
