"""Small corpora put straight into a store, with their indexes, for tests below the ingest room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ark_tui.domain.documents import ChunkDraft, Draft, content_hash
from ark_tui.domain.protocols import Embedder
from ark_tui.embedding.static import StaticEmbedder
from ark_tui.index.vectors.duplicates import Rule
from ark_tui.index.vectors.follower import VectorsFollower
from ark_tui.index.vectors.snapshot import Vectors
from ark_tui.index.words.follower import WordsFollower
from ark_tui.index.words.reader import Words
from ark_tui.retrieval import Corpus
from ark_tui.settings import Home, ranking
from ark_tui.store import Store, documents, links
from ark_tui.store.documents import Arrival
from ark_tui.store.files import FileRecord
from ark_tui.store.links import Edges
from tests.support import SteadyClock


def draft(path: str, body: str, **facts: object) -> Draft:
    """A document of one chunk per paragraph."""
    chunks, start, line = [], 0, 1
    for part in body.split("\n\n"):
        if part.strip():
            lines = part.count("\n")
            chunks.append(ChunkDraft(start, start + len(part), line, line + lines, len(part.split())))
        line += part.count("\n") + 2
        start += len(part) + 2
    base = Draft(path, Path(path).stem, body, tuple(chunks), titled=False)
    return replace(base, **facts)  # type: ignore[arg-type]


def arrival(path: str, body: str, folder: str = "notes", **facts: object) -> Arrival:
    """A file that was read."""
    digest = content_hash(body.encode())
    record = FileRecord(folder, path, len(body), 1, 1, 1, digest, "indexed")
    return Arrival(record, (draft(path, body, **facts),))


class Bench:
    """A home with its store, followers and readers."""

    def __init__(self, path: Path, dedup: Rule = "off", embedder: Embedder | None = None) -> None:
        self.home = Home(path)
        self.store = Store(self.home, SteadyClock())
        embedder = embedder or StaticEmbedder()
        folder = self.home.vectors / f"{embedder.fingerprint}.lance"
        self.words_follower = WordsFollower(self.store, self.home.words)
        self.vectors_follower = VectorsFollower(self.store, folder, embedder, dedup)
        self.words = Words(self.home.words)
        self.vectors = Vectors(folder, embedder.dims, self.edges)

    @property
    def followers(self) -> tuple[WordsFollower, VectorsFollower]:
        return self.words_follower, self.vectors_follower

    def edges(self) -> Edges:
        with self.store.read() as lease:
            return links.all_edges(lease)

    def firsts(self, chunks: Sequence[int]) -> list[int]:
        snapshot = self.vectors.open()
        return [*chunks] if snapshot is None else snapshot.firsts(chunks).tolist()

    def put(self, *arrivals: Arrival) -> None:
        with self.store.write() as lease:
            documents.put(lease, arrivals)

    def remove(self, *paths: str, folder: str = "notes") -> None:
        with self.store.write() as lease:
            documents.remove(lease, folder, paths)

    def sync(self) -> None:
        for follower in self.followers:
            follower.sync()

    def corpus(self, **more: object) -> Corpus:
        found = Corpus(
            self.store, self.words, self.vectors.open, ranking.shipped(), SteadyClock(),
            firsts=self.firsts,
        )  # fmt: skip
        return replace(found, **more)  # type: ignore[arg-type]


def filled(path: Path, texts: Mapping[str, str]) -> Bench:
    """A home with these documents, indexed."""
    home = Bench(path)
    home.put(*(arrival(name, body) for name, body in texts.items()))
    home.sync()
    return home
