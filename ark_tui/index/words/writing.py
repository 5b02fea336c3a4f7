"""Writing to a tantivy index; a writer exists for one round of catching up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import tantivy

from ark_tui.index.words import analysis

HEAP_SMALL = 15_000_000  # bytes; tantivy's minimum
HEAP_LARGE = 48_000_000


class IndexWriter:
    """Writes the index in a folder. Changes become visible with `commit`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.uncommitted = False  # whether there are uncommitted changes
        self._index: tantivy.Index | None = None
        self._writer: tantivy.IndexWriter | None = None
        self._heap = HEAP_SMALL
        self._last = 0  # the highest chunk number in the index
        self._prints: dict[int, int] = {}  # of uncommitted chunks

    def begin(self, *, large: bool) -> None:
        """Open the index for a round; `large`: use a large buffer for many changes."""
        if self._index is None:
            self._index, self._heap = self.open(), HEAP_LARGE if large else HEAP_SMALL
            self._last = _last_chunk(self._index)

    def open(self) -> tantivy.Index:
        """Open the index; create it if missing."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        index = tantivy.Index(analysis.schema(), path=str(self.folder))
        analysis.register(index)
        return index

    def prints(self, chunks: Sequence[int]) -> dict[int, int]:
        """The fingerprints of the indexed or uncommitted chunks among these."""
        if old := [str(chunk) for chunk in chunks if chunk <= self._last and chunk not in self._prints]:
            searcher = self.open().searcher()
            query = tantivy.Query.term_set_query(analysis.schema(), "id", old)
            where = [address for _, address in searcher.search(query, len(old), count=False).hits]
            columns = (searcher.fast_field_values(name, where) for name in ("chunk", "print"))
            return {**dict(zip(*columns, strict=True)), **self._prints}
        return self._prints

    def put(self, chunk: int, fields: Mapping[str, object], print_: int = 0) -> None:
        """Insert or replace a chunk."""
        self.drop(chunk)
        self._last, self._prints[chunk] = max(self._last, chunk), print_
        self.writer().add_document(tantivy.Document.from_dict(dict(fields), analysis.schema()))

    def drop(self, chunk: int) -> None:
        """Delete a chunk; skipped for a number higher than any in the index."""
        if chunk <= self._last:
            self._prints.pop(chunk, None)
            self.writer().delete_documents_by_term("id", str(chunk))

    def clear(self) -> None:
        """Delete all chunks."""
        self._last, self._prints = 0, {}
        self.writer().delete_all_documents()

    def writer(self) -> tantivy.IndexWriter:
        """Tantivy's writer, created if needed; marks the index as uncommitted."""
        if self._writer is None:
            assert self._index is not None, "begin first"
            self._writer = self._index.writer(self._heap, 1)
        self.uncommitted = True
        return self._writer

    def commit(self) -> None:
        """Make the changes durable and visible."""
        if self._writer is not None and self.uncommitted:
            self._writer.commit()
            self.uncommitted, self._prints = False, {}

    def finish(self) -> None:
        """Close the writer and discard uncommitted changes.

        Wait for merges, since tantivy does not do so after a rollback and would write files after the seal.
        """
        writer, lost = self._writer, self.uncommitted
        self._writer = self._index = None
        self.uncommitted, self._prints = False, {}
        if writer is not None:
            if lost:
                writer.rollback()
            writer.wait_merging_threads()


def _last_chunk(index: tantivy.Index) -> int:
    """The highest chunk number in the index; higher ones need no deletion."""
    searcher, everything = index.searcher(), tantivy.Query.all_query()
    found = searcher.search(everything, 1, count=False, order_by_field="chunk").hits
    numbers = searcher.fast_field_values("chunk", [address for _, address in found])
    return max((int(number) for number in numbers if number is not None), default=0)
