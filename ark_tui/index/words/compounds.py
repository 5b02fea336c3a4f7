"""Compounds of German, by the vocabulary of the corpus itself.

`Kompost` is in `Komposthaufen` and `Gartenkompost`, because `Haufen` and `Garten` are words of the corpus,
too; `Vergessenskurve` is made of `Vergessen` and `Kurve`. What is left of a word beside a part of it has to
be a word that texts have by itself, but for a linking letter or two (Koehn and Knight 2003 split by the same
evidence). So nothing is learnt beforehand, and a part that no text has is none.
"""

from __future__ import annotations

from os.path import commonprefix
from typing import TYPE_CHECKING

from ark_tui.index.words.terms import stem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

SHORTEST = 4  # letters of a part
LINKS = ("", "s", "es", "n", "en", "e", "er")
ENDING = 3  # letters that a form of a word may have more
_BARE = str.maketrans("äöü", "aou")  # letters that change from one form of a word to the next


class Vocabulary:
    """The words of a corpus, in lower case, to find compounds among. `has`: whether a text has a word."""

    def __init__(self, words: Iterable[str], has: Callable[[str], bool]) -> None:
        self._words = "\n".join(["", *words, ""])
        self._bare = self._words.translate(_BARE)
        self._has = has

    def made_of(self, word: str, language: str) -> Iterator[str]:
        """The words that are made of a word of a language, or of a form of it, and of another."""
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
        """The two words that a word is made of, the longest last one first; None where it is no compound."""
        for at in range(SHORTEST, len(word) - SHORTEST + 1):
            if self._has(word[at:]):
                for first in self._left(word[:at], str.removesuffix):
                    return first, word[at:]
        return None

    def _are_left(self, rest: str, without: Callable[[str, str], str]) -> bool:
        return next(self._left(rest, without), "") != ""

    def _left(self, rest: str, without: Callable[[str, str], str]) -> Iterator[str]:
        """What a rest is without the letters that link it, where that is a word."""
        bare = dict.fromkeys(without(rest, link) for link in LINKS)
        return (one for one in bare if len(one) >= SHORTEST and self._has(one))
