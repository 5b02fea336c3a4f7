"""From a typed key to its hits at 100,000 chunks: the first of them, and all of them; and repaints at rest.

The workbench runs in this process over the shared home of 100,000 chunks; a query is typed key by key, at the
pace of a hand, each after the hits of the one before. What is timed ends when the hits are painted.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.settings import load
from benchmarks import corpus
from benchmarks.measure import Figure, middle, percentile, rounded, tell
from benchmarks.workbench import opened, painted

if TYPE_CHECKING:
    from ark_tui.interfaces.tui.app import ArkApp

FIRST, FULL = 60.0, 150.0  # ms
QUERIES = 4
APART = 0.1  # seconds from the hits of one key to the next
REST = 5.0  # seconds
CURSOR = "off"  # a blinking cursor is a repaint that somebody has asked for


def main() -> None:
    first, full, work, paints = asyncio.run(_typed(corpus.home()))
    worse = max(middle(first) / FIRST, middle(full) / FULL)
    tell(
        Figure(
            "typing", round(worse, 3), "≤ 1",
            rounded(first_ms=middle(first), first_p95_ms=percentile(first, 0.95), full_ms=middle(full),
                    full_p95_ms=percentile(full, 0.95), processor_ms=work, keys=len(full), repaints=paints),
        ),
        f"At 100,000 chunks a key has its first hits on the screen after {middle(first):.0f} ms "
        f"(≤ {FIRST:.0f}; p95 {percentile(first, 0.95):.0f}), all after {middle(full):.0f} ms "
        f"(≤ {FULL:.0f}; p95 {percentile(full, 0.95):.0f}), "
        f"with {work:.0f} ms of processor; {len(full)} keys; "
        f"at rest {paints} repaints in {REST:.0f} s",
    )  # fmt: skip


async def _typed(home: Path) -> tuple[list[float], list[float], float, int]:
    """Milliseconds to the first and to all hits of every key, those of processor, and repaints at rest."""
    first: list[float] = []
    full: list[float] = []
    work: list[float] = []
    async with opened(load(home, environ={"ARK_BLINK": CURSOR})) as (app, pilot):
        await pilot.pause(2.0)
        for query in ("warm words", *corpus.queries(QUERIES)):
            for end in range(3, len(query) + 1):
                if query[end - 1] == " ":
                    continue  # the hits stay what they are
                began = time.process_time()
                one, other = await _key(app, query[:end])
                work.append((time.process_time() - began) * 1000)
                await asyncio.sleep(APART)
                first.append(one)
                full.append(other)
            if query == "warm words":
                first.clear()
                full.clear()
                work.clear()
        await pilot.pause(3.0)
        repaints = await _repaints(app)
    return first, full, middle(work), repaints


async def _key(app: ArkApp, text: str) -> tuple[float, float]:
    """Milliseconds until the first hits of a query are painted, and until all are."""
    search = app.workbench.search_pane
    first = 0.0
    before = search.stages.shown
    start = time.perf_counter()
    search.query_line.value = text
    while True:
        await asyncio.sleep(0.001)
        result = search.result
        if result is None or search.stages.shown == before or result.query.raw != text:
            continue
        if not first:
            await painted(app)
            first = (time.perf_counter() - start) * 1000
            result = search.result
        if result is not None and not result.partial:
            await painted(app)
            return first, (time.perf_counter() - start) * 1000


async def _repaints(app: ArkApp) -> int:
    count = 0
    display = app._display  # noqa: SLF001

    def counted(*args: object) -> None:
        nonlocal count
        count += 1
        display(*args)  # type: ignore[arg-type]

    app._display = counted  # type: ignore[assignment,method-assign] # noqa: SLF001
    await asyncio.sleep(REST)
    return count


if __name__ == "__main__":
    main()
