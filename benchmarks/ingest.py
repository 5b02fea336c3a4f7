"""Indexing 7,000 pages against its floor, which its legs make when each does its work alone.

The legs are reading and cutting, DuckDB, embedding and tantivy, over the same files and chunks. The floor is
the larger of the slowest leg and the processor time of all of them over the cores.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import tantivy

from ark_tui.domain.documents import embedded_text
from ark_tui.domain.work import Problem
from ark_tui.embedding import static
from ark_tui.engine import Engine
from ark_tui.index.words import analysis
from ark_tui.ingest.ignore import Ignore
from ark_tui.ingest.reading import Reading
from ark_tui.ingest.reading import load as load_file
from ark_tui.ingest.walk import walk
from ark_tui.settings import load
from ark_tui.settings.tree import Tree
from ark_tui.store import Store, changes
from benchmarks import corpus
from benchmarks.measure import Figure, middle, rounded, tell

if TYPE_CHECKING:
    from ark_tui.domain.documents import LiveChunk

ROUNDS = 3
BATCH = 2000


LEGS = ("reading", "duckdb", "embedding", "tantivy")


def main(root: Path | None = None) -> None:
    """`root`: a folder of your own instead of the synthetic pages."""
    root = root or corpus.pages()
    times: dict[str, list[float]] = {"ingest": [], **{leg: [] for leg in LEGS}}
    work: dict[str, list[float]] = {leg: [] for leg in LEGS}
    chunks: list[LiveChunk] = []
    first: list[float] = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as name:
            scratch = Path(name)
            times["ingest"].append(_taken(lambda: first.append(index(scratch / "home", root)))[0])  # noqa: B023
            chunks = chunks or live(scratch / "home")
            texts: list[str] = []
            alone: dict[str, Callable[[], object]] = {
                "reading": lambda: texts.extend(read(root)),  # noqa: B023
                "duckdb": lambda: rows(texts, chunks, scratch / "rows.duckdb"),  # noqa: B023
                "embedding": lambda: embed(chunks),  # noqa: B023
                "tantivy": lambda: words(chunks, scratch / "words"),  # noqa: B023
            }
            for leg in LEGS:
                seconds, processor = _taken(alone[leg])
                times[leg].append(seconds)
                work[leg].append(processor)
    medians = {name: middle(all_) for name, all_ in times.items()}
    slowest = max(LEGS, key=lambda leg: medians[leg])
    shared = sum(map(middle, work.values())) / (os.cpu_count() or 1)
    floor = max(medians[slowest], shared)
    ratio = medians["ingest"] / floor
    tell(
        Figure(
            "ingest", round(ratio, 3), "≤ 1.5",
            rounded(**{f"{name}_s": value for name, value in medians.items()}, floor_s=floor, shared_s=shared,
                    chunks=len(chunks), chunks_a_second=len(chunks) / medians["ingest"],
                    first_batch_s=middle(first)),
        ),
        f"Indexing takes {ratio:.2f} × its floor of {floor:.1f} s (slowest leg: {slowest}, "
        f"{medians[slowest]:.1f} s; all legs over the cores: {shared:.1f} s): {len(chunks):,} chunks in "
        f"{medians['ingest']:.1f} s; the first documents are in the store after {middle(first):.1f} s",
    )  # fmt: skip


def read(root: Path) -> list[str]:
    """Every file listed, read, decoded and cut into chunks; their texts."""
    reads, found = Reading(), []
    with Tree(root) as tree:
        for entry in walk(tree, Ignore.of(root)):
            assert not isinstance(entry, Problem), entry
            data = load_file(tree, entry)
            assert isinstance(data, bytes), data
            drafts = reads.read(entry, data)
            assert not isinstance(drafts, Problem), drafts
            found += [draft.body for draft in drafts]
    return found


def rows(texts: list[str], chunks: list[LiveChunk], file: Path) -> None:
    """Texts and the places of their chunks into two tables of DuckDB, in batches."""
    with duckdb.connect(str(file), config={"threads": "2"}) as connection:
        connection.execute("CREATE TABLE documents (body VARCHAR)")
        connection.execute(
            "CREATE TABLE chunks (number BIGINT, document BIGINT, a INTEGER, b INTEGER, key VARCHAR)"
        )
        for start in range(0, len(texts), BATCH):
            connection.execute("INSERT INTO documents SELECT unnest(?)", [texts[start : start + BATCH]])
        for start in range(0, len(chunks), BATCH):
            columns = zip(
                *(
                    (x.number, x.document, x.start_char, x.end_char, x.text_hash)
                    for x in chunks[start : start + BATCH]
                ),
                strict=True,
            )
            picked = ", ".join(["unnest(?)"] * 5)
            connection.execute(f"INSERT INTO chunks SELECT {picked}", [list(column) for column in columns])
        connection.execute("CHECKPOINT")


def index(home: Path, root: Path) -> float:
    """Index a folder into a new home; seconds until the store had its first batch."""
    began = time.perf_counter()
    seen: list[float] = []
    over = threading.Event()

    def watch() -> None:
        while not seen and not over.wait(0.05):
            if (home / "locks" / "change").exists() and (home / "locks" / "change").read_bytes().strip(b"0"):
                seen.append(time.perf_counter() - began)

    watching = threading.Thread(target=watch)
    watching.start()
    with Engine(load(home, environ={})) as engine:
        engine.index([root])
    over.set()
    watching.join()
    return seen[0] if seen else time.perf_counter() - began


def live(home: Path) -> list[LiveChunk]:
    settings = load(home, environ={})
    store = Store(settings.home, settings.clock)
    found: list[LiveChunk] = []
    while True:
        with store.read() as lease:
            batch = changes.since(lease, found[-1].change if found else 0, 5000)
        if not batch:
            break
        found += batch
    store.close()
    return found


def embed(chunks: list[LiveChunk]) -> None:
    """Each text once: the static model's token ids and their mean."""
    texts = {chunk.text_hash: embedded_text(chunk.context, chunk.text) for chunk in chunks}
    wanted = [*texts.values()]
    for start in range(0, len(wanted), BATCH):
        static.pool(static.tokens(wanted[start : start + BATCH]))


def words(chunks: list[LiveChunk], folder: Path) -> None:
    """Title, heading and body into tantivy, stemmed, by one writer in batches."""
    folder.mkdir()
    builder = tantivy.SchemaBuilder()
    for name in ("title", "heading", "body"):
        builder.add_text_field(name, tokenizer_name=analysis.STEMMED, index_option="position")
    schema = builder.build()
    index = tantivy.Index(schema, path=str(folder))
    analysis.register(index)
    writer = index.writer(128_000_000, 1)
    for start in range(0, len(chunks), BATCH):
        for chunk in chunks[start : start + BATCH]:
            fields = {"title": chunk.title, "heading": chunk.heading, "body": chunk.text}
            writer.add_document(tantivy.Document.from_dict(fields, schema))
        writer.commit()
    writer.wait_merging_threads()


def _taken(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock, and of the processor by all threads."""
    start, busy = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start, time.process_time() - busy


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None)
