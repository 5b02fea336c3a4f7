"""Lets the word index catch up with the store."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import lru_cache
from pathlib import Path

import tantivy

from ark_tui.domain.dates import stamps as times
from ark_tui.domain.documents import LiveChunk
from ark_tui.domain.layers import WORKING
from ark_tui.domain.protocols import Stop, check
from ark_tui.domain.unicode import composed, normal
from ark_tui.index import seal
from ark_tui.index.follower import Follower, Mark
from ark_tui.index.standing import words_version
from ark_tui.index.words import analysis, cards, files
from ark_tui.settings.home import remove
from ark_tui.store import Store
from ark_tui.store.changes import EPOCH_DAY, Stream, since

HEAP_SMALL = 15_000_000  # bytes; what tantivy asks for at least
HEAP_LARGE = 48_000_000
COMMIT_EVERY = 3.0
"""Seconds between two commits while catching up: each makes a segment, which is merged with others later."""

DAYS = 10_000  # since 1970 whose terms are remembered
SMALL = 5_000  # chunks up to which deleted ones are dropped at once: some .4 s
DELETED = 0.05  # their share of a larger index from which on they are
BEGINNING = 1000  # characters of a text that a made title may come from


class WordsFollower(Follower):
    """Writes tantivy. A writer lives for one round of catching up."""

    name = "words"

    def __init__(self, store: Store, folder: Path, stream: Stream = "documents") -> None:
        super().__init__(store, folder, self.current())
        self.stream = stream
        if stream != "documents":
            self.name = stream
        self._writer: tantivy.IndexWriter | None = None
        self._last = 0  # the highest number of a chunk that it was given
        self._uncommitted = False  # whether the writer was given something since it committed
        self._committed_s = 0.0  # when it did, or began
        self._held = threading.Lock()
        self._languages: set[str] = set()  # of what was applied, besides English

    @staticmethod
    def current() -> str:
        """The version of what it writes."""
        return words_version()

    @property
    def files(self) -> Path:
        """Where tantivy's own files lie."""
        return self.folder / files.FOLDER

    def reset(self) -> None:
        remove(self.folder)
        self.files.mkdir(mode=0o700, parents=True)
        self._languages = set()

    def sound(self, *, thorough: bool = False) -> bool:
        return files.sound(self.folder, thorough=thorough)

    def begun(self) -> bool:
        return (self.folder / files.SEAL).exists()

    def apply(self, batch: Sequence[LiveChunk], stop: Stop) -> None:
        schema = analysis.schema()
        with seal.guarded(self.name):  # its thread may have died of an earlier text
            writer, self._uncommitted = self._writing(len(batch)), True
            for chunk in batch:
                check(stop)
                if chunk.number <= self._last:
                    writer.delete_documents_by_term("id", str(chunk.number))
                if not chunk.gone:
                    self._last = max(self._last, chunk.number)
                    if chunk.language:
                        self._languages.add(chunk.language)
                    writer.add_document(tantivy.Document.from_dict(self._fields(chunk), schema))

    def card(self, chunk: LiveChunk) -> list[bytes]:
        """What is kept with a chunk to show it by, if anything."""
        return [] if chunk.superseded or chunk.layer == WORKING else [cards.write(chunk)]

    def commit(self, mark: Mark, *, last: bool) -> bool:
        if not last and time.monotonic() - self._committed_s < COMMIT_EVERY:
            return False
        with seal.guarded(self.name):
            if self._writer is not None:
                self._writer.commit()
                if last:
                    self._drop_deleted(self._writer)
                self._uncommitted, self._committed_s = False, time.monotonic()
            elif not self.sound():
                self._open()
            files.write_seal(self.folder)
        self._write_mark(replace(mark, languages=sorted(self._languages.union(mark.languages))))
        return True

    def _drop_deleted(self, writer: tantivy.IndexWriter) -> None:
        """Write all chunks anew where deleted ones weigh: tantivy counts them until segments are merged.

        So no score moves after an edit that changes no text, such as a tag and its undo. A large index is
        written anew only once their share is large enough to matter.
        """
        gone = files.deleted(self.folder) if self.stream == "documents" else 0
        live = gone and self._open().searcher().num_docs
        if not gone or (live > SMALL and gone < DELETED * live):
            return
        writer.delete_all_documents()
        schema, after = analysis.schema(), 0
        while True:
            with self.store.read() as lease:
                batch = since(lease, after, self.batch)
            for chunk in batch:
                if not chunk.gone:
                    writer.add_document(tantivy.Document.from_dict(self._fields(chunk), schema))
            if len(batch) < self.batch:
                break
            after = batch[-1].change
        writer.commit()

    def _fields(self, chunk: LiveChunk) -> dict[str, object]:
        return {**fields(chunk), "card": self.card(chunk)}

    def finish(self) -> None:
        """Close the writer; what was applied and not committed is dropped and applied again later.

        Tantivy does not wait for merges that a rollback leaves behind: they write files after the seal.
        """
        writer, self._writer = self._writer, None
        if writer is not None:
            with seal.guarded(self.name):
                if self._uncommitted:
                    writer.rollback()
                    self._uncommitted = False
                writer.wait_merging_threads()
                if self.begun():
                    files.write_seal(self.folder)

    def _writing(self, size: int) -> tantivy.IndexWriter:
        if self._writer is None:
            large, index = size >= self.batch, self._open()
            self._writer = index.writer(HEAP_LARGE if large else HEAP_SMALL, 1)
            self._last, self._committed_s = _last_chunk(index), time.monotonic()
        return self._writer

    def _open(self) -> tantivy.Index:
        self.files.mkdir(mode=0o700, parents=True, exist_ok=True)
        index = tantivy.Index(analysis.schema(), path=str(self.files))
        analysis.register(index)
        return index


