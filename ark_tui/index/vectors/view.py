"""The corpus as vectors see it, as of one publication: arrays over the chunks that are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.index.vectors import latent, serving
from ark_tui.index.vectors.adjacency import Adjacency
from ark_tui.index.vectors.conditions import Masks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.index.protocols import Vector


@dataclass(frozen=True, slots=True)
class Centre:
    """The middle of the vectors pooled by rarity: what all texts of the corpus share and no query asks for.

    `scale`: for each row, 1 / its distance from the middle.
    """

    middle: NDArray[np.float32]
    scale: NDArray[np.float32]

    def directions(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Unit vectors from the middle towards these, `(n, d)`; zeros for one that is the middle."""
        away = vectors - self.middle
        lengths = np.linalg.norm(away, axis=-1, keepdims=True)
        lengths[lengths == 0] = 1
        found: NDArray[np.float32] = away / lengths
        return found


@dataclass(slots=True)
class View:
    """The corpus as of one publication. Arrays run side by side over the live chunks."""

    current: serving.Current
    folder: Path
    chunks: serving.ChunkMap
    documents: serving.DocumentFacts
    segments: list[NDArray[np.float32]]
    idf_segments: list[NDArray[np.float32]]
    tokens: list[serving.Tokens]
    document_at: NDArray[np.int64]  # chunk → place among the documents
    idf: NDArray[np.float32] | None  # the weight of each token id in the idf pool
    masks: Masks  # which chunks filters let answer, once worked out
    links: Adjacency
    repeats: NDArray[np.int64]  # (n, 2): chunks that repeat an earlier one, and the first of their kind
    latent_segments: list[latent.Rounded]
    contexts: latent.Table | None  # what those were pooled with

    _beside: NDArray[np.int64] | None = None
    _centre: Centre | None = None

    def __len__(self) -> int:
        return len(self.chunks.chunk)

    def places(self, numbers: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """Where chunks stand in the arrays, by number; −1 for one that is not there."""
        wanted = np.asarray(numbers, np.int64)
        if not len(self):
            return np.full(len(wanted), -1)
        at = np.searchsorted(self.chunks.chunk, wanted).clip(max=len(self) - 1)
        return np.where(self.chunks.chunk[at] == wanted, at, -1)

    def beside(self) -> NDArray[np.int64]:
        """`(n, 2)`: the place of the chunk before and of the one after each; −1 where there is none.

        In the same document, else in the document before or after in the same source. Worked out once.
        """
        if self._beside is None:
            self._beside = neighbours(self)
        return self._beside

    def centre(self) -> Centre | None:
        """The middle of the vectors pooled by rarity, if there are any. Worked out once."""
        if self._centre is None and self.idf_segments:
            self._centre = centre(self.idf_segments)
        return self._centre

    @property
    def waiting(self) -> int:
        """Chunks without a vector."""
        return int((self.chunks.row < 0).sum())


def centre(segments: Sequence[NDArray[np.float32]]) -> Centre:
    """The middle of unit vectors, and the distances from it: |x − m|² = 1 − 2xm + m²."""
    total = sum(np.dot(np.ones(len(segment), np.float32), segment) for segment in segments)
    middle = np.asarray(total / max(sum(map(len, segments)), 1), np.float32)
    squares = 1 - 2 * products(segments, middle)[:-1] + middle @ middle
    return Centre(middle, (1 / np.sqrt(np.maximum(squares, 1e-6))).astype(np.float32))


def neighbours(view: View) -> NDArray[np.int64]:
    """The places of the chunks before and after each, `(n, 2)`."""
    beside = np.full((len(view), 2), -1, np.int64)
    if not len(view):
        return beside
    along = view.document_at << 32 | view.chunks.ordinal  # nearly sorted, as chunks are numbered
    order = np.argsort(along, kind="stable")
    _chain(beside, order[:-1], order[1:], view.document_at[order[:-1]] == view.document_at[order[1:]])
    documents = np.arange(len(view.documents.number))
    first = order[np.searchsorted(view.document_at[order], documents, side="left").clip(max=len(order) - 1)]
    last = order[np.searchsorted(view.document_at[order], documents, side="right") - 1]
    facts = view.documents.facts
    collection, source, place = (
        facts[:, serving.FACTS.index(name)] for name in ("collection", "source", "place")
    )
    line = np.lexsort((place, source, collection))
    a, b = line[:-1], line[1:]
    same = (source[a] >= 0) & (source[a] == source[b]) & (collection[a] == collection[b])
    _chain(beside, last[a], first[b], same)
    return beside


def _chain(
    beside: NDArray[np.int64], a: NDArray[np.int64], b: NDArray[np.int64], linked: NDArray[np.bool_]
) -> None:
    beside[a[linked], 1] = b[linked]
    beside[b[linked], 0] = a[linked]


def products(segments: Sequence[Vector], vector: Vector) -> Vector:
    """The product of each row with a vector, and room for one more."""
    rows = np.empty(sum(map(len, segments)) + 1, dtype=np.float32)
    start = 0
    for segment in segments:
        np.dot(segment, vector, out=rows[start : start + len(segment)])
        start += len(segment)
    return rows
