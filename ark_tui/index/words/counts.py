"""In how many chunks terms are, remembered while the index stands still: each key of a query asks again."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ark_tui.index.words import conditions

if TYPE_CHECKING:
    from ark_tui.index.words.compounds import Vocabulary

REMEMBERED = 50_000  # terms, and the beginnings of words
COMPLETIONS = 12  # words that an unfinished one may become
COMPOUNDS = 12  # compounds of a word that are looked for, the commonest
VOCABULARY = 200_000  # words that compounds are looked for among
LOOKED_AT = 2_000  # words that begin alike, to find the commonest


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def remembered(known: dict[K, V], key: K, make: Callable[[], V], most: int = REMEMBERED) -> V:
    """What is known of a key, or is made now; with more than `most` keys all are forgotten."""
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
        self.rarities: dict[tuple[str, str], float] = {}  # of stems with their words, as far as it was asked
        self._chunks: dict[tuple[str, str], int] = {}
        self._completions: dict[str, list[str]] = {}
        self._compounds: dict[tuple[str, str], Sequence[str]] = {}
        self._vocabularies: dict[str, Vocabulary] = {}

    def of(self, field: str, term: str) -> int:
        """The number of chunks that have a term in a field."""
        return remembered(self._chunks, (field, term), lambda: int(self._searcher.doc_freq(field, term)))

    def in_language(self, field: str, term: str, language: str) -> int:
        """The number of chunks of a language that have a term in a field."""
        if not self.of(field, term):
            return 0
        query = conditions.of_language(field, (term,), language)
        return remembered(
            self._chunks,
            (f"{field} {language}", term),
            lambda: int(self._searcher.search(query, 1, count=True).count or 0),
        )

    def made_of(self, word: str, language: str) -> Sequence[str]:
        """The commonest words of the corpus that are made of a word of a language and another one."""

        def found() -> Sequence[str]:
            made = self._vocabulary(language).made_of(word, language)
            return sorted(made, key=lambda one: (-self.of("exact", one), one))[:COMPOUNDS]

        return remembered(self._compounds, (word, language), found)

    def parts(self, word: str, language: str) -> Sequence[str]:
        """The words of texts of a language that a word is made of, if it is a compound."""
        return self._vocabulary(language).parts(word) or ()

    def _vocabulary(self, language: str) -> Vocabulary:
        from ark_tui.index.words.compounds import Vocabulary

        def found() -> Vocabulary:
            words = [word for word, _ in self._searcher.terms_with_prefix("exact", "", limit=VOCABULARY)]
            return Vocabulary(words, lambda word: self.in_language("exact", word, language) > 0)

        return remembered(self._vocabularies, language, found)

    def completions(self, prefix: str) -> list[str]:
        """Words of the corpus that begin like this, commonest first."""

        def found() -> list[str]:
            words = self._searcher.terms_with_prefix("exact", prefix, limit=LOOKED_AT)
            return [word for word, _ in sorted(words, key=lambda item: (-item[1], item[0]))[:COMPLETIONS]]

        return remembered(self._completions, prefix, found)
