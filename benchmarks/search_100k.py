"""The whole default search over 100,000 chunks, and one by words alone: by the clock and by the processor.

`ARK_BENCH_HOME` names a home to be searched instead, which has been indexed already; its queries are then
taken from sentences of its own texts.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from random import Random

from ark_tui.domain.query import Mode, Request
from ark_tui.engine import Engine
from ark_tui.settings import load
from ark_tui.store import Store
from benchmarks import corpus
from benchmarks.measure import Figure, middle, percentile, rounded, tell

QUERIES = 200
WARM = 15
MIDDLE, LAST = 25.0, 50.0  # ms: p50 and p99 at most
WORD = re.compile(r"[A-Za-z]{3,}")


def main() -> None:
    own = os.environ.get("ARK_BENCH_HOME")
    settings = load(Path(own) if own else corpus.home(), environ={})
    queries = typed(settings.home.path) if own else corpus.queries(WARM + QUERIES)
    with Engine(settings) as engine:
        engine.warm()
        wall, processor = timed(engine, queries, "hybrid")
        words, words_processor = timed(engine, queries, "keyword")
    ratio = max(middle(wall) / MIDDLE, percentile(wall, 0.99) / LAST)
    tell(
        Figure(
            "search_100k", round(ratio, 3), "≤ 1",
            rounded(
                p50_ms=middle(wall), p99_ms=percentile(wall, 0.99), processor_ms=middle(processor),
                words_p50_ms=middle(words), words_p99_ms=percentile(words, 0.99),
                words_processor_ms=middle(words_processor),
            ),
        ),
        f"The whole default search takes p50 {middle(wall):.1f} ms (≤ {MIDDLE:.0f}), p99 "
        f"{percentile(wall, 0.99):.1f} ms (≤ {LAST:.0f}), {middle(processor):.1f} ms of processor; by "
        f"words alone p50 {middle(words):.1f} ms, {middle(words_processor):.1f} of processor",
    )  # fmt: skip


def timed(engine: Engine, queries: list[str], mode: Mode) -> tuple[list[float], list[float]]:
    """Milliseconds of each query, after some that do not count: by the clock, and of all processors."""
    wall, processor = [], []
    for query in queries:
        start, used = time.perf_counter(), time.process_time()
        engine.search(Request(query, mode=mode, unlogged=True))
        wall.append((time.perf_counter() - start) * 1000)
        processor.append((time.process_time() - used) * 1000)
    return wall[WARM:], processor[WARM:]


def typed(home: Path) -> list[str]:
    """Queries of one to eight words in a row out of sentences of a home's texts, one in five a question."""
    random = Random(3)
    settings = load(home, environ={})
    store = Store(settings.home, settings.clock)
    with store.read() as lease:
        bodies = [
            str(body)
            for (body,) in lease.rows("SELECT body FROM ark.documents ORDER BY hash(number) LIMIT 500")
        ]
    store.close()
    found = []
    for body in bodies:
        sentences = [WORD.findall(one) for one in re.split(r"(?<=[.!?])\s+", body)]
        if long := [words for words in sentences if 4 <= len(words) <= 40]:
            words = random.choice(long)
            start = random.randrange(len(words) - 3)
            line = " ".join(words[start : start + random.randint(1, 8)])
            found.append(f"how does {line}?" if random.random() < 0.2 else line)
    return found[: WARM + QUERIES]


if __name__ == "__main__":
    main()
