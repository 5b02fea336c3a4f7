"""From a saved file to its hit in the workbench: 7,000 pages are watched, a query waits for the word.

Each file is written whole, with a word that nothing else has, while that word stands in the query line.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from pathlib import Path

from ark_tui.domain.jobs import WATCH
from ark_tui.engine import Engine
from ark_tui.settings import load
from benchmarks import corpus
from benchmarks.measure import Figure, middle, rounded, tell
from benchmarks.workbench import opened, painted

LIMIT = 2000.0  # ms
ROUNDS = 10
SETTLED = 3.0  # seconds from the first look at the folder to the first save


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder, home = Path(scratch) / "pages", Path(scratch) / "home"
        shutil.copytree(corpus.pages(), folder)
        with Engine(load(home, environ={})) as engine:
            engine.index([folder])
        times = asyncio.run(_saved(folder, home))
    tell(
        Figure(
            "watching", round(middle(times) / LIMIT, 3), "≤ 1",
            rounded(shown_ms=middle(times), first_ms=times[0], longest_ms=max(times)),
        ),
        f"In a folder of {corpus.PAGES:,} pages a saved file is among the hits after {middle(times):,.0f} ms "
        f"(≤ {LIMIT:,.0f}; the first {times[0]:,.0f}, the longest {max(times):,.0f})",
    )  # fmt: skip


async def _saved(folder: Path, home: Path) -> list[float]:
    """Milliseconds from each file written to its hit painted."""
    times: list[float] = []
    async with opened(load(home, environ={})) as (app, pilot):
        engine = app.context.opening.home().engine
        while not engine.background.looked or any(job.kind != WATCH for job in engine.jobs.live):
            await pilot.pause(0.05)
        search = app.workbench.search_pane
        await pilot.pause(SETTLED)
        for number in range(ROUNDS):
            word = f"zq{number}xv{number}"
            search.query_line.value = word
            while search.result is None or search.result.partial or search.result.query.raw != word:
                await pilot.pause(0.01)
            await pilot.pause(1.0)
            start = time.perf_counter()
            (folder / f"saved-{number}.md").write_text(f"# Saved {number}\n\nThe word is {word}.\n", "utf-8")
            while f"Saved {number}" not in (  # noqa: ASYNC110 - hits are no event
                hit.document.title for hit in search.result.hits
            ):
                await asyncio.sleep(0.005)
            await painted(app)
            times.append((time.perf_counter() - start) * 1000)
    return times


if __name__ == "__main__":
    main()
