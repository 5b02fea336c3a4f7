"""What the other processes of the long trials do: `python -m tests.soak.driver WHAT HOME …`."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from ark_tui.domain.query import Filters, Request
from ark_tui.engine import Engine
from ark_tui.settings import load
from benchmarks.corpus import Author
from tests.soak import audit


def timed(seconds: float, act: Callable[[int], object]) -> dict[str, float]:
    """Do something again and again; how often, and the longest it took once (ms)."""
    end = time.monotonic() + seconds
    count, worst = 0, 0.0
    while time.monotonic() < end:
        began = time.monotonic()
        act(count)
        count, worst = count + 1, max(worst, time.monotonic() - began)
    return {"count": count, "worst_ms": worst * 1000}


def index(home: Path, folder: Path, seconds: float) -> dict[str, float]:
    """Touch files and index them."""
    random = Random(1)
    with Engine(load(home, environ={})) as engine:
        touched = 0

        def once(_: int) -> None:
            nonlocal touched
            audit.disturb(folder, random)
            touched += engine.index([folder]).touched

        return {**timed(seconds, once), "touched": touched}


def search(home: Path, seconds: float) -> dict[str, float]:
    """Search, and after every twentieth search keep a thought."""
    author = Author(5)
    with Engine(load(home, environ={})) as engine:
        worst = {"search": 0.0, "write": 0.0}
        hits = writes = 0

        def once(number: int) -> None:
            nonlocal hits, writes
            began = time.monotonic()
            kind = "write" if number % 20 == 19 else "search"
            if kind == "write":
                engine.ingest_text(f"Thought {number}: {author.paragraph()}")
                writes += 1
            else:
                filters = Filters(collections=("pages",)) if number % 3 else Filters()
                hits += len(engine.search(Request(author.query(), filters=filters)).hits)
            worst[kind] = max(worst[kind], time.monotonic() - began)

        done = timed(seconds, once)
    return {
        **done,
        "hits": hits,
        "writes": writes,
        **{f"worst_{kind}_ms": took * 1000 for kind, took in worst.items()},
    }


def requests(home: Path, count: int) -> dict[str, float]:
    """Search and write with one engine; the memory that is held (MB) after a tenth, and after all of it."""
    author, held = Author(2), {}
    with Engine(load(home, environ={})) as engine:
        memory, scope = engine.memory, engine.memory.scope()
        for number in range(1, count + 1):
            if number % 200 == 0:
                engine.ingest_text(f"Thought {number}: {author.paragraph()}")
            elif number % 20 == 0:
                memory.tasks.add(scope, f"task {number}", due="", tags=())
            elif number % 20 == 1:
                memory.scratch.set(scope, f"key {number % 50}", f"value {number}")
            elif number % 20 == 2:
                memory.conversations.add(scope, "user", f"said {number}: {author.title()}")
            else:
                engine.search(Request(author.query()))
            if number in (count // 10, count):
                held[f"after_{number}"] = memory_mb()
    return held


def memory_mb() -> float:
    """Resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def die_after(steps: int) -> None:
    """End this process, as a kill would, right after so many files have been put in another's place."""
    replace, left = os.replace, steps

    def counted(*places: Any) -> None:
        nonlocal left
        replace(*places)
        left -= 1
        if left == 0:
            os._exit(9)

    os.replace = counted  # type: ignore[assignment]


def main(what: str, home: str, *rest: str) -> None:
    if what == "index":
        found = index(Path(home), Path(rest[0]), float(rest[1]))
    elif what == "search":
        found = search(Path(home), float(rest[0]))
    elif what == "requests":
        found = requests(Path(home), int(rest[0]))
    else:
        die_after(int(rest[1]))
        with Engine(load(Path(home), environ={})) as engine:
            engine.restore(Path(rest[0]))
        found = {}
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
