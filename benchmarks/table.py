"""Whether a table elsewhere is searched as the home that publishes it: 500 queries, first ten hits, exact.

Queries are three to six words that follow each other in a text, and single headings, of a corpus of pages.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from random import Random

from ark_tui import settings
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from benchmarks import corpus
from benchmarks.measure import Figure, middle, rounded, tell

PAGES, QUERIES = 500, 500


def main() -> None:
    pages = corpus.pages(PAGES)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with _opened(folder, "home") as home, _opened(folder, "reader") as reader:
            home.index([pages])
            same, here, there = 0, list[float](), list[float]()
            for query in _queries(pages):
                expected, took = _asked(home, query)
                here.append(took)
                found, took = _asked(reader, query)
                there.append(took)
                same += found == expected
            chunks = home.status().chunks
    worked, elsewhere = middle(here), middle(there)
    tell(
        Figure("table", same / QUERIES, "≥ 0.99",
               rounded(chunks=chunks, here_processor_ms=worked, table_processor_ms=elsewhere)),
        f"Of {QUERIES} queries over {chunks:,} chunks {same} have the same first ten in a table on a share "
        f"as at home, in their order; a search there takes {elsewhere / worked:.1f} times the processor time "
        f"({elsewhere:.0f} of {worked:.0f} ms)",
    )  # fmt: skip


def _opened(folder: Path, name: str) -> Engine:
    patient = {"index": str(folder / "table"), "query_budget": 60.0, "expand_budget": 60.0}
    return Engine(settings.load(folder / name, patient, environ={}))


def _asked(engine: Engine, query: str) -> tuple[list[str], float]:
    """The first ten, and the milliseconds of processor time."""
    began = time.process_time()
    result = engine.search(Request(query, limit=10, below=True, unlogged=True))
    return [hit.document.path for hit in result.hits], (time.process_time() - began) * 1000


def _queries(pages: Path) -> list[str]:
    chance, files, found = Random(21), sorted(pages.rglob("*.md")), dict[str, None]()
    while len(found) < QUERIES:
        lines = [line for line in chance.choice(files).read_text("utf-8").split("\n") if line[:1].isalpha()]
        words = [word for word in chance.choice(lines or ["gap"]).split() if word.isalnum()]
        if len(words) >= 3:
            at = chance.randrange(len(words) - 2)
            found[" ".join(words[at : at + chance.randint(3, 6)])] = None
    return [*found]


if __name__ == "__main__":
    main()
