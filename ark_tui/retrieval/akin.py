"""Reasons of closeness: which words of a text bring it near to a query, by the embedded model's vectors.

A text's vector is the sum of its tokens' vectors, at length 1. What a word does for the closeness is what
that would lose without it, in the text and in title and headings, which the model reads with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ark_tui.domain.documents import context, embedded_text
from ark_tui.embedding import static
from ark_tui.retrieval.spelled import Asked, Read

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.reasons import Reasons
    from ark_tui.retrieval.state import Candidates, Probe, Search
    from ark_tui.store.found import Found

    Vectors = NDArray[np.float32]


def EVEN() -> Vectors:  # noqa: N802
    """The same weight for every token."""
    import numpy as np

    return np.ones(static.VOCABULARY, np.float32)


def tokens(search: Search, chunks: Sequence[int]) -> list[NDArray[np.uint16]]:
    """The token ids of chunks, made from their texts; none for one that is not there."""
    import numpy as np

    found = search.corpus.words.shown(chunks)
    texts = {
        number: embedded_text(context(one.document.title, one.chunk.heading), one.text)
        for number, one in found.items()
    }
    made = dict(zip(texts, static.tokens([*texts.values()]), strict=True))
    return [made.get(number, np.empty(0, np.uint16)) for number in chunks]


def read(search: Search, candidates: Candidates, found: Sequence[Found]) -> list[Read | None]:
    """What the model has read of each candidate; None where it cannot be told word by word."""
    known, numbers = search.read, candidates.chunks.tolist()
    fresh = [at for at, number in enumerate(numbers) if number not in known]
    if search.index and fresh:
        ids = tokens(search, candidates.chunks[fresh].tolist())
        known |= {numbers[at]: _read(found[at], one) for at, one in zip(fresh, ids, strict=True)}
    return [known.get(number) for number in numbers]


def _read(hit: Found, ids: NDArray[np.uint16]) -> Read | None:
    """The context that was read is told by the ids: a title that only repeats a file's name is none."""
    import numpy as np

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

    rows = static.unit(sums.astype(np.float32))
    close = (rows if seen is None else seen(rows)) @ vector
    found: NDArray[np.float64] = (close[0] - close[1:]).astype(np.float64)
    return found


def asked(search: Search) -> Asked:
    """The words of the query, once a search."""
    if search.said is None:
        search.said = Asked(search.query.text)
    return search.said
