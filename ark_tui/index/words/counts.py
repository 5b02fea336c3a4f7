"""In how many chunks terms are, remembered while the index stands still: each key of a query asks again."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tantivy

REMEMBERED = 50_000  # terms, and the beginnings of words
COMPLETIONS = 12  # words that an unfinished one may become
LOOKED_AT = 2_000  # words that begin alike, to find the commonest


class Counts:
    """The counts of one state of the index: of chunks that have a term in a field. Thread-safe."""

    def __init__(self, searcher: tantivy.Searcher) -> None:
        self._searcher = searcher
        self.of = lru_cache(REMEMBERED)(searcher.doc_freq)
        self.completions = lru_cache(REMEMBERED)(self._completions)

    def _completions(self, prefix: str) -> list[str]:
        """Words of the corpus that begin like this, commonest first."""
        found = self._searcher.terms_with_prefix("exact", prefix, limit=LOOKED_AT)
        found.sort(key=lambda item: (-item[1], item[0]))
        return [word for word, _ in found[:COMPLETIONS]]
