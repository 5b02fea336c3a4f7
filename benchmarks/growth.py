"""How the rate of indexing changes as the corpus grows."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ark_tui.engine import Engine
from ark_tui.settings import load
from benchmarks import corpus
from benchmarks.measure import Figure, tell

SHARES = (0.1, 0.3, 1.0)  # of the files, that are indexed


def main(root: Path | None = None) -> None:
    """`root`: a folder of your own, of which growing parts are indexed, instead of synthetic pages."""
    root = root or corpus.pages()
    files = sorted(path for path in root.rglob("*") if path.is_file())
    whole = [indexed(files[: max(1, round(share * len(files)))], root) for share in SHARES]
    (first, before), (last, after) = whole[0], whole[-1]
    rate = (last / after) / (first / before)
    tell(
        Figure(
            "growth", round(rate, 3), "≥ 0.8",
            {"chunks": [chunks for chunks, _ in whole], "seconds": [round(took, 2) for _, took in whole]},
        ),
        f"{last:,} chunks are indexed at {last / after:,.0f} a second, {rate:.2f} × the rate of {first:,}",
    )  # fmt: skip


def indexed(files: Sequence[Path], root: Path) -> tuple[int, float]:
    """Chunks, and the seconds of indexing these files into a new home."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "corpus"
        for file in files:
            place = folder / file.relative_to(root)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.read_bytes())
        with Engine(load(Path(scratch) / "home", environ={})) as engine:
            report = engine.index([folder])
            chunks = sum(one.chunks for one in engine.status().collections)
    return chunks, report.took_s


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None)
