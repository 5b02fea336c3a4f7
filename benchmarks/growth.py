"""How each stage of indexing grows with the corpus: the exponent of its seconds over the number of chunks.

One is linear. It is fitted by least squares over the logarithms of chunks and processor seconds, which other
work on the machine disturbs less than the clock. Stages of less than a hundredth of the run are left out.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ark_tui.engine import Engine
from ark_tui.settings import load
from benchmarks import corpus
from benchmarks.measure import Figure, rounded, tell

SHARES = (0.1, 0.3, 1.0)  # of the files, that are indexed
LEAST = 0.01  # of the run, that a stage must take to be fitted


def main(root: Path | None = None) -> None:
    """`root`: a folder of your own, of which growing parts are indexed, instead of synthetic pages."""
    root = root or corpus.pages()
    files = sorted(path for path in root.rglob("*") if path.is_file())
    taken: dict[str, list[tuple[int, float]]] = {}
    whole: list[tuple[int, float]] = []
    for share in SHARES:
        chunks, seconds, stages = indexed(files[: max(1, round(share * len(files)))], root)
        whole.append((chunks, seconds))
        for name, busy in stages.items():
            taken.setdefault(name, []).append((chunks, busy))
    total = sum(points[-1][1] for points in taken.values())
    fitted = {name: exponent(points) for name, points in taken.items() if points[-1][1] >= LEAST * total}
    worst = max(fitted, key=lambda name: fitted[name])
    (first, before), (last, after) = whole[0], whole[-1]
    rate = (last / after) / (first / before)
    tell(
        Figure(
            "growth", round(rate, 3), "≥ 0.8",
            {"exponents": rounded(**fitted), "chunks": [chunks for chunks, _ in whole],
             "seconds": [round(seconds, 2) for _, seconds in whole]},
        ),
        f"{last:,} chunks go in at {last / after:,.0f} a second, {rate:.2f} × the rate of {first:,}; the "
        f"steepest stage ({worst}) grows with chunks to the power of {fitted[worst]:.2f}",
    )  # fmt: skip


def indexed(files: Sequence[Path], root: Path) -> tuple[int, float, dict[str, float]]:
    """Chunks, seconds, and the processor's seconds of each stage, of indexing these files into a new home."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "corpus"
        for file in files:
            place = folder / file.relative_to(root)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.read_bytes())
        with Engine(load(Path(scratch) / "home", environ={})) as engine:
            report = engine.index([folder])
            chunks = sum(one.chunks for one in engine.status().collections)
    stages = {f"{stage.line}: {stage.stage}": stage.processor_s for stage in report.stages}
    return chunks, report.took_s, stages


def exponent(points: Sequence[tuple[int, float]]) -> float:
    """The slope of the straight line through the logarithms."""
    x = [math.log(chunks) for chunks, _ in points]
    y = [math.log(max(seconds, 1e-3)) for _, seconds in points]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    spread = sum((a - mean_x) ** 2 for a in x)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / spread


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None)
