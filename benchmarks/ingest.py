"""Indexing 7,000 pages against its slowest leg alone: embedding, tantivy or lance, over the same chunks."""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import tantivy

from ark_tui.domain.documents import embedded_text
from ark_tui.embedding import static
from ark_tui.engine import Engine
from ark_tui.index.vectors.table import Embeddings, EmbeddingTable
from ark_tui.index.words import analysis
from ark_tui.settings import load
from ark_tui.store import Store, changes
from benchmarks import corpus
from benchmarks.measure import Figure, middle, rounded, tell

if TYPE_CHECKING:
    from ark_tui.domain.documents import LiveChunk

ROUNDS = 3
BATCH = 2000


def main(root: Path | None = None) -> None:
    """`root`: a folder of your own instead of the synthetic pages."""
    root = root or corpus.pages()
    times: dict[str, list[float]] = {"ingest": [], "embedding": [], "tantivy": [], "lance": []}
    chunks: list[LiveChunk] = []
    first: list[float] = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as scratch:
            times["ingest"].append(_seconds(lambda: first.append(index(Path(scratch) / "home", root))))
            chunks = chunks or live(Path(scratch) / "home")
            embeddings: list[Embeddings] = []
            times["embedding"].append(_seconds(lambda: embeddings.extend(embed(chunks))))  # noqa: B023
            times["tantivy"].append(_seconds(lambda: words(chunks, Path(scratch) / "words")))  # noqa: B023
            times["lance"].append(_seconds(lambda: table(embeddings, Path(scratch) / "lance")))  # noqa: B023
    medians = {name: middle(all_) for name, all_ in times.items()}
    slowest = max(("embedding", "tantivy", "lance"), key=lambda name: medians[name])
    ratio = medians[slowest] / medians["ingest"]
    tell(
        Figure(
            "ingest", round(ratio, 3), "≥ 0.7",
            rounded(**{f"{name}_s": value for name, value in medians.items()}, chunks=len(chunks),
                    chunks_a_second=len(chunks) / medians["ingest"], first_batch_s=middle(first)),
        ),
        f"Indexing runs at {ratio:.2f} of the speed of its slowest leg ({slowest}): {len(chunks):,} chunks "
        f"in {medians['ingest']:.1f} s; the first documents are in the store after {middle(first):.1f} s",
    )  # fmt: skip


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


def embed(chunks: list[LiveChunk]) -> list[Embeddings]:
    """Each text once: the static model's token ids and their mean."""
    texts = {chunk.text_hash: embedded_text(chunk.context, chunk.text) for chunk in chunks}
    hashes = list(texts)
    made = []
    for start in range(0, len(hashes), BATCH):
        some = hashes[start : start + BATCH]
        ids = static.tokens([texts[key] for key in some])
        made.append(Embeddings(tuple(some), static.pool(ids), ids))
    return made


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


def table(embeddings: list[Embeddings], folder: Path) -> None:
    """Vectors and token ids into lance, in batches."""
    into = EmbeddingTable(folder, static.DIMS)
    for rows in embeddings:
        into.add(rows)
    into.close()
    shutil.rmtree(folder)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None)
