"""Which words of a text have a stem, by the words themselves: texts share most of theirs.

A word is stemmed once, when a text first has it. From then on the forms of a stem that stand in a text are
the intersection of two sets.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from ark_tui.domain.unicode import normal
from ark_tui.index.words import analysis, terms

PIECE = 1 << 14  # characters
REMEMBERED = 1 << 17  # words whose stems are


class _Blanked(dict[int, int | str]):
    """For `str.translate`: a blank for whatever is no part of a word, as regular expressions have it."""

    def __missing__(self, code: int) -> int | str:
        found = self[code] = code if chr(code).isalnum() or code == ord("_") else " "
        return found


class _Forms:
    """The forms of each stem among the words that have been seen. Thread-safe."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._seen: set[str] = set()
        self._of: dict[str, set[str]] = {}

    def of(self, words: set[str], stems: Collection[str]) -> set[str]:
        """Those of the words that have one of the stems."""
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
    """The words of a text in its normal form, each once; in pieces, so that other threads get to run."""
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
    """Those of the words, as they are written, that have one of the stems; of `snake_case` each part has.

    `language`: of the text that they stand in.
    """
    return _forms(language).of(words, stems)


def had(text: str, stems: Collection[str], language: str = "") -> set[str]:
    """Those of the stems that a text of a language has."""
    if not text:
        return set()
    if not text.isascii():  # where tantivy takes other signs for a part of a word
        return {terms.stem(word, language) for word in terms.words(text)}.intersection(stems)
    words = of(written(text), stems, language)
    return {stem for stem in stems if of(words, (stem,), language)} if words else set()
