"""Cached document frequencies for one state of the index, since each keystroke of a query needs them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from os.path import commonprefix
from typing import Any, TypeVar

from ark_tui.index.words import conditions
from ark_tui.index.words.terms import stem

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


SHORTEST = 4  # letters of a part
LINKS = ("", "s", "es", "n", "en", "e", "er")
ENDING = 3  # additional letters of a word form
_BARE = str.maketrans("äöü", "aou")  # umlauts, which differ between forms of a word


class Vocabulary:
    """The lowercased words of a corpus, for finding compounds. `has`: whether any text has a word."""

    def __init__(self, words: Iterable[str], has: Callable[[str], bool]) -> None:
        self._words = "\n".join(["", *words, ""])
        self._bare = self._words.translate(_BARE)
        self._has = has

    def made_of(self, word: str, language: str) -> Iterator[str]:
        """The compounds of a word (or a form of it) of a language with another word."""
        bare, tail = word.translate(_BARE), stem(word, language)
        root = commonprefix([bare, tail])  # noqa: RUF071  (of letters, not of paths)
        if len(root) < SHORTEST:
            return
        at = self._bare.find(root)
        while at >= 0:
            start, end = self._bare.rfind("\n", 0, at) + 1, self._bare.find("\n", at)
            found = self._words[start:end]
            if at > start:
                last = end - at <= len(root) + ENDING and stem(found, language).endswith(tail)
                fits = last and self._are_left(found[: at - start], str.removesuffix)
            else:
                first = self._bare.startswith(bare, start)
                fits = first and self._are_left(found[len(bare) :], str.removeprefix)
            if fits:
                yield found
            at = self._bare.find(root, end)

    def parts(self, word: str) -> tuple[str, str] | None:
        """Split a compound into two words, preferring the longest last one; None if it is no compound."""
        for at in range(SHORTEST, len(word) - SHORTEST + 1):
            if self._has(word[at:]):
                for first in self._left(word[:at], str.removesuffix):
                    return first, word[at:]
        return None

    def _are_left(self, rest: str, without: Callable[[str, str], str]) -> bool:
        return next(self._left(rest, without), "") != ""

    def _left(self, rest: str, without: Callable[[str, str], str]) -> Iterator[str]:
        """The rest of a compound without linking letters, if that is a word."""
        bare = dict.fromkeys(without(rest, link) for link in LINKS)
        return (one for one in bare if len(one) >= SHORTEST and self._has(one))
