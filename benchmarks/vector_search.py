"""Vector search over synthetic rows: `python -m benchmarks.vector_search [ROWS] [DIMS]`.

Prints the time to build LanceDB's index, its recall of the first ten, and the p50 and p99 of a search for the
first fifty: exactly in memory, and by the index.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from ark_tui.domain.query import Filters
from ark_tui.index.follower import Mark
from ark_tui.index.vectors import table as tables
from ark_tui.index.vectors.rows import BLANK
from ark_tui.index.vectors.snapshot import Snapshot, recall
from ark_tui.index.vectors.table import KEYS, VectorTable, arrow
from ark_tui.store.links import Edges

BATCH = 10_000
QUERIES = 200
FIRST = 50
CLUSTERS = 500


def filled(folder: Path, rows: int, dims: int) -> VectorTable:
    """A table of vectors in clusters, as texts have them."""
    numbers, table = np.random.default_rng(0), VectorTable(folder / "synthetic.lance", dims)
    middles = numbers.standard_normal((CLUSTERS, dims)).astype(np.float32)
    keys = np.zeros((BATCH, KEYS), np.uint64)
    for low in range(0, rows, BATCH):
        some = range(low + 1, min(low + BATCH, rows) + 1)
        made = middles[numbers.integers(0, CLUSTERS, len(some))]
        made = made + numbers.standard_normal((len(some), dims)).astype(np.float32)
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        listed = [BLANK | {"chunk": n, "document": n // 5, "hash": n, "embedded": True} for n in some]
        table.write(arrow(listed, made, keys[: len(some)], dims), new=True)
    table.tidy()
    return table


def nothing() -> Edges:
    """No links."""
    empty = np.empty(0, np.int64)
    return Edges(empty, empty, empty.astype(np.int32), [])


def timed(view: Snapshot, dims: int) -> str:
    """The p50 and p99 of searches, in milliseconds."""
    queries = np.random.default_rng(1).standard_normal((QUERIES, dims)).astype(np.float32)
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    view.search(queries[0], FIRST, Filters())
    took = []
    for query in queries:
        began = time.perf_counter()
        view.search(query, FIRST, Filters())
        took.append(1000 * (time.perf_counter() - began))
    return f"p50 {np.percentile(took, 50):.1f} ms, p99 {np.percentile(took, 99):.1f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="?", type=int, default=100_000)
    parser.add_argument("dims", nargs="?", type=int, default=256)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = filled(Path(folder), given.rows, given.dims)
        began = time.perf_counter()
        view = Snapshot(table, Mark(number=1), nothing)
        if view.exact:
            assert len(view.matrix) == given.rows
            print(f"opened in {time.perf_counter() - began:.2f} s; in memory: {timed(view, given.dims)}")
        tables.EXACT_ROWS = 0
        began = time.perf_counter()
        table.index()
        print(f"index built in {time.perf_counter() - began:.1f} s, recall@10 {recall(table):.3f}")
        print(f"by the index: {timed(Snapshot(table, Mark(number=1), nothing), given.dims)}")


if __name__ == "__main__":
    main()
