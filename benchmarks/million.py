"""A million chunks: taken in step by step, and at each step searched, edited, looked over and weighed.

`python -m benchmarks.million [FOLDER]`: a folder of Markdown files, also as `ARK_BENCH_FILES`; else one is
made, once. Files are taken into one collection by hard links, so that each step indexes what is new beside
what was there. The table of all steps, and by which power of the chunks each figure grows, is written to
`growth.md`.
"""

from __future__ import annotations

import gc
import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.settings import load
from benchmarks import corpus
from benchmarks.home_size import size
from benchmarks.measure import Figure, middle, milliseconds, percentile, rounded, tell
from benchmarks.memory import KB_UNIT

STEPS = (0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # shares of all files
PAGES = 110_000  # of its own, of nine chunks each in the mean
QUERIES = 120
WARM = 10  # of these do not count
EDITED = 10  # files
MB = 1 << 20
TABLE = Path(__file__).parent / "growth.md"
PARTS = {"vectors_mb": "vectors", "words_mb": "words", "store_mb": "ark.duckdb"}


@dataclass(frozen=True, slots=True)
class Step:
    """What was measured with so many chunks there; `added_s` is for the chunks since the step before."""

    chunks: int
    added: int
    added_s: float
    processor_s: float
    written_mb: float
    search_p50_ms: float
    search_p99_ms: float
    edited_s: float
    unchanged_s: float
    peak_mb: float
    home_mb: float
    parts: dict[str, float]

    @property
    def rate(self) -> float:
        """Chunks a second."""
        return self.added / self.added_s


def main(folder: Path | None) -> None:
    folder = folder or corpus.pages(PAGES)
    files = sorted(folder.rglob("*.md"))
    asked = list(_queries(files))
    with tempfile.TemporaryDirectory(dir=corpus.folder()) as scratch:
        root, home, steps = Path(scratch) / "files", Path(scratch) / "home", list[Step]()
        for before, share in zip((0.0, *STEPS), STEPS, strict=False):
            fresh = files[round(before * len(files)) : round(share * len(files))]
            _link(folder, fresh, root)
            with Engine(load(home, environ={})) as engine:
                steps.append(_step(engine, root, steps[-1].chunks if steps else 0, asked))
            sys.stderr.write(_row(steps[-1]) + "\n")
        with Engine(load(home, environ={})) as engine:
            backup_s = milliseconds(lambda: engine.backup(Path(scratch) / "backup.zip")) / 1000
            analysis_s = milliseconds(engine.analysis.run) / 1000
        peak = _peak()
    TABLE.write_text(_page(steps), "utf-8")
    last = steps[-1]
    first = next(step for step in steps if step.chunks >= last.chunks / 10 * 0.9)
    tell(
        Figure(
            "million", round(last.rate / first.rate, 3), "≥ 0.8",
            rounded(chunks=last.chunks, index_s=sum(step.added_s for step in steps), rate=last.rate,
                    search_p50_ms=last.search_p50_ms, search_p99_ms=last.search_p99_ms,
                    edited_s=last.edited_s, unchanged_s=last.unchanged_s, backup_s=backup_s,
                    analysis_s=analysis_s, peak_mb=peak, home_mb=last.home_mb, **last.parts),
        ),
        f"{last.chunks:,} chunks in after {sum(step.added_s for step in steps) / 60:.0f} minutes (≤ 25), "
        f"{last.rate:.0f} a second at the end against {first.rate:.0f} at a tenth; "
        f"a search takes {last.search_p50_ms:.0f} ms (≤ 60; p99 {last.search_p99_ms:.0f} ≤ 150), "
        f"{EDITED} changed files {last.edited_s:.1f} s, a backup {backup_s:.0f} s, all analysis "
        f"{analysis_s:.0f} s; memory peaks at {peak / 1024:.1f} GB (≤ 8), the home takes "
        f"{last.home_mb / 1024:.1f} GB",
    )  # fmt: skip


def _step(engine: Engine, root: Path, before: int, asked: Sequence[str]) -> Step:
    """Take in what has been linked, then do what people do."""
    used, wrote = _processor(), _written()
    took = milliseconds(lambda: engine.index([root])) / 1000
    used, wrote = _processor() - used, _written() - wrote
    chunks = engine.status().chunks
    unchanged = milliseconds(lambda: engine.index([root])) / 1000
    times = [milliseconds(lambda query=query: engine.search(Request(query))) for query in asked][WARM:]  # type: ignore[misc]
    _edit(root)
    edited = milliseconds(lambda: engine.index([root])) / 1000
    gc.collect()
    home = engine.settings.home.path
    parts = {name: size(home / path) / MB for name, path in PARTS.items()}
    return Step(
        chunks, chunks - before, took, used, wrote / MB, middle(times), percentile(times, 0.99), edited,
        unchanged, _peak(), size(home) / MB, parts,
    )  # fmt: skip


def _link(folder: Path, files: Sequence[Path], root: Path) -> None:
    for file in files:
        target = root / file.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(file, target)
        except OSError:  # on another disk
            shutil.copy2(file, target)


def _edit(root: Path) -> None:
    """A sentence more in some files, spread over all; the corpus that they are linked to stays as it is."""
    files = sorted(root.rglob("*.md"))
    for file in files[:: max(len(files) // EDITED, 1)][:EDITED]:
        text = file.read_text("utf-8")
        file.unlink()
        file.write_text(f"{text}\nEdited at {time.time_ns()}.\n", "utf-8")


def _queries(files: Sequence[Path]) -> Iterator[str]:
    """Words that stand together in some of the files, three to seven of them."""
    for number, file in enumerate(files[:: max(len(files) // QUERIES, 1)][:QUERIES]):
        words = [word for word in file.read_text("utf-8").split() if word.isalpha() and len(word) > 2]
        start = len(words) // 2
        yield " ".join(islice(words, start, start + 3 + number % 5)) or "notes"


def _processor() -> float:
    """Seconds of processor that this process and its children have taken."""
    mine, theirs = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return mine.ru_utime + mine.ru_stime + theirs.ru_utime + theirs.ru_stime


def _peak() -> float:
    """Megabytes that this process took at most, and the largest of its children."""
    return (
        sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        * KB_UNIT
        / MB
    )


def _written() -> int:
    """Bytes that this process has written to files; 0 where the system does not count them."""
    try:
        counts = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    except OSError:
        return 0
    return int(counts["wchar"])


COLUMNS: dict[str, Callable[[Step], float]] = {
    "chunks": lambda step: step.chunks,
    "chunks a second": lambda step: step.rate,
    "processor, ms a chunk": lambda step: step.processor_s / step.added * 1000,
    "written, kB a chunk": lambda step: step.written_mb * 1024 / step.added,
    "search p50, ms": lambda step: step.search_p50_ms,
    "p99, ms": lambda step: step.search_p99_ms,
    "10 changed files, s": lambda step: step.edited_s,
    "nothing changed, s": lambda step: step.unchanged_s,
    "peak, MB": lambda step: step.peak_mb,
    "home, MB": lambda step: step.home_mb,
}


def exponent(chunks: Sequence[float], figures: Sequence[float]) -> float:
    """The power of the number of chunks by which a figure grows: the slope of a line through logarithms."""
    x, y = (np.log(np.maximum(column, 1e-9)) for column in (chunks, figures))
    return float(np.polyfit(x, y, 1)[0])


def _row(step: Step) -> str:
    return " | ".join(
        f"{column(step):,.4g}" if at else f"{column(step):,}" for at, column in enumerate(COLUMNS.values())
    )


def _page(steps: Sequence[Step]) -> str:
    """All steps as a table, and by which power of the chunks each figure grew over the last tenfold."""
    late = [step for step in steps if step.chunks >= steps[-1].chunks / 10 * 0.9]
    chunks = [step.chunks for step in late]
    powers = [f"{exponent(chunks, [column(step) for step in late]):.2f}" for column in COLUMNS.values()]
    return "\n".join(
        (
            "# Growth",
            "",
            "Made by `python -m benchmarks.million`. Each row is a step: chunks taken in beside those there,",
            "then searches, an edit and a run over what has not changed. The last row is the power of the",
            "number of chunks by which a figure grew over the last tenfold: 0 for a rate or a cost of one",
            "chunk that stays what it is, 1 for a whole that is linear.",
            "",
            f"| {' | '.join(COLUMNS)} |",
            f"|{'---|' * len(COLUMNS)}",
            *(f"| {_row(step)} |" for step in steps),
            f"| *grows by the power* | {' | '.join(powers[1:])} |",
            "",
        )
    )


if __name__ == "__main__":
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("ARK_BENCH_FILES")
    main(Path(given) if given else None)
