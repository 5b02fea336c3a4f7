"""A text and a query word by word, as the embedded model reads them: what `akin` gives reasons with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ark_tui.domain.reasons import LEAST, MOST, Reason, Reasons, Where
from ark_tui.embedding import static
from ark_tui.index.words import terms as words_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.embedding.static import Spelled
    from ark_tui.store.found import Found

    Vectors = NDArray[np.float32]

LOOKED_AT = 20  # words of a text that are worth most
CLOSE = 0.3  # the least cosine of two words that are called close


@dataclass(frozen=True, slots=True)
class Read:
    """A chunk as the model has read it: its words, those alike together, and where the text itself begins."""

    hit: Found
    words: list[Spelled]
    groups: dict[str, list[int]]  # by the word: its places among the words
    begin: int  # the characters of title and headings before the text
    ids: NDArray[np.uint16]  # the tokens of all words
    owner: NDArray[np.int64]  # of each token: whose group it is of, by its place; one past the last for none

    def sums(self, weights: Vectors | None) -> Vectors:
        """The sum of the vectors of each group's tokens, and after them that of the other tokens."""
        import numpy as np

        rows = static.table()[self.ids].astype(np.float32)
        if weights is not None:
            rows *= np.asarray(weights)[self.ids][:, None]
        found = np.zeros((len(self.groups) + 1, rows.shape[1]), np.float32)
        np.add.at(found, self.owner, rows)
        return found

    def reason(self, word: str, asked: str, closeness: float, value: float) -> Reason:
        """A pair of a word of this text and one of the query."""
        spans = [
            (self.words[at].start - self.begin, self.words[at].end - self.begin) for at in self.groups[word]
        ]
        inside = tuple((a, b) for a, b in spans if a >= 0)
        where: Where = "text" if inside else "title"
        found = self.hit.text[slice(*inside[0])] if inside else word
        return Reason("pair", asked, found, where, value, inside, closeness=round(closeness, 4))


class Asked:
    """The words of a query, to say which of them a word of a text is closest to."""

    def __init__(self, text: str) -> None:
        self.words = tuple(dict.fromkeys(words_terms.words(text)))
        self._vectors = static.pool(static.tokens(self.words))
        self._known: dict[str, tuple[str, float]] = {}

    def pairs(self, text: Read, worth: dict[str, float]) -> Reasons:
        """The words of a text that are worth most and are close to one of the query, each with that."""
        telling = (word for word in worth if worth[word] > LEAST and word not in words_terms.STOP_WORDS)
        best = sorted(telling, key=lambda word: -worth[word])[:LOOKED_AT]
        pairs = [(word, *self.closest(word)) for word in best if self.words]
        near = [pair for pair in pairs if pair[2] >= CLOSE][:MOST]
        return tuple(text.reason(word, asked, close, worth[word]) for word, asked, close in near)

    def closest(self, word: str) -> tuple[str, float]:
        """The word of the query that is closest to another one, and their cosine."""
        if word not in self._known:
            close = self._vectors @ static.pool(static.tokens([word]))[0]
            self._known[word] = self.words[int(close.argmax())], float(close.max())
        return self._known[word]
