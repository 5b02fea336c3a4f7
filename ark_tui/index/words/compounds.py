"""German compounds, found by the vocabulary of the corpus.

`Kompost` is in `Komposthaufen` and `Gartenkompost`, because `Haufen` and `Garten` are also words of the
corpus; `Vergessenskurve` consists of `Vergessen` and `Kurve`. The rest of a compound must itself be a word of
the corpus, except for one or two linking letters (Koehn and Knight 2003 split by the same evidence). This
needs no training, and only words of the corpus are parts.
"""

from __future__ import annotations

from os.path import commonprefix
from typing import TYPE_CHECKING

from ark_tui.index.words.terms import stem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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
        """Split a compound into two words, preferring the longest last one; None if it is not a compound."""
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
