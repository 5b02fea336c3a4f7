"""Which score finds texts of one collection that are planted in another: a table for docs/decisions.

`python -m benchmarks.novelty DIR...`: folders as BEIR has them. In each collection 1, 3, 10 and 30 texts of
the next one are planted, three times over; told is the mean share of them among as many first places.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from ark_tui.analysis.blocks import Blocks, blocks
from ark_tui.analysis.neighbours import nearest
from ark_tui.analysis.novelty import apart
from ark_tui.analysis.spectrum import Eigen, spectrum
from ark_tui.embedding.static import StaticEmbedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[np.float32]

MOST = 4_000  # texts of a collection
CHARACTERS = 1_500
SEEDS = 3
COUNTS = (1, 3, 10, 30)


def main(folders: Sequence[str]) -> int:
    if len(folders) < 2:
        sys.exit("Name two folders or more.")
    sets = [embedded(Path(folder)) for folder in folders]
    scores: dict[str, list[list[float]]] = {}
    flags: list[list[tuple[float, int]]] = []
    for number, base in enumerate(sets):
        strange = sets[(number + 1) % len(sets)]
        for name, row in _planted(base, strange, flags).items():
            scores.setdefault(name, []).append(row)
    print(f"| score | {' | '.join(f'{count} planted' for count in COUNTS)} |\n|---|{'---|' * len(COUNTS)}")
    for name, rows in scores.items():
        print(f"| {name} | {' | '.join(f'{value:.2f}' for value in np.mean(rows, axis=0))} |")
    recall, others = np.mean(flags, axis=0).T
    print(f"| found above the limit | {' | '.join(f'{value:.2f}' for value in recall)} |")
    print(f"| others above the limit | {' | '.join(f'{value:.1f}' for value in others)} |")
    return 0


def embedded(folder: Path) -> Rows:
    """The texts of a collection as the embedded model has them; those without a vector are left out."""
    lines = (folder / "corpus.jsonl").read_text("utf-8").splitlines()[:MOST]
    texts = [f"{one.get('title', '')}\n{one['text']}"[:CHARACTERS] for one in map(json.loads, lines)]
    rows: Rows = StaticEmbedder().embed_documents(texts)
    known: Rows = rows[np.linalg.norm(rows, axis=1) > 0]
    return known


def _planted(base: Rows, strange: Rows, flags: list[list[tuple[float, int]]]) -> dict[str, list[float]]:
    found: dict[str, list[list[float]]] = {}
    flagged = []
    for count in COUNTS:
        told = []
        for seed in range(SEEDS):
            chosen = np.random.default_rng(seed).choice(len(strange), count, replace=False)
            rows = np.vstack([base, strange[chosen]])
            eigen = spectrum(_blocks(rows))
            assert eigen is not None
            ours = apart(eigen, _blocks(rows))
            told.append(
                (float((ours.novel() >= len(base)).sum() / count), int((ours.novel() < len(base)).sum()))
            )
            for name, score in {"ours": ours.score, **_others(eigen, rows)}.items():
                top = np.argsort(-score)[:count]
                found.setdefault(name, []).append([count, float((top >= len(base)).mean())])
        recall, others = np.mean(told, axis=0)
        flagged.append((float(recall), int(others)))
    flags.append(flagged)
    return {
        name: [float(np.mean([share for at, share in pairs if at == count])) for count in COUNTS]
        for name, pairs in found.items()
    }


def _others(eigen: Eigen, rows: Rows) -> dict[str, NDArray[np.float64]]:
    """Scores that were tried and not taken."""
    places = eigen.along(rows)
    kept = eigen.outside
    squares = places**2
    whitened = squares / np.maximum(eigen.values, 0.02)
    near = nearest(rows, 5).cosine.mean(axis=1)
    return {
        "leverage outside the noise": whitened[:, :kept].sum(axis=1),
        "farthest out on one direction": whitened[:, :kept].max(axis=1),
        "length inside the noise": squares[:, kept:].sum(axis=1),
        "Mahalanobis, uncleaned": whitened.sum(axis=1),
        "length of the standardised row": squares.sum(axis=1),
        "mean cosine with five neighbours": -near.astype(np.float64),
    }


def _blocks(rows: Rows) -> Blocks:
    return blocks(rows.__getitem__, np.arange(len(rows)), 8192)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
