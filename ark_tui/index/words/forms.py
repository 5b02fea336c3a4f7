"""Find the words of a text with given stems, with cached stems, since texts share most of their words.

A word is stemmed once, when it first occurs. After that, the forms of a stem in a text are the intersection
of two sets.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from ark_tui.domain.unicode import normal
from ark_tui.index.words import analysis, terms

PIECE = 1 << 14  # characters
REMEMBERED = 1 << 17  # maximum words with cached stems


class _Blanked(dict[int, int | str]):
    """Table for `str.translate`: replaces non-word characters (as in regular expressions) by spaces."""

    def __missing__(self, code: int) -> int | str:
        found = self[code] = code if chr(code).isalnum() or code == ord("_") else " "
        return found


class _Forms:
    """The forms of each stem among the words seen so far. Thread-safe."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._seen: set[str] = set()
        self._of: dict[str, set[str]] = {}

    def of(self, words: set[str], stems: Collection[str]) -> set[str]:
        """The words with one of the stems."""
        if new := words - self._seen:
            self._learn(new)
        of = self._of
        return words.intersection(*[set().union(*[of.get(stem, ()) for stem in stems])])

    def _learn(self, words: set[str]) -> None:
        if len(self._seen) > REMEMBERED:
            self._seen, self._of = set(), {}
        analyze, of = analysis.stemmer().analyze, self._of
        for word in words:
            for stem in analyze(analysis.read_in(word, self._language)):
                of.setdefault(stem, set()).add(word)
        self._seen |= words


_BLANKED = _Blanked()


def written(text: str) -> set[str]:
    """The distinct words of a normalized text; processed in pieces so that other threads can run."""
    text, start = normal(text), 0
    words: set[str] = set()
    while start < len(text):
        end = start + PIECE
        while end < len(text) and (text[end].isalnum() or text[end] == "_"):
            end += 1
        words.update(text[start:end].translate(_BLANKED).split())
        start = end
    return words


@cache
def _forms(language: str) -> _Forms:
    return _Forms(language)


def of(words: set[str], stems: Collection[str], language: str = "") -> set[str]:
    """The words (as written) with one of the stems; `snake_case` has the stems of all its parts.

    `language`: the language of the text.
    """
    return _forms(language).of(words, stems)


def had(text: str, stems: Collection[str], language: str = "") -> set[str]:
    """The stems that occur in a text of a language."""
    if not text:
        return set()
    if not text.isascii():  # tantivy tokenizes non-ASCII text differently
        return {terms.stem(word, language) for word in terms.words(text)}.intersection(stems)
    words = of(written(text), stems, language)
    return {stem for stem in stems if of(words, (stem,), language)} if words else set()
