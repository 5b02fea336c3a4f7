"""Peak memory of indexing 7,000 pages, and of searching 100,000 chunks, each in a process of its own.

The ratio is of the larger of the two processes that index (see `engine.following`) against a process that
only imports what indexing imports.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.settings import load
from benchmarks import corpus
from benchmarks.measure import Figure, rounded, tell

MB = 1 << 20
KB_UNIT = 1 if sys.platform == "darwin" else 1024  # ru_maxrss: bytes there, kilobytes elsewhere


def main() -> None:
    *_, imports, index, search = map(peak, ("corpora", "imports", "index", "search"))
    tell(
        Figure(
            "memory", round(index / imports, 3), "≤ 4",
            rounded(imports_mb=imports, index_7000_pages_mb=index, search_100k_chunks_mb=search),
        ),
        f"Indexing 7,000 pages peaks at {index:.0f} MB ({index / imports:.1f} × the bare imports), "
        f"searching 100,000 chunks at {search:.0f} MB",
    )  # fmt: skip


def peak(what: str) -> float:
    """Megabytes that a process doing this took at most; as many as this one has, where that is more."""
    command = [sys.executable, "-m", "benchmarks.memory", what]
    return float(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def act(what: str) -> None:
    if what == "corpora":
        corpus.pages(), corpus.home()
    elif what == "imports":
        import duckdb  # noqa: F401
        import numpy as np  # noqa: F401
        import tantivy  # noqa: F401

        from ark_tui.embedding import static

        static.tokenizer(), static.table()
    elif what == "index":
        with (
            tempfile.TemporaryDirectory() as scratch,
            Engine(load(Path(scratch) / "h", environ={})) as engine,
        ):
            engine.index([corpus.pages()])
    else:
        with Engine(load(corpus.home(), environ={})) as engine:
            for query in corpus.queries(200):
                engine.search(Request(query))
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    print(max(resource.getrusage(one).ru_maxrss for one in whose) * KB_UNIT / MB)


if __name__ == "__main__":
    act(sys.argv[1]) if len(sys.argv) > 1 else main()
