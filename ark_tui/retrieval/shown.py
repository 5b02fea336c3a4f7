"""Display data of chunks and documents, from the word index if it is as new as the store.

Looking up twelve columns of ten chunks takes 20 ms in the store at 100,000 chunks, half a millisecond in the
word index. The store is read if the index lags behind or cannot be read, and for data that no index has: the
state of a file when it was last read, and the successor of a superseded document. Pins are in a small file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from stat import S_ISLNK
from typing import TYPE_CHECKING

from ark_tui.domain.documents import context, embedded_text
from ark_tui.domain.errors import ArkError
from ark_tui.store.lease import LazyLease

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from ark_tui.domain.documents import Document
    from ark_tui.retrieval.state import Candidates, Corpus, Search
    from ark_tui.store.found import Found


class Shown:
    """Look up the display data of one result. Opens at most one lease, when first needed."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._files = Files()
        corpus = search.corpus
        self.lease = LazyLease(corpus.store.read)  # the store itself
        self._indexed = "words" not in search.problems and corpus.words.has(corpus.store.change())
        self._pins = corpus.store.pins() if self._indexed else frozenset()  # may open a lease of its own

    def days(self, candidates: Candidates) -> dict[int, date | None]:
        """The dates of the candidates' documents, by document; missing documents are skipped."""
        search = self._search
        owners = candidates.documents.tolist()
        days = search.index.days(owners) if search.index else {}
        missing = [at for at, owner in enumerate(owners) if owner not in days]
        if not missing:
            return days
        if self._indexed:
            return days | search.corpus.words.days(candidates.chunks[missing].tolist())
        from ark_tui.store import documents

        return days | documents.days(self.lease(), [owners[at] for at in missing])

    def found(self, chunks: Sequence[int]) -> dict[int, Found]:
        """The display data of chunks, by number; missing chunks are skipped."""
        known = self._search.found
        if fresh := [number for number in chunks if number not in known]:
            known |= self._looked_up(fresh)
        return {number: known[number] for number in chunks if number in known}

    def _looked_up(self, chunks: Sequence[int]) -> dict[int, Found]:
        if not self._indexed:
            return self._stored(chunks)
        found = _cards(self._search.corpus, chunks, self._pins)
        unsure = [number for number in chunks if number not in found or self.stale(found[number])]
        return found | (self._stored(unsure) if unsure else {})

    def _stored(self, chunks: Sequence[int]) -> dict[int, Found]:
        from ark_tui.store import documents

        return documents.found(self.lease(), chunks)

    def documents(self, numbers: Sequence[int]) -> dict[int, Document]:
        """Documents by number; missing documents are skipped."""
        from ark_tui.store import documents

        return documents.documents(self.lease(), numbers) if numbers else {}

    def stale(self, found: Found) -> bool:
        """Whether the file was changed or deleted since it was indexed; cached."""
        return self._files.stale(found)

    def current(self, found: Found) -> Document:
        """The document with the current state of its file."""
        return self._files.current(found, self._noted)

    def _noted(self) -> Mapping[str, str]:
        from ark_tui.store import files

        return files.noted(self.lease())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.lease.close(kind, error, trace)


def at_hand(corpus: Corpus) -> Callable[[Sequence[int]], dict[int, Found]]:
    """Return a function that looks up display data of chunks in the word index.

    It finds nothing unless the index is as new as the store at the time of this call. Missing chunks are
    skipped. Call this function outside of leases; the returned one may be called anywhere.
    """
    pins: frozenset[str] | None = None
    with suppress(ArkError):
        corpus.words.refresh()
        if corpus.words.has(corpus.store.change()):
            pins = corpus.store.pins()

    def looked_up(chunks: Sequence[int]) -> dict[int, Found]:
        if pins is None:
            return {}
        with suppress(ArkError):  # the index is damaged
            return _cards(corpus, chunks, pins)
        return {}

    return looked_up


def embedded(found: Found) -> str:
    """The text that was embedded for a chunk: its title and headings, then its text."""
    return embedded_text(context(found.document.title, found.chunk.heading), found.text)


def texts(corpus: Corpus, chunks: Sequence[int]) -> dict[int, str]:
    """The full texts of chunks, by number; missing chunks are skipped."""
    known = {number: one.text for number, one in at_hand(corpus)(chunks).items()}
    if missing := [number for number in chunks if number not in known]:
        from ark_tui.store import changes

        with corpus.store.read() as lease:
            known |= {number: text for number, (_, text) in changes.texts(lease, missing).items()}
    return known


def _cards(corpus: Corpus, chunks: Sequence[int], pins: frozenset[str]) -> dict[int, Found]:
    """The display data of chunks in the word index, with pinned documents marked."""
    return {number: _marked(one, pins) for number, one in corpus.words.shown(chunks).items()}


def _marked(found: Found, pins: frozenset[str]) -> Found:
    """Mark the document if it is pinned. Pins are not indexed, so they affect no score."""
    if found.document.id not in pins:
        return found
    return replace(found, document=replace(found.document, pinned=True))


class Files:
    """The current state of files, each read once."""

    def __init__(self) -> None:
        self._stale: dict[tuple[str, str, int, int], bool] = {}
        self._links: dict[str, bool] = {}  # by folder, whether `walk` would skip it
        self._away: dict[str, tuple[str, ...]] = {}  # unavailable folders, by root

    def current(self, found: Found, noted: Callable[[], Mapping[str, str]]) -> Document:
        """The document with the current state of its file: stale, and away if its folder is unavailable.

        `noted`: looks up the notes about roots.
        """
        if not self.stale(found):
            return found.document
        return replace(found.document, stale=True, away=self._is_away(str(found.root), found.document, noted))

    def stale(self, found: Found) -> bool:
        """Whether the file has changed, or gone, since it was indexed."""
        if found.root is None or found.size < 0:
            return False
        key = found.root, found.document.path, found.size, found.mtime_ns
        if key not in self._stale:
            self._stale[key] = self._changed(*key)
        return self._stale[key]

    def _is_away(self, root: str, document: Document, noted: Callable[[], Mapping[str, str]]) -> bool:
        from ark_tui.settings.tree import away, within
        from ark_tui.store import files

        if root not in self._away:
            self._away[root] = away(root, files.places(noted(), root))
        return within(document.path, self._away[root])

    def _changed(self, root: str, path: str, size: int, mtime_ns: int) -> bool:
        try:
            stat = os.lstat(f"{root}/{path}")
            return (stat.st_size, stat.st_mtime_ns) != (size, mtime_ns) or self._linked(root, path)
        except OSError:
            return True

    def _linked(self, root: str, path: str) -> bool:
        """Whether the path below a root contains a symbolic link or `..`."""
        above, _, _ = path.rpartition("/")
        if not above:
            return False
        place = f"{root}/{above}"
        if place not in self._links:
            self._links[place] = (
                ".." in above.split("/") or S_ISLNK(os.lstat(place).st_mode) or self._linked(root, above)
            )
        return self._links[place]


def stale(found: Found) -> bool:
    """Whether the file has changed, or gone, since it was indexed."""
    return Files().stale(found)
