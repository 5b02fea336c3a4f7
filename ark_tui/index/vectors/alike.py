"""Find near-duplicates of new chunks, among themselves and among existing chunks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.index.vectors import duplicates
from ark_tui.index.vectors.duplicates import Rule, Wording
from ark_tui.index.vectors.rows import key
from ark_tui.index.vectors.table import KEYS, VectorTable, hash_keys
from ark_tui.store import Store, changes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.documents import LiveChunk
    from ark_tui.domain.protocols import Matrix
    from ark_tui.index.vectors.rows import Written

Compared = dict[int, tuple[Wording, "Matrix"]]
"""The wording and the vector of chunks, by number."""


@dataclass(frozen=True, slots=True)
class Found:
    """MinHash keys, hashes of near-duplicate texts, and which chunks duplicate one of an earlier document."""

    keys: NDArray[np.uint64]
    alike: list[list[int]]
    repeats: NDArray[np.bool_]


class Alike:
    """Finds near-duplicates in one table, by a rule."""

    def __init__(self, store: Store, table: VectorTable, rule: Rule) -> None:
        self._store, self._table, self._rule = store, table, rule

    def found(self, chunks: Sequence[LiveChunk], matrix: Matrix, rows: Written) -> Found:
        """The near-duplicates of chunks; `matrix`: their vectors."""
        keys = np.zeros((len(chunks), KEYS), np.uint64)
        if self._rule == "off":
            return Found(keys, [[] for _ in chunks], np.zeros(len(chunks), bool))
        numbers = np.array([chunk.number for chunk in chunks])
        own = hash_keys(chunk.text_hash for chunk in chunks)
        others = (rows.chunk > 0) & ~np.isin(rows.chunk, numbers)
        number = np.concatenate([rows.chunk[others], numbers])
        text = np.concatenate([rows.hash[others], own])
        document = np.concatenate([rows.document[others], [chunk.document for chunk in chunks]])
        if self._rule == "strict":
            wordings = [Wording.of(chunk.text) for chunk in chunks]
            keys[:] = [wording.keys() for wording in wordings]
            met = duplicates.candidates(keys, np.concatenate([rows.keys[others], keys]), number)
            known: Compared = dict(zip(numbers.tolist(), zip(wordings, matrix, strict=True), strict=True))
            near = {number[row] for several in met.values() for row in several}
            known |= self._stored(near - known.keys())
            met = {at: _same(int(numbers[at]), several, number, known) for at, several in met.items()}
        else:
            corpus = np.concatenate([self._table.rows_of(rows.chunk[others]), matrix])
            met = duplicates.close(matrix, corpus, number)
        order = np.argsort(text, kind="stable")
        low, high = (np.searchsorted(text[order], own, side) for side in ("left", "right"))
        alike, repeats = list[list[int]](), np.zeros(len(chunks), bool)
        for at in range(len(chunks)):
            twins = np.array([*met.get(at, ()), *order[low[at] : high[at]]], np.int64)
            alike.append([one for one in np.unique(text[twins]).tolist() if one != own[at]])
            earlier = twins[number[twins] < numbers[at]]
            repeats[at] = (document[earlier] != chunks[at].document).any()
        return Found(keys, alike, repeats)

    def _stored(self, chunks: Iterable[int]) -> Compared:
        """The wording and vectors of stored chunks; chunks whose text has changed are skipped."""
        numbers = [int(chunk) for chunk in chunks]
        if not numbers:
            return {}
        with self._store.read() as lease:
            texts = changes.texts(lease, numbers)
        stored = self._table.columns(["chunk", "hash"], self._table.these(numbers))
        vectors = self._table.rows_of(stored["chunk"].to_numpy())
        return {
            number: (Wording.of(texts[number][1]), vector)
            for number, text, vector in zip(
                stored["chunk"].to_pylist(), stored["hash"].to_pylist(), vectors, strict=True
            )
            if number in texts and key(texts[number][0]) == text
        }


def _same(chunk: int, rows: Iterable[int], number: NDArray[np.int64], known: Compared) -> list[int]:
    """The rows that are near-duplicates of a chunk."""
    wording, vector = known[chunk]
    others = ((row, known.get(int(number[row]))) for row in rows if number[row] != chunk)
    return [
        row
        for row, other in others
        if other and wording.same(other[0]) and float(vector @ other[1]) >= duplicates.COSINE
    ]
