"""A context for a question over 100,000 items beside 100,000 chunks of documents: p50 and p99.

Three in four items are facts, the others patterns, and a thousand are rules, of which a few hold everywhere.
`ITEMS=10000` takes fewer.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from itertools import islice
from pathlib import Path

from ark_tui.domain.documents import Draft, content_hash
from ark_tui.domain.layers import MEMORY
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.memory.kinds import KINDS
from ark_tui.settings import load
from ark_tui.store import Store, documents, files
from ark_tui.store.documents import Arrival
from ark_tui.store.files import FileRecord
from benchmarks import corpus
from benchmarks.measure import Figure, Work, middle, milliseconds, percentile, rounded, tell

ITEMS = int(os.environ.get("ITEMS", "100000"))
QUERIES, WARM = 200, 15
RULES = 1_000
EVERYWHERE = 10  # of these
BATCH = 2_000
SINCE = date(2026, 1, 1)
MIDDLE, LAST = 18.0, 50.0  # ms: p50 and p99 at most

Made = tuple[str, dict[str, object]]
"""The name of a kind, and the values of an item."""


def main() -> None:
    queries = corpus.queries(WARM + QUERIES)
    with Engine(load(home(), environ={})) as engine:
        engine.warm()
        context, search = engine.memory.context, engine.search
        assert {"fact", "pattern", "directive", "passage"} <= {
            item.kind for one in queries[:WARM] for item in context(one, budget=8_000).items
        }, "contexts of everything there is"
        whole, processor = timed([partial(context, one) for one in queries])
        known, _ = timed([partial(context, one, passages=0) for one in queries])
        plain, _ = timed([partial(search, Request(one, unlogged=True)) for one in queries])
    ratio = max(middle(whole) / MIDDLE, percentile(whole, 0.99) / LAST)
    tell(
        Figure(
            "context", round(ratio, 3), "≤ 1",
            rounded(p50_ms=middle(whole), p99_ms=percentile(whole, 0.99), known_p50_ms=middle(known),
                    known_p99_ms=percentile(known, 0.99), search_p50_ms=middle(plain),
                    processor_ms=middle(processor), items=ITEMS),
        ),
        f"A context over {ITEMS:,} items beside {corpus.CHUNKS:,} chunks takes p50 {middle(whole):.1f} ms "
        f"(≤ {MIDDLE:.0f}), p99 {percentile(whole, 0.99):.1f} ms (≤ {LAST:.0f}), "
        f"{middle(processor):.1f} ms of processor; without passages {middle(known):.1f} and "
        f"{percentile(known, 0.99):.1f} ms; a plain search there takes {middle(plain):.1f} ms",
    )  # fmt: skip


def timed(works: Sequence[Work]) -> tuple[list[float], list[float]]:
    """Milliseconds of each, after some that do not count: by the clock, and of all processors."""
    wall, processor = [], []
    for work in works:
        used = time.process_time()
        wall.append(milliseconds(work))
        processor.append((time.process_time() - used) * 1000)
    return wall[WARM:], processor[WARM:]


def home() -> Path:
    """The home of synthetic documents, and as many items in it."""

    def make(path: Path) -> None:
        shutil.copytree(corpus.home(), path, dirs_exist_ok=True)
        with Engine(load(path, environ={})) as engine:
            store = Store(engine.settings.home, engine.settings.clock)
            reader, waiting = engine.reader, items()
            while batch := list(islice(waiting, BATCH)):
                drafts = [
                    replace(
                        KINDS[kind].draft(reader, values, f"{kind}/{values['number']}"),
                        layer=KINDS[kind].layer, type=KINDS[kind].name,
                        agent="bench", session="bench", date=SINCE + timedelta(days=number % 300),
                    )
                    for number, (kind, values) in enumerate(batch)
                ]  # fmt: skip
                with store.write() as lease:
                    files.open_collection(lease, MEMORY)
                    documents.put(lease, [_arrival(draft) for draft in drafts])
                    _kept(lease, batch, drafts)
            store.close()
            engine.sync(wait=600)

    return corpus.followed(corpus.kept(f"known-{ITEMS}", make))


def items() -> Iterator[Made]:
    """What is known: sentences of the sample with invented names in them."""
    author = corpus.Author(13)
    for number in range(ITEMS):
        text = author.paragraph(1, 2)
        if number < RULES:
            scope = "" if number < EVERYWHERE else f"folder{number}"
            yield (
                "directives",
                {"kind": "MUST", "text": text, "scope": scope, "priority": 0, "number": number},
            )
        elif number % 4:
            yield "facts", {"text": text, "source": "", "number": number}
        else:
            yield "patterns", {"problem": text, "solution": author.paragraph(1, 2), "number": number}


def _arrival(draft: Draft) -> Arrival:
    digest = content_hash(draft.body.encode())
    return Arrival(FileRecord(MEMORY, draft.path, 0, 0, 0, 0, digest, "indexed"), (draft,))


def _kept(lease, batch: list[Made], drafts: list[Draft]) -> None:  # type: ignore[no-untyped-def]
    numbers = {
        str(path): int(number)
        for path, number in lease.rows("SELECT path, number FROM ark.documents WHERE folder = ?", MEMORY)
    }
    patterns, rules = [], []
    for (kind, values), draft in zip(batch, drafts, strict=True):
        number = numbers[draft.path]
        if kind == "patterns":
            tried = number % 7
            patterns.append((number, values["problem"], values["solution"], 0.3 + 0.1 * tried, tried, 0))
        elif kind == "directives":
            rules.append((number, values["kind"], values["scope"], values["priority"]))
    lease.insert("patterns", patterns)
    lease.insert("directives", rules)


if __name__ == "__main__":
    main()
