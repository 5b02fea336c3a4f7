"""One index of tantivy's as it is written: a writer lives for one round of catching up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import tantivy

from ark_tui.index.words import analysis

HEAP_SMALL = 15_000_000  # bytes; what tantivy asks for at least
HEAP_LARGE = 48_000_000


class IndexWriter:
    """Writes the index in a folder. Nobody sees what it is given before `commit`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.uncommitted = False  # whether it was given something since it committed
        self._index: tantivy.Index | None = None
        self._writer: tantivy.IndexWriter | None = None
        self._heap = HEAP_SMALL
        self._last = 0  # the highest number of a chunk that is in it
        self._prints: dict[int, int] = {}  # of uncommitted chunks

    def begin(self, *, large: bool) -> None:
        """Open the index for a round; `large`: much is to come."""
        if self._index is None:
            self._index, self._heap = self.open(), HEAP_LARGE if large else HEAP_SMALL
            self._last = _last_chunk(self._index)

    def open(self) -> tantivy.Index:
        """The index itself, made where there is none."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        index = tantivy.Index(analysis.schema(), path=str(self.folder))
        analysis.register(index)
        return index

    def prints(self, chunks: Sequence[int]) -> dict[int, int]:
        """The fingerprints of those of these chunks that are in the index, or were given to it."""
        if old := [str(chunk) for chunk in chunks if chunk <= self._last and chunk not in self._prints]:
            searcher = self.open().searcher()
            query = tantivy.Query.term_set_query(analysis.schema(), "id", old)
            where = [address for _, address in searcher.search(query, len(old), count=False).hits]
            columns = (searcher.fast_field_values(name, where) for name in ("chunk", "print"))
            return {**dict(zip(*columns, strict=True)), **self._prints}
        return self._prints

    def put(self, chunk: int, fields: Mapping[str, object], print_: int = 0) -> None:
        """Write a chunk in place of what it was before."""
        self.drop(chunk)
        self._last, self._prints[chunk] = max(self._last, chunk), print_
        self.writer().add_document(tantivy.Document.from_dict(dict(fields), analysis.schema()))

    def drop(self, chunk: int) -> None:
        """Take a chunk out; of one that was never in it there is nothing to look for."""
        if chunk <= self._last:
            self._prints.pop(chunk, None)
            self.writer().delete_documents_by_term("id", str(chunk))

    def clear(self) -> None:
        """Take everything out."""
        self._last, self._prints = 0, {}
        self.writer().delete_all_documents()

    def writer(self) -> tantivy.IndexWriter:
        """Tantivy's writer, to be given something."""
        if self._writer is None:
            assert self._index is not None, "begin first"
            self._writer = self._index.writer(self._heap, 1)
        self.uncommitted = True
        return self._writer

    def commit(self) -> None:
        """Make durable and visible what was given."""
        if self._writer is not None and self.uncommitted:
            self._writer.commit()
            self.uncommitted, self._prints = False, {}

    def finish(self) -> None:
        """Close the writer, and drop what was given and not committed.

        Tantivy does not wait for merges that a rollback leaves behind: they write files after the seal.
        """
        writer, lost = self._writer, self.uncommitted
        self._writer = self._index = None
        self.uncommitted, self._prints = False, {}
        if writer is not None:
            if lost:
                writer.rollback()
            writer.wait_merging_threads()


def _last_chunk(index: tantivy.Index) -> int:
    """The highest number of a chunk that it has: of a higher one there is nothing to delete."""
    searcher, everything = index.searcher(), tantivy.Query.all_query()
    found = searcher.search(everything, 1, count=False, order_by_field="chunk").hits
    numbers = searcher.fast_field_values("chunk", [address for _, address in found])
    return max((int(number) for number in numbers if number is not None), default=0)
