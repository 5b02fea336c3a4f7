"""Collections that programs fill: texts by source, with selectable chunking, searched chunk by chunk."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ark_tui.domain.documents import Draft, content_hash
from ark_tui.domain.errors import Cancelled, UsageError
from ark_tui.domain.library import ChunkHit, CollectionSize, Filled, SourceText
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, ignore
from ark_tui.domain.query import Filters, Mode, Request
from ark_tui.domain.work import Problem, Progress
from ark_tui.engine import indexing
from ark_tui.engine.services import Services
from ark_tui.ingest.reading import Reading, load
from ark_tui.ingest.walk import Entry
from ark_tui.retrieval import fragments
from ark_tui.retrieval.similar import nearest
from ark_tui.settings.tree import Tree
from ark_tui.store import Lease, collections, documents, files
from ark_tui.store.documents import Arrival
from ark_tui.store.files import FileRecord

SUFFIXES = {"markdown": ".md", "json": ".json", "text": ".txt"}
"""Formats that can be forced for a file, with their suffix."""


class Collections:
    """The collections of a home. Methods block and raise `ArkError`."""

    def __init__(self, parts: Services) -> None:
        self._parts = parts

    def sizes(self) -> tuple[CollectionSize, ...]:
        """Every collection that has chunks."""
        with self._parts.store.read() as lease:
            return tuple(collections.sizes(lease))

    def size(self, name: str) -> CollectionSize:
        """A collection with its sources; zeros for an unknown one."""
        with self._parts.store.read() as lease:
            return collections.size(lease, name)

    def fill(
        self, name: str, texts: Sequence[SourceText], *, strategy: str = "", max_tokens: int = 0,
        stop: Stop = NEVER, progress: OnProgress = ignore,
    ) -> Filled:  # fmt: skip
        """Store texts in a collection; each replaces the previous text of its source.

        Raises `UsageError` for the collection of an indexed folder, an empty name or an empty text, and
        `Cancelled` if stopped before the texts are stored.
        """
        reading = self._reading(strategy, max_tokens)
        for text in texts:
            if not text.content.strip() or not text.source.strip():
                raise UsageError("A document needs a source and a text.", "Give `source` and `content`.")
        drafts = []
        for text in texts:
            if stop.is_set():
                raise Cancelled
            drafts.append(reading.text(text.content, path=text.source, title=text.title or text.source))
            progress(Progress("read", len(drafts), len(texts)))
        return self._filled(name, [(draft,) for draft in drafts], texts)

    def fill_from_file(self, name: str, path: Path, *, format: str = "", strategy: str = "") -> Filled:  # noqa: A002
        """Store a file in a collection; its source is the file's path in its folder.

        Raises `UsageError` for a file outside the indexed folders and the setting `agent_folders`.
        """
        root, source = indexing.readable(self._parts, path)
        try:
            with Tree(root) as tree:  # does not follow symlinks created since the check
                entry = Entry.of(tree, source)
                data = load(tree, entry, self._parts.settings.max_bytes)
        except OSError as error:
            raise UsageError(f"{source} cannot be read: {error.strerror}.", "Name another file.") from error
        if isinstance(data, Problem):
            raise UsageError(f"{source} cannot be read: {data.reason}.", "Name another file.")
        named = entry._replace(path=str(Path(source).with_suffix(SUFFIXES[format]))) if format else entry
        drafts = self._reading(strategy, 0).read(named, data)
        if isinstance(drafts, Problem):
            raise UsageError(f"{source} cannot be read: {drafts.reason}.", "Name another file.")
        kept = tuple(replace(draft, path=source, collection="") for draft in drafts)
        return self._filled(name, [kept], [SourceText(source, data.decode("utf-8", "replace"))])

    def drop(self, name: str, source: str | None = None) -> int:
        """Delete the texts of a collection, or of one source; return the number of chunks deleted.

        Raises `UsageError` for the collection of an indexed folder, as its files would be indexed again.
        """
        with self._parts.store.write() as lease:
            self._check_own(lease, name)
            before = collections.size(lease, name).chunks
            for folder, path in collections.sources(lease, name, source):
                documents.remove(lease, folder, [path])
            dropped = before - collections.size(lease, name).chunks
        indexing.catch_up(self._parts)
        return dropped

    def query(
        self, name: str, query: str, limit: int = 10, mode: Mode = "hybrid", stop: Stop = NEVER
    ) -> tuple[tuple[ChunkHit, ...], tuple[str, ...]]:
        """The best chunks for a query, by reciprocal rank fusion, and the signals that could not run."""
        self._parts.wait_for_indexes(stop)
        request = Request(query, mode=mode, limit=limit, filters=Filters(collections=(name,)), profile="ark")
        found, off = fragments.best(self._parts.corpus, request, stop)
        return self._hits(found), off

    def similar(self, name: str, chunk: str, limit: int = 10) -> tuple[ChunkHit, ...]:
        """Chunks of a collection similar to one of its chunks (`collection:source:index`).

        Raises `NotFound` for an unknown chunk and `NoVector` for one without a vector.
        """
        self._parts.wait_for_indexes()
        with self._parts.store.read() as lease:
            document, number, shown = collections.chunk(lease, chunk)
        filters = Filters(collections=(name,))
        return self._hits(nearest(self._parts.corpus, document, number, shown, limit, filters))

    # -- inside ------------------------------------------------------------------------------------

    def _reading(self, strategy: str, max_tokens: int) -> Reading:
        own = self._parts.reader
        return replace(own, strategy=strategy or own.strategy, max_tokens=max_tokens or own.max_tokens)

    def _filled(self, name: str, drafts: Sequence[tuple[Draft, ...]], texts: Sequence[SourceText]) -> Filled:
        if not name.strip():
            raise UsageError("A collection needs a name.", "Give `collection`.")
        now = time.time_ns()
        arrivals = [
            Arrival(
                FileRecord(name, text.source, 0, 0, 0, now, content_hash(text.content.encode()), "indexed"),
                own,
                None,
                (),
            )
            for text, own in zip(texts, drafts, strict=True)
        ]
        self._parts.models.prepare()
        with self._parts.store.write() as lease:
            files.open_collection(lease, name)
            documents.put(lease, arrivals)
            numbers = [documents.at(lease, name, text.source) for text in texts]
            said = {number: text.metadata for number, text in zip(numbers, texts, strict=True)}
            collections.put_metadata(lease, said)
        indexing.catch_up(self._parts)
        model = self._model()
        count = sum(len(draft.chunks) for own in drafts for draft in own)
        return Filled(name, sum(map(len, drafts)), count, *model)

    def _model(self) -> tuple[str, int]:
        """The model that searches use and its dimensions; `("", 0)` if there is none."""
        if served := self._parts.models.in_force():
            return served.name, served.dims
        return ("static", self._parts.embedder.dims) if self._parts.embedder else ("", 0)

    def _check_own(self, lease: Lease, name: str) -> None:
        if root := files.roots(lease).get(name):
            raise UsageError(
                f"The collection {name} follows the folder {Path(root).name}.",
                "Its files decide what is in it; delete or move them.",
            )

    def _hits(self, scored: Sequence[tuple[int, float]]) -> tuple[ChunkHit, ...]:
        with self._parts.store.read() as lease:
            found = documents.found(lease, [number for number, _ in scored])
            said = collections.metadata(lease, [one.number for one in found.values()])
        return tuple(
            ChunkHit(
                found[number].document, found[number].chunk, found[number].text, score,
                said.get(found[number].number, {}),
            )
            for number, score in scored
            if number in found
        )  # fmt: skip
