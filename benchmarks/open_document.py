"""From a document asked for to its text on the screen: a megabyte of Markdown, and a megabyte in one line.

Both are opened in turns in the reader of a workbench, rendered, with the matches of a query marked, and a
small note between them. Beside it the longest time that no key would have been answered meanwhile.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Self

from benchmarks.measure import Figure, middle, rounded, tell
from benchmarks.workbench import opened, painted

LIMIT = 200.0  # ms
SIZE = 1_000_000  # characters
ROUNDS = 7
SIGN = "Ж"  # with its name behind it at the top of each document, and nowhere else on the screen
BEAT = 0.002  # seconds
WORDS = (
    "spectral",
    "gap",
    "mixing",
    "time",
    "chain",
    "laplacian",
    "kernel",
    "vector",
    "search",
    "index",
    "graph",
)


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "notes"
        folder.mkdir()
        for name, text in _documents().items():
            (folder / name).write_text(text, "utf-8")
        times, stall, work = asyncio.run(_opened(folder, Path(scratch) / "home"))
    long, line, note = (middle(times[name]) for name in ("long.md", "line.md", "note.md"))
    tell(
        Figure(
            "open_document", round(max(long, line) / LIMIT, 3), "≤ 1",
            rounded(markdown_ms=long, line_ms=line, note_ms=note, stall_ms=stall, processor_ms=work),
        ),
        f"1 MB of Markdown is open, rendered, after {long:.0f} ms ({work:.0f} of processor), "
        f"1 MB in one line after {line:.0f} ms, a small note after {note:.0f} ms; "
        f"no key waits longer than {stall:.0f} ms meanwhile",
    )  # fmt: skip


def _documents() -> dict[str, str]:
    return {
        "note.md": f"# Note\n\n{SIGN}note.md is a spectral note.\n",
        "long.md": f"# Long\n\n{SIGN}long.md\n\n" + "".join(_parts(Random(1))),
        "line.md": f"{SIGN}line.md " + "spectral [b x* " * (SIZE // 15),
    }


def _parts(random: Random) -> Iterator[str]:
    """Headings, paragraphs with links, lists, tables and code, of a megabyte."""
    size = number = 0
    while size < SIZE:
        one, two, three = (" ".join(random.choices(WORDS, k=70)) for _ in range(3))
        item, cell = three[:60], one[:40]
        part = (
            f"## Part {number}\n\n{one} **bold** and `code`, see [[note]] and [it](note.md).\n\n{two}\n\n"
            f"- item {item}\n- [ ] task {item[:30]}\n\n"
            f"| a | b |\n|---|---|\n| {cell} | 2 |\n\n"
            f"```python\ndef f(x: int) -> int:\n    return x + {number}  # spectral\n```\n\n"
        )
        size, number = size + len(part), number + 1
        yield part


async def _opened(folder: Path, home: Path) -> tuple[dict[str, list[float]], float, float]:
    """Milliseconds of each opening by name, the longest stall, and those of processor that Markdown takes."""
    from ark_tui import settings
    from ark_tui.engine import Engine
    from ark_tui.interfaces.tui.state.trail import Wanted

    chosen = settings.load(home, environ={})
    with Engine(chosen) as engine:
        engine.index([folder])
    times: dict[str, list[float]] = {name: [] for name in _documents()}
    worked: dict[str, list[float]] = {name: [] for name in times}
    stalls: list[float] = []
    async with opened(chosen) as (app, pilot):
        search = app.workbench.search_pane
        search.query_line.value = "spectral"
        while not search.has_hits or search.result is None or search.result.partial:
            await pilot.pause(0.05)
        await pilot.pause(1.0)
        reader = search.hits.reader
        for _ in range(ROUNDS + 1):
            for name, took in times.items():
                async with _Heart() as heart:
                    start, work = time.perf_counter(), time.process_time()
                    reader.want(Wanted(name, "spectral"))
                    while reader.passage is None or reader.passage.document.path != name:
                        if reader.trail.base != Wanted(name, "spectral"):  # the hit has come back
                            reader.want(Wanted(name, "spectral"))
                        await asyncio.sleep(0.001)
                    await painted(app)
                    took.append((time.perf_counter() - start) * 1000)
                    worked[name].append((time.process_time() - work) * 1000)
                    assert any(f"{SIGN}{name}" in line for line in _lines(app))
                    await asyncio.sleep(0.6)  # what follows: the whole of it, the colours of its code
                stalls.append(heart.longest * 1000)
                reader.clear()
                await pilot.pause(0.05)
    work = middle(worked["long.md"][1:])
    return {name: found[1:] for name, found in times.items()}, max(stalls[len(times) :]), work


class _Heart:
    """Beats in the loop of the app; what is between two beats, nobody was answered."""

    longest = 0.0

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._beat())
        return self

    async def __aexit__(self, *error: object) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    async def _beat(self) -> None:
        last = time.perf_counter()
        while True:
            await asyncio.sleep(BEAT)
            now = time.perf_counter()
            self.longest, last = max(self.longest, now - last - BEAT), now


def _lines(app: object) -> list[str]:
    """What is on the screen, line by line."""
    strips = app.screen._compositor.render_strips()  # type: ignore[attr-defined]  # noqa: SLF001
    return [strip.text for strip in strips]


if __name__ == "__main__":
    main()
