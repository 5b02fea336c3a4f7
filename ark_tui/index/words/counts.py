"""Cached document frequencies for one state of the index, since each keystroke of a query needs them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ark_tui.index.words import conditions

if TYPE_CHECKING:
    from ark_tui.index.words.compounds import Vocabulary

REMEMBERED = 50_000  # maximum cached terms and prefixes
COMPLETIONS = 12  # completions of a prefix
COMPOUNDS = 12  # most frequent compounds of a word
VOCABULARY = 200_000  # words searched for compounds
LOOKED_AT = 2_000  # words with a prefix from which the most frequent are chosen


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def remembered(known: dict[K, V], key: K, make: Callable[[], V], most: int = REMEMBERED) -> V:
    """Return a cached value, or create and cache it; the cache is cleared when it has `most` keys."""
    found = known.get(key)
    if found is None:
        if len(known) >= most:
            known.clear()
        found = known[key] = make()
    return found


class Counts:
    """The counts of one state of the index. Thread-safe."""

    def __init__(self, searcher: Any) -> None:
        self._searcher = searcher  # tantivy's
        self.rarities: dict[tuple[str, str], float] = {}  # cached idfs, by stem and word
        self._chunks: dict[tuple[str, str], int] = {}
        self._completions: dict[str, list[str]] = {}
        self._compounds: dict[tuple[str, str], Sequence[str]] = {}
        self._vocabularies: dict[str, Vocabulary] = {}

    def of(self, field: str, term: str) -> int:
        """The number of chunks with a term in a field."""
        return remembered(self._chunks, (field, term), lambda: int(self._searcher.doc_freq(field, term)))

    def in_language(self, field: str, term: str, language: str) -> int:
        """The number of chunks of a language with a term in a field."""
        if not self.of(field, term):
            return 0
        query = conditions.of_language(field, (term,), language)
        return remembered(
            self._chunks,
            (f"{field} {language}", term),
            lambda: int(self._searcher.search(query, 1, count=True).count or 0),
        )

    def made_of(self, word: str, language: str) -> Sequence[str]:
        """The most frequent compounds of a word of a language in the corpus."""

        def found() -> Sequence[str]:
            made = self._vocabulary(language).made_of(word, language)
            return sorted(made, key=lambda one: (-self.of("exact", one), one))[:COMPOUNDS]

        return remembered(self._compounds, (word, language), found)

    def parts(self, word: str, language: str) -> Sequence[str]:
        """The parts of a compound of a language; empty if the word is not a compound."""
        return self._vocabulary(language).parts(word) or ()

    def _vocabulary(self, language: str) -> Vocabulary:
        from ark_tui.index.words.compounds import Vocabulary

        def found() -> Vocabulary:
            words = [word for word, _ in self._searcher.terms_with_prefix("exact", "", limit=VOCABULARY)]
            return Vocabulary(words, lambda word: self.in_language("exact", word, language) > 0)

        return remembered(self._vocabularies, language, found)

    def completions(self, prefix: str) -> list[str]:
        """Words of the corpus with this prefix, most frequent first."""

        def found() -> list[str]:
            words = self._searcher.terms_with_prefix("exact", prefix, limit=LOOKED_AT)
            return [word for word, _ in sorted(words, key=lambda item: (-item[1], item[0]))[:COMPLETIONS]]

        return remembered(self._completions, prefix, found)
