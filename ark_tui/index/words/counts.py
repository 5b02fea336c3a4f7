"""In how many chunks terms are, remembered while the index stands still: each key of a query asks again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ark_tui.index.words import conditions

if TYPE_CHECKING:
    from ark_tui.index.words.compounds import Vocabulary

REMEMBERED = 50_000  # terms, and the beginnings of words
COMPLETIONS = 12  # words that an unfinished one may become
COMPOUNDS = 12  # compounds of a word that are looked for, the commonest
VOCABULARY = 200_000  # words that compounds are looked for among
LOOKED_AT = 2_000  # words that begin alike, to find the commonest


class Counts:
    """The counts of one state of the index. Thread-safe."""

    def __init__(self, searcher: Any) -> None:
        self._searcher = searcher  # tantivy's
        self.rarities: dict[tuple[str, str], float] = {}  # of stems with their words, as far as it was asked
        self._chunks: dict[tuple[str, str], int] = {}
        self._completions: dict[str, list[str]] = {}
        self._compounds: dict[tuple[str, str], Sequence[str]] = {}
        self._vocabularies: dict[str, Vocabulary] = {}

    def keep(self, key: tuple[str, str], rarity: float) -> float:
        """Remember how rare a stem is, by which texts have it as a word."""
        if len(self.rarities) >= REMEMBERED:
            self.rarities = {}
        self.rarities[key] = rarity
        return rarity

    def of(self, field: str, term: str) -> int:
        """The number of chunks that have a term in a field."""
        known = self._chunks.get((field, term))
        if known is None:
            if len(self._chunks) >= REMEMBERED:
                self._chunks = {}
            known = self._chunks[field, term] = int(self._searcher.doc_freq(field, term))
        return known

    def in_language(self, field: str, term: str, language: str) -> int:
        """The number of chunks of a language that have a term in a field."""
        if not self.of(field, term):
            return 0
        key = f"{field} {language}", term
        if (known := self._chunks.get(key)) is None:
            found = self._searcher.search(conditions.of_language(field, (term,), language), 1, count=True)
            known = self._chunks[key] = int(found.count or 0)
        return known

    def made_of(self, word: str, language: str) -> Sequence[str]:
        """The commonest words of the corpus that are made of a word of a language and another one."""
        known = self._compounds.get((word, language))
        if known is None:
            found = self._vocabulary(language).made_of(word, language)
            common = sorted(found, key=lambda one: (-self.of("exact", one), one))
            known = self._compounds[word, language] = common[:COMPOUNDS]
        return known

    def parts(self, word: str, language: str) -> Sequence[str]:
        """The words of texts of a language that a word is made of, if it is a compound."""
        return self._vocabulary(language).parts(word) or ()

    def _vocabulary(self, language: str) -> Vocabulary:
        known = self._vocabularies.get(language)
        if known is None:
            from ark_tui.index.words.compounds import Vocabulary

            words = [word for word, _ in self._searcher.terms_with_prefix("exact", "", limit=VOCABULARY)]
            known = self._vocabularies[language] = Vocabulary(
                words, lambda word: self.in_language("exact", word, language) > 0
            )
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
