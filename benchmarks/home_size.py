"""The home on disk, right after indexing, against the text and one float32 vector per chunk."""

from __future__ import annotations

import tempfile
from pathlib import Path

from ark_tui.engine import Engine
from ark_tui.settings import load
from benchmarks import corpus
from benchmarks.measure import Figure, rounded, tell

MB = 1 << 20
VECTOR = 256 * 4  # bytes


def main() -> None:
    root = corpus.pages()
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / "home"
        with Engine(load(home, environ={})) as engine:
            engine.index([root])
            chunks = engine.status().chunks
        parts = {path.name: size(path) / MB for path in home.iterdir() if size(path) > MB / 10}
        whole = size(home)
    text = size(root)
    ratio = whole / (text + chunks * VECTOR)
    tell(
        Figure(
            "home_size", round(ratio, 3), "≤ 4",
            rounded(home_mb=whole / MB, text_mb=text / MB, vectors_mb=chunks * VECTOR / MB, **parts),
        ),
        f"The home takes {ratio:.2f} × text and vectors: {whole / MB:.0f} MB over {text / MB:.0f} MB of text "
        f"and {chunks:,} chunks",
    )  # fmt: skip


def size(path: Path) -> int:
    """Bytes of a file, or of all files below a folder."""
    return (
        path.stat().st_size
        if path.is_file()
        else sum(p.stat().st_size for p in path.rglob("*") if p.is_file())
    )


if __name__ == "__main__":
    main()
