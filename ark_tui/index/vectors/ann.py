"""LanceDB's approximate vector index, for tables too large for memory, and its measured recall."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.protocols import NEVER, Stop, check
from ark_tui.index import seal
from ark_tui.index.vectors.snapshot import is_exact, nearest
from ark_tui.index.vectors.table import driver

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.index.vectors.table import VectorTable

RECALL = "recall.json"
QUERIES = 100  # sampled rows, whose ten nearest neighbors are found exactly and by the index
FIRST = 10
BITS = 4  # per dimension; recall in tight clusters was 0.68 with one bit and 1.0 with four
ROWS_EACH = 20_000  # rows compared at once
LIVE = "embedded AND chunk > 0"


def recall(folder: Path) -> float | None:
    """The last measured recall@10 of the index; None if searches are exact."""
    found = seal.read(folder / RECALL)
    return float(found["recall"]) if found else None


def build(table: VectorTable, stop: Stop = NEVER) -> None:
    """Build the index if there are too many vectors for exact search; rebuild it when they have doubled.

    New rows are searched exhaustively until LanceDB's `optimize` adds them.
    """
    live = table.count(LIVE)
    if is_exact(live, table.dims):
        return
    measured = seal.read(table.folder / RECALL) or {}
    if live < 2 * int(measured.get("rows", 0)):
        with seal.guarded("vector"):
            table.lance.optimize()
        return
    index(table)
    check(stop)
    seal.write(table.folder / RECALL, {"recall": measure(table, stop), "rows": live})


def index(table: VectorTable) -> None:
    """Build the vector index and the indexes of the lookup columns."""
    index = driver().index
    with seal.guarded("vector"):
        table.lance.create_index(
            "vector", config=index.IvfRq(distance_type="dot", num_bits=BITS), replace=True
        )
        for name in ("chunk", "hash", "document"):
            table.lance.create_index(name, config=index.BTree(), replace=True)


def measure(table: VectorTable, stop: Stop = NEVER) -> float:
    """Measure recall@10 of the index over `QUERIES` random rows."""
    numbers = table.columns(["chunk"], LIVE)["chunk"].to_numpy()
    asked = np.random.default_rng(0).choice(numbers, min(QUERIES, len(numbers)), replace=False)
    _, queries = table.vectors(f"{LIVE} AND chunk IN ({', '.join(map(str, asked.tolist()))})")
    best: NDArray[np.float32] = np.full((len(queries), 0), 0.0, np.float32)
    held: NDArray[np.int64] = np.full((len(queries), 0), 0, np.int64)
    with seal.guarded("vector"):
        for batch in table.lance.search().where(LIVE).select(["chunk", "vector"]).to_batches(ROWS_EACH):
            check(stop)
            flat = batch.column("vector").flatten().to_numpy(zero_copy_only=False)
            rows = flat.reshape(-1, table.dims).astype(np.float32)
            chunk = np.broadcast_to(batch.column("chunk").to_numpy(), (len(queries), len(rows)))
            best, held = np.hstack([best, queries @ rows.T]), np.hstack([held, chunk])
            top = np.argsort(-best, axis=1)[:, :FIRST]
            best, held = np.take_along_axis(best, top, axis=1), np.take_along_axis(held, top, axis=1)
        found = [nearest(table, query, FIRST, LIVE) for query in queries]
    same = [len(np.intersect1d(one, other)) for one, other in zip(held, found, strict=True)]
    return sum(same) / max(1, held.size)
