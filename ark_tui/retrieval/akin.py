"""Reasons of closeness: which words of a text bring it near to a query, by the embedded model's vectors.

A text's vector is the sum of its tokens' vectors, at length 1. What a word does for the closeness is what
that would lose without it, in the text and in title and headings, which the model reads with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ark_tui.domain.dataclass import dataclass
from ark_tui.domain.documents import context, embedded_text
from ark_tui.domain.reasons import Reason, Where
from ark_tui.index.words import terms as words_terms
from ark_tui.retrieval.worded import LEAST, MOST, Reasons

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.embedding.static import Spelled
    from ark_tui.retrieval.state import Candidates, Probe, Search
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

        from ark_tui.embedding import static

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


def read(search: Search, candidates: Candidates, found: Sequence[Found]) -> list[Read | None]:
    """What the model has read of each candidate; None where it cannot be told word by word."""
    known, numbers = search.read, candidates.chunks.tolist()
    fresh = [at for at, number in enumerate(numbers) if number not in known]
    if search.index and fresh:
        ids = search.index.tokens(candidates.chunks[fresh])
        known |= {numbers[at]: _read(found[at], one) for at, one in zip(fresh, ids, strict=True)}
    return [known.get(number) for number in numbers]


def _read(hit: Found, ids: NDArray[np.uint16]) -> Read | None:
    """The context that was read is told by the ids: a title that only repeats a file's name is none."""
    import numpy as np

    from ark_tui.embedding import static

    heading = hit.chunk.heading
    for around in dict.fromkeys((context(hit.document.title, heading), context("", heading), "")):
        text = embedded_text(around, hit.text)
        words = static.spelled(text)
        flat = np.concatenate([np.empty(0, np.uint16), *(word.ids for word in words)])
        if len(words) and np.array_equal(flat, ids):
            groups: dict[str, list[int]] = {}
            for at, word in enumerate(words):
                if word.word:
                    groups.setdefault(word.word, []).append(at)
            place = {name: at for at, name in enumerate(groups)}
            owners = [place.get(word.word, len(groups)) for word in words]
            owner = np.repeat(np.array(owners, np.int64), [len(word.ids) for word in words])
            return Read(hit, words, groups, len(text) - len(hit.text), flat, owner)
    return None


def reasons(
    search: Search,
    candidates: Candidates,
    found: Sequence[Found],
    probe: Probe | None,
    weights: Vectors | None = None,
    seen: Callable[[Vectors], Vectors] | None = None,
) -> list[Reasons]:
    """The words of each candidate without which its cosine with what is asked for would be less.

    `weights`: of tokens, by id; `seen`: what is compared of unit vectors, themselves if None.
    """
    texts = read(search, candidates, found)
    if probe is None:
        return [()] * len(found)
    query = asked(search)
    return [_of(query, text, probe.vector, weights, seen) if text else () for text in texts]


def _of(
    query: Asked,
    text: Read,
    vector: Vectors,
    weights: Vectors | None,
    seen: Callable[[Vectors], Vectors] | None,
) -> Reasons:
    import numpy as np

    sums = text.sums(weights)
    whole = sums.sum(axis=0)
    lost = losses(np.vstack([whole[None], whole - sums[:-1]]), vector, seen)
    return query.pairs(text, dict(zip(text.groups, lost.tolist(), strict=True)))


def losses(
    sums: Vectors, vector: Vectors, seen: Callable[[Vectors], Vectors] | None = None
) -> NDArray[np.float64]:
    """How much less the cosine of each further row with a vector is than that of the first."""
    import numpy as np

    from ark_tui.embedding import static

    rows = static.unit(sums.astype(np.float32))
    close = (rows if seen is None else seen(rows)) @ vector
    found: NDArray[np.float64] = (close[0] - close[1:]).astype(np.float64)
    return found


def asked(search: Search) -> Asked:
    """The words of the query, once a search."""
    if search.said is None:
        search.said = Asked(search.query.text)
    return search.said


class Asked:
    """The words of a query, to say which of them a word of a text is closest to."""

    def __init__(self, text: str) -> None:
        from ark_tui.embedding import static

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
        from ark_tui.embedding import static

        if word not in self._known:
            close = self._vectors @ static.pool(static.tokens([word]))[0]
            self._known[word] = self.words[int(close.argmax())], float(close.max())
        return self._known[word]
