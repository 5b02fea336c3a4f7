"""A corpus of 20,000 chunks published at a folder and at an S3 server on loopback, by two homes.

`python -m benchmarks.publishing [CHUNKS]` prints how long the publication takes, and a search of the table by
words, by meaning and by both. Meanwhile a second home tries to publish at the same place, and has to be
refused in words.
"""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path

from ark_tui.domain.errors import StoreError
from ark_tui.domain.query import Mode, Request
from ark_tui.domain.work import Progress
from ark_tui.engine import Engine, publishing
from ark_tui.settings import load
from benchmarks import corpus
from benchmarks.measure import Figure, middle, milliseconds, rounded, tell
from tests.table_server import TableServer

QUERIES = 20
MODES: tuple[Mode, ...] = ("keyword", "semantic", "hybrid")


def main(chunks: int) -> None:
    with tempfile.TemporaryDirectory() as scratch, TableServer.reached() as server:
        places = {"folder": str(Path(scratch) / "share"), "S3": f"{server.bucket('corpus')}/notes"}
        with Engine(load(corpus.home(chunks), environ={})) as first, second(Path(scratch)) as other:
            told = {name: published(first, other, uri) for name, uri in places.items()}
            asked = corpus.queries(QUERIES)
            searched = {f"{name} {mode}": took(first, uri, mode, asked)
                        for name, uri in places.items() for mode in MODES}  # fmt: skip
    seconds = {f"{name}_s": one for name, (one, _) in told.items()}
    refused = all(why for _, why in told.values())
    tell(
        Figure("publishing", float(refused), "≥ 1", rounded(**seconds, **searched)),
        f"{chunks:,} chunks are published "
        + ", ".join(f"at {name} in {one:.0f} s" for name, (one, _) in told.items())
        + f"; the second home is told “{told['S3'][1]}”; a search takes "
        + ", ".join(f"{name} {ms:.0f} ms" for name, ms in searched.items()),
    )  # fmt: skip


def second(scratch: Path) -> Engine:
    """Another home, with a note of its own."""
    (scratch / "notes").mkdir()
    (scratch / "notes" / "note.md").write_text("# A note\n\nOf another home.", "utf-8")
    engine = Engine(load(scratch / "other", environ={}))
    engine.index([scratch / "notes"])
    return engine


def published(first: Engine, other: Engine, uri: str) -> tuple[float, str]:
    """Seconds of the first publication, and what another home is told that publishes there meanwhile."""
    told: list[str] = []

    def meanwhile(_: Progress) -> None:
        if not told:
            try:
                publishing.publish(other, uri)
            except StoreError as error:
                told.append(error.told)
            else:
                told.append("")

    return milliseconds(lambda: publishing.publish(first, uri, progress=meanwhile)) / 1000, told[0]


def took(engine: Engine, uri: str, mode: Mode, asked: list[str]) -> float:
    """The middle of the milliseconds that a search of the table takes."""
    requests = [Request(text, mode=mode) for text in asked]
    return middle([milliseconds(partial(publishing.search, engine, uri, one)) for one in requests])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
