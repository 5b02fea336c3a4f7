"""The follower that keeps the word index up to date with the store."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

import tantivy

from ark_tui.domain.dates import stamps as times
from ark_tui.domain.documents import LiveChunk
from ark_tui.domain.layers import WORKING
from ark_tui.domain.protocols import NEVER, Stop, check
from ark_tui.domain.unicode import composed, normal
from ark_tui.index import seal
from ark_tui.index.follower import Follower, Mark
from ark_tui.index.words import analysis, cards, files
from ark_tui.settings.home import remove
from ark_tui.store import Store
from ark_tui.store.changes import EPOCH_DAY, Stream, since

COMMIT_EVERY = 3.0
"""Seconds between two commits while catching up: each creates a segment that is merged later."""

DAYS = 10_000  # days with cached terms
STALE = 0.02  # maximum share of deleted texts that are still counted; above it all texts are rewritten
BEGINNING = 1000  # characters of a text from which a title may be generated


class WordsFollower(Follower):
    """Writes the tantivy indexes: facts on every change of a chunk, texts only if the text changed.

    So edits that change no text leave all scores unchanged. The text of a deleted chunk stays hidden in the
    index until texts are rewritten: if the chunk is restored from the trash, all scores are as before.
    """

    name = "words"

    def __init__(self, store: Store, folder: Path, stream: Stream = "documents") -> None:
        super().__init__(store, folder, self.current())
        self.stream = stream
        if stream != "documents":
            self.name = stream
        self.texts, self.facts = IndexWriter(folder / files.TEXTS), IndexWriter(folder / files.FACTS)
        self.writers: tuple[IndexWriter, ...] = (self.texts, self.facts)
        self._committed_s = 0.0  # time of the last commit, or of the start
        self._languages: set[str] = set()  # languages of applied chunks besides English

    @staticmethod
    def current() -> str:
        """The version of the written index."""
        return f"words-{analysis.VERSION}"

    def reset(self) -> None:
        remove(self.folder)
        for writer in self.writers:
            writer.folder.mkdir(mode=0o700, parents=True)
        self._languages = set()

    def sound(self, *, thorough: bool = False) -> bool:
        return files.sound(self.folder, thorough=thorough)

    def begun(self) -> bool:
        return (self.folder / files.SEAL).exists()

    def apply(self, batch: Sequence[LiveChunk], stop: Stop) -> None:
        with seal.guarded(self.name):  # tantivy's thread may have crashed on an earlier text
            for writer in self.writers:
                writer.begin(large=len(batch) >= self.batch)
            self._committed_s = self._committed_s or time.monotonic()
            self.write(batch, stop)
        self._languages.update(chunk.language for chunk in batch if chunk.language)

    def write(self, batch: Sequence[LiveChunk], stop: Stop) -> None:
        """Pass chunks to the writers."""
        known = self.texts.prints([chunk.number for chunk in batch])
        for chunk in batch:
            check(stop)
            number, key = chunk.number, identity(chunk.number)
            if not chunk.gone:
                text = fields(chunk)
                print_ = fingerprint(text)
                if known.get(number) != print_:
                    self.texts.put(number, text | {"print": print_}, print_)
                self.facts.put(number, facts(chunk) | {"card": self.card(chunk)})
            elif number in known:
                self.facts.put(number, key | {"hidden": analysis.GONE})
            else:
                self.facts.drop(number)

    def card(self, chunk: LiveChunk) -> list[bytes]:
        """The card of a chunk; empty for superseded chunks and messages."""
        return [] if chunk.superseded or chunk.layer == WORKING else [cards.write(chunk)]

    def commit(self, mark: Mark, *, last: bool) -> bool:
        if not last and time.monotonic() - self._committed_s < COMMIT_EVERY:
            return False
        with seal.guarded(self.name):
            if last and self.texts.uncommitted:
                self._drop_stale()
            for writer in self.writers:
                writer.commit()
            if not self.sound():
                for writer in self.writers:
                    writer.open()
            files.write_seal(self.folder)
        self._committed_s = time.monotonic()
        self._write_mark(replace(mark, languages=sorted(self._languages.union(mark.languages))))
        return True

    def _drop_stale(self) -> None:
        """Rewrite all texts if too many are hidden or deleted, since tantivy still counts them."""
        for writer in self.writers:
            writer.commit()
        texts, facts = (writer.open().searcher() for writer in (self.texts, self.facts))
        gone = tantivy.Query.term_query(analysis.schema(), "hidden", analysis.GONE)
        stale = files.deleted(self.folder) + len(facts.search(gone, max(facts.num_docs, 1)).hits)
        if stale <= STALE * texts.num_docs:
            return
        for writer in self.writers:
            writer.clear()
        batch, after = [LiveChunk(0, 0, gone=True)], 0
        while batch:
            with self.store.read() as lease:
                batch = since(lease, after, self.batch)
            self.write([chunk for chunk in batch if not chunk.gone], NEVER)
            after = batch[-1].change if batch else after

    def finish(self) -> None:
        self._committed_s = 0.0
        with seal.guarded(self.name):
            with ExitStack() as each:
                for writer in self.writers:
                    each.callback(writer.finish)
            if self.begun():
                files.write_seal(self.folder)


def identity(number: int) -> dict[str, object]:
    """The id fields of a chunk, in both indexes."""
    return {"id": str(number), "chunk": number}


def fingerprint(text: Mapping[str, object]) -> int:
    """A 63-bit hash of the fields of a text."""
    return int.from_bytes(blake2b(repr(text).encode("utf-8", "replace"), digest_size=8).digest()) >> 1


def _times(chunk: LiveChunk) -> str:
    """The times named in the chunk and its document's own date, but not the file's modification time."""
    named = " ".join(times.named(f"{chunk.title} {chunk.text}"))
    if not chunk.dated or chunk.day is None:
        return named
    own = _written_on(chunk.day)
    return f"{named} {own}" if named else own


@lru_cache(maxsize=DAYS)
def _written_on(day: int) -> str:
    return " ".join(times.of_day(EPOCH_DAY + timedelta(days=day)))


def facts(chunk: LiveChunk) -> dict[str, object]:
    """The non-empty filter fields of a chunk."""
    some = {
        "document": chunk.document, "collection": chunk.collection, "tier": chunk.tier, "type": chunk.type,
        "tag": chunk.tags and list(chunk.tags), "path": composed(chunk.path),
        "layer": chunk.layer and str(chunk.layer), "source": chunk.source,
        "hidden": chunk.superseded and analysis.SUPERSEDED,
    }  # fmt: skip
    dates = {"day": chunk.day, "since": chunk.since}
    return (
        identity(chunk.number)
        | {"owner": str(chunk.document)}
        | {name: value for name, value in some.items() if value}
        | {name: value for name, value in dates.items() if value is not None}
    )


def fields(chunk: LiveChunk) -> dict[str, object]:
    """The non-empty ranking fields of a chunk; an empty value would cost as much as a word."""
    title, heading, text, before = chunk.title, chunk.heading, chunk.text, chunk.before
    if _repeats(chunk):
        title = ""
    if chunk.aliases:
        title = f"{title}\n{chunk.aliases}"
    title, heading, text, before = map(normal, (title.strip(), heading, text, before))
    named = f"{title} {heading} {text}"
    if chunk.language:
        title, heading, text, before = (
            analysis.read_in(one, chunk.language) for one in (title, heading, text, before)
        )
    some = {
        "document": chunk.document, "owner": str(chunk.document), "language": chunk.language,
        "title": title, "heading": heading, "body": text, "before": before, "exact": named,
        "names": " ".join(analysis.identifiers(named)),
        "spaceless": " ".join(analysis.bigrams(named)),
        "times": _times(chunk),
    }  # fmt: skip
    return identity(chunk.number) | {name: value for name, value in some.items() if value}


def _repeats(chunk: LiveChunk) -> bool:
    """Whether the title was generated from the first words of this text, which would count them twice.

    Counting them twice costs BM25 ten points of nDCG@10 on short texts without titles, such as messages.
    """
    if chunk.context.startswith(chunk.title):
        return False  # not a generated title
    title, text = chunk.title.rstrip("…"), chunk.text[:BEGINNING].lstrip()
    return text.startswith(title[:1]) and " ".join(text.split()).startswith(title)


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
        self._cleared = False  # whether no committed chunk is left

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
        old = [str(chunk) for chunk in chunks if chunk <= self._last and chunk not in self._prints]
        if old and not self._cleared:
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
        self._last, self._prints, self._cleared = 0, {}, True
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
            self.uncommitted, self._prints, self._cleared = False, {}, False

    def finish(self) -> None:
        """Close the writer and discard uncommitted changes.

        Wait for merges, since tantivy does not do so after a rollback and would write files after the seal.
        """
        writer, lost = self._writer, self.uncommitted
        self._writer = self._index = None
        self.uncommitted, self._prints, self._cleared = False, {}, False
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