def _last_chunk(index: tantivy.Index) -> int:
    """The highest number of a chunk that it has: of a higher one there is nothing to delete."""
    searcher, everything = index.searcher(), tantivy.Query.all_query()
    found = searcher.search(everything, 1, count=False, order_by_field="chunk").hits
    numbers = searcher.fast_field_values("chunk", [address for _, address in found])
    return max((int(number) for number in numbers if number is not None), default=0)


def _times(chunk: LiveChunk) -> str:
    """What the chunk names, and its document's own date; when a file was last saved says nothing."""
    named = " ".join(times.named(f"{chunk.title} {chunk.text}"))
    if not chunk.dated or chunk.day is None:
        return named
    own = _written_on(chunk.day)
    return f"{named} {own}" if named else own


@lru_cache(maxsize=DAYS)
def _written_on(day: int) -> str:
    return " ".join(times.of_day(EPOCH_DAY + timedelta(days=day)))


def fields(chunk: LiveChunk) -> dict[str, object]:
    """What a chunk has in the fields that it has something in: an empty value costs as much as a word."""
    title, heading, text, before = chunk.title, chunk.heading, chunk.text, chunk.before
    if _repeats(chunk):
        title = ""
    if chunk.aliases:
        title = f"{title}\n{chunk.aliases}"
    title, heading, text, before = map(normal, (title.strip(), heading, text, before))
    named = f"{title} {heading} {text}"
    kinds = analysis.kinds(named)
    if chunk.language:
        title, heading, text, before = (
            analysis.read_in(one, chunk.language) for one in (title, heading, text, before)
        )
    some = {
        "id": str(chunk.number),
        "owner": str(chunk.document), "collection": chunk.collection, "tier": chunk.tier,
        "type": chunk.type, "tag": chunk.tags and list(chunk.tags), "path": composed(chunk.path),
        "layer": chunk.layer and str(chunk.layer), "source": chunk.source,
        "hidden": chunk.superseded and analysis.SUPERSEDED, "language": chunk.language,
        "title": title, "heading": heading, "body": text, "before": before, "exact": named,
        "names": " ".join(analysis.identifiers(named, kinds)),
        "spaceless": " ".join(analysis.bigrams(named, kinds)),
        "times": _times(chunk),
    }  # fmt: skip
    found: dict[str, object] = {name: value for name, value in some.items() if value}
    found |= {"chunk": chunk.number, "document": chunk.document}
    if chunk.day is not None:
        found["day"] = chunk.day
    if chunk.since is not None:
        found["since"] = chunk.since
    return found


def _repeats(chunk: LiveChunk) -> bool:
    """Whether the title was made of the first words of this very text: in both fields they count twice.

    That costs BM25 ten points of nDCG@10 on short texts without titles, such as turns of a conversation.
    """
    if chunk.context.startswith(chunk.title):
        return False  # a title of its own
    title, text = chunk.title.rstrip("…"), chunk.text[:BEGINNING].lstrip()
    return text.startswith(title[:1]) and " ".join(text.split()).startswith(title)
