"""In how many chunks terms are, remembered while the index stands still: each key of a query asks again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tantivy

REMEMBERED = 50_000  # terms, and the beginnings of words
COMPLETIONS = 12  # words that an unfinished one may become
LOOKED_AT = 2_000  # words that begin alike, to find the commonest


class Counts:
    """The counts of one state of the index. Thread-safe."""

    def __init__(self, searcher: tantivy.Searcher) -> None:
        self._searcher = searcher
        self._chunks: dict[tuple[str, str], int] = {}
        self._completions: dict[str, list[str]] = {}

    def of(self, field: str, term: str) -> int:
        """The number of chunks that have a term in a field."""
        known = self._chunks.get((field, term))
        if known is None:
            if len(self._chunks) >= REMEMBERED:
                self._chunks = {}
            known = self._chunks[field, term] = int(self._searcher.doc_freq(field, term))
        return known

    def completions(self, prefix: str) -> list[str]:
        """Words of the corpus that begin like this, commonest first."""
        known = self._completions.get(prefix)
        if known is None:
            if len(self._completions) >= REMEMBERED:
                self._completions = {}
            found = self._searcher.terms_with_prefix("exact", prefix, limit=LOOKED_AT)
            found.sort(key=lambda item: (-item[1], item[0]))
            known = self._completions[prefix] = [word for word, _ in found[:COMPLETIONS]]
        return known
