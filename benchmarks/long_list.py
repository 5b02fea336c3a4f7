"""Page keys in a library of 100,000 documents: how long one waits until its rows are on the screen."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING

from textual.events import Key

from ark_tui.domain.documents import ChunkDraft, Draft, content_hash
from ark_tui.engine import Engine
from ark_tui.settings import load
from ark_tui.store import Store, documents, files
from ark_tui.store.documents import Arrival
from ark_tui.store.files import FileRecord
from benchmarks import corpus
from benchmarks.measure import Figure, middle, percentile, rounded, tell
from benchmarks.workbench import opened, painted

if TYPE_CHECKING:
    from ark_tui.interfaces.tui.app import ArkApp
    from ark_tui.interfaces.tui.panes.browsing import Browser

LIMIT = 100.0  # ms: what is felt as at once
ROWS = 100_000
BATCH = 2_000
KEYS = 120
APART = 0.03  # seconds: a key that is held down


def main() -> None:
    times, jumps = asyncio.run(_paged(_home()))
    tell(
        Figure(
            "long_list", round(max(times) / LIMIT, 3), "≤ 1",
            rounded(key_ms=middle(times), p95_ms=percentile(times, 0.95), longest_ms=max(times),
                    jump_ms=max(jumps)),
        ),
        f"In a library of {ROWS:,} documents a page key takes {middle(times):.0f} ms "
        f"(p95 {percentile(times, 0.95):.0f}, the longest {max(times):.0f}); "
        f"a jump to the other end {max(jumps):.0f} ms, with its rows",
    )  # fmt: skip


def _home() -> Path:
    """A home of short documents, with its indexes: no work is under way when it is opened."""

    def make(path: Path) -> None:
        with Engine(load(path, environ={})) as engine:
            store = Store(engine.settings.home, engine.settings.clock)
            author = corpus.Author(seed=3)
            for start in range(0, ROWS, BATCH):
                with store.write() as lease:
                    if not start:
                        files.open_collection(lease, "short")
                    documents.put(lease, [_arrival(number, author) for number in range(start, start + BATCH)])
            store.close()

    return corpus.followed(corpus.kept(f"short-{ROWS}", make))


def _arrival(number: int, author: corpus.Author) -> Arrival:
    body = author.paragraph(1, 3)
    path = f"{number // 1000:03}/{number:06}.md"
    draft = Draft(path, f"Note {number}", body, (ChunkDraft(0, len(body), 1, 1, 8),))
    digest = content_hash(body.encode())
    return Arrival(FileRecord("short", path, 0, 0, 0, 0, digest, "indexed"), (draft,))


async def _paged(home: Path) -> tuple[list[float], list[float]]:
    """Milliseconds of each page key, and of jumps from one end to the other."""
    from ark_tui.interfaces.tui.panes.library import LibraryPane

    async with opened(load(home, environ={})) as (app, pilot):
        await app.workbench.show_pane("library")
        library = app.workbench.query_one(LibraryPane)
        library.go_to("browser")
        browser = library.browser
        while browser.documents.count < ROWS:
            await pilot.pause(0.05)
        browser.documents.focus()
        await pilot.pause(2.0)
        times = [await _key(app, browser, "pagedown") for _ in range(KEYS)]
        jumps = [await _key(app, browser, key) for key in ("end", "home") * 2]
        times += [await _key(app, browser, "pagedown") for _ in range(KEYS // 4)]
    return times, jumps


async def _key(app: ArkApp, browser: Browser, key: str) -> float:
    """Milliseconds until the cursor is elsewhere and its row, and those around it, are painted."""
    listed = browser.documents
    before = listed.cursor
    start = time.perf_counter()
    app.post_message(Key(key, None))
    while listed.cursor == before or not _seen(browser):  # noqa: ASYNC110 - the page is no event
        await asyncio.sleep(0.001)
    await painted(app)
    took = (time.perf_counter() - start) * 1000
    await asyncio.sleep(APART)
    return took


def _seen(browser: Browser) -> bool:
    """Whether every row in view is there."""
    listed = browser.documents
    top = listed.scroll_offset.y // listed.ROW_HEIGHT
    return all(listed.document(row) for row in range(top, min(top + listed.page, listed.count)))


if __name__ == "__main__":
    main()
