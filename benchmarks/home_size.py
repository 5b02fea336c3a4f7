"""The home on disk, right after indexing, against text and one float32 vector per chunk, and text alone."""

from __future__ import annotations

import tempfile
from pathlib import Path

from ark_tui.engine import Engine
from ark_tui.settings import load
from benchmarks import corpus
from benchmarks.measure import Figure, rounded, tell

MB = 1 << 20
VECTOR = 256 * 4  # bytes
AGAINST_TEXT = 4  # goal for the home against its text alone


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
    ratio, against_text = whole / (text + chunks * VECTOR), whole / text
    tell(
        Figure(
            "home_size", round(ratio, 3), "≤ 4",
            rounded(
                against_text=against_text, home_mb=whole / MB, text_mb=text / MB,
                vectors_mb=chunks * VECTOR / MB, **parts,
            ),
        ),
        f"The home takes {ratio:.2f} × text and vectors, {against_text:.2f} × the text alone "
        f"(≤ {AGAINST_TEXT}): {whole / MB:.0f} MB over {text / MB:.0f} MB of text and {chunks:,} chunks",
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
