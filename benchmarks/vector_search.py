"""Vector top-50, end to end, against the bare product `X @ q`: at 100,000 and at 200,000 rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.query import Filters
from ark_tui.index.vectors import adjacency, serving
from ark_tui.index.vectors.reader import Vectors
from ark_tui.store.links import Edges
from benchmarks import corpus
from benchmarks.measure import Figure, in_turns, middle, rounded, tell

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIMS = 256
TOP = 50
SIZES = (100_000, 200_000)


def main() -> None:
    found = {size: measured(size) for size in SIZES}
    worst = max(found.values(), key=lambda detail: detail["ratio"])
    at = {f"at_{size}": detail for size, detail in found.items()}
    tell(
        Figure("vector_search", worst["ratio"], "≤ 1.3", at),
        "Vector top-50 end to end costs "
        + " and ".join(f"{d['ratio']:.2f} × `X @ q` at {size:,} rows" for size, d in found.items()),
    )


def measured(size: int) -> dict[str, float]:
    folder = synthetic(size)
    vectors = Vectors(folder)
    view = vectors.refresh()
    assert view is not None
    matrix = view.own[:]
    stream = cycle(_queries(200))
    bare, whole = in_turns(
        [lambda: matrix @ next(stream), lambda: top(vectors, next(stream), Filters())], rounds=60, warm=5
    )
    some = Filters(tags=("odd",))
    (filtered,) = in_turns([lambda: top(vectors, next(stream), some)], rounds=30)
    return rounded(
        ratio=middle(whole) / middle(bare), bare_ms=middle(bare), whole_ms=middle(whole),
        filtered_ms=middle(filtered),
    )  # fmt: skip


def top(vectors: Vectors, query: NDArray[np.float32], filters: Filters) -> NDArray[np.int64]:
    """What a vector search does: look whether something is new, all cosines, the best fifty in order."""
    index = vectors.open()
    assert index is not None
    return index.search(query, TOP, filters).chunks


def synthetic(size: int) -> Path:
    """Serving files of random unit vectors, ten chunks to a document, every other one tagged `odd`."""

    def make(folder: Path) -> None:
        random = np.random.default_rng(3)
        vectors = random.standard_normal((size, DIMS), dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        chunk = np.arange(size, dtype=np.int64)
        number = np.arange(size // 10, dtype=np.int64)
        place = folder / "serving"
        serving.write_segment(
            place / "segment-1",
            random.integers(0, 2**63, size, dtype=np.uint64),
        )
        serving.write_kept(place / "segment-1", serving.OWN, vectors.astype(np.float16))
        serving.write_chunks(
            place / "chunks-1",
            serving.ChunkMap(
                chunk, random.permutation(size).astype(np.int32), chunk // 10, (chunk % 10).astype(np.int32)
            ),
        )
        facts = np.zeros((len(number), len(serving.FACTS)), np.int32)
        offsets = np.concatenate([[0], np.cumsum(number % 2)]).astype(np.int64)
        names = {
            **serving.empty_documents().names,
            "collection": ["c"],
            "tier": ["doc"],
            "type": ["note"],
            "tag": ["odd"],
        }
        serving.write_documents(
            place / "documents-1",
            serving.DocumentFacts(
                number, facts, np.zeros(size // 20, np.int32), offsets, names, [f"{n}.md" for n in number]
            ),
        )
        nowhere = np.empty(0, np.int64)
        adjacency.write(place / "documents-1", number, Edges(nowhere, nowhere, nowhere.astype(np.int32), []))
        serving.write_current(
            place,
            serving.Current(
                segments=("segment-1",), rows=size, chunks="chunks-1", documents="documents-1", serial=1
            ),
        )

    return corpus.kept(f"vectors-{size}", make)


def _queries(count: int) -> Iterator[NDArray[np.float32]]:
    random = np.random.default_rng(4)
    for row in random.standard_normal((count, DIMS), dtype=np.float32):
        yield row / np.linalg.norm(row)


if __name__ == "__main__":
    main()
