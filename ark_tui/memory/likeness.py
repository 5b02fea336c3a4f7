"""Similarity of a text to memories: the cosine of its vector with the stored vectors of their chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ark_tui.domain.errors import ArkError
from ark_tui.domain.hits import SignalStatus
from ark_tui.embedding import static
from ark_tui.index.protocols import NOWHERE, VectorIndex
from ark_tui.index.words import terms
from ark_tui.store import changes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.query import Filters
    from ark_tui.index.protocols import Weigh
    from ark_tui.retrieval import Corpus
    from ark_tui.store import Lease

SIGNAL = "cosine"
WORDS = "the shares of the query's words count instead"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A text to compare with memories: by its vector, or by its words; `lamp` says why."""

    text: str
    lamp: SignalStatus
    index: VectorIndex | None = None
    vector: NDArray[np.float32] | None = None

    def closest(self, count: int, where: Filters, weigh: Weigh | None = None) -> dict[int, float]:
        """The chunks with the highest cosines, at least 0, best first; empty without a vector.

        `weigh`: multiply each cosine by this weight of its date before ranking.
        """
        if self.index is None or self.vector is None:
            return {}
        found = self.index.search(self.vector, count, where, weigh)
        return {
            chunk: max(0.0, score)
            for chunk, score in zip(found.chunks.tolist(), found.scores.tolist(), strict=True)
        }

    def missed(self, store: Callable[[], Lease], now: int, where: Filters) -> list[int] | None:
        """The chunks for which the index may be out of date, of any layer; None: all chunks.

        `now`: the store's latest change.
        """
        if self.index is None:
            return None
        lacking, reached = self.index.lacking(where).tolist(), self.index.change
        return lacking if reached == now else [*lacking, *changes.chunks_since(store(), reached)]

    def values(
        self, chunks: Sequence[int], texts: Callable[[Sequence[int]], dict[int, str]]
    ) -> tuple[dict[int, float], int]:
        """The similarity of each chunk, and how many of them have no vector.

        Those are compared by words: the share of the text's words that they contain; `texts` looks them up.
        """
        found: dict[int, float] = {}
        if self.index is not None and self.vector is not None and chunks:
            scores = self.index.score(self.vector, chunks).tolist()
            pairs = zip(chunks, scores, strict=True)
            found = {chunk: max(0.0, score) for chunk, score in pairs if score > NOWHERE}
        missing = [chunk for chunk in chunks if chunk not in found]
        if missing:
            asked = frozenset(terms.read(self.text).stems)
            found |= {chunk: _share(asked, words) for chunk, words in texts(missing).items()}
        return found, len(missing)


def compared(corpus: Corpus, text: str) -> Comparison:
    """A comparison by the served model if there is one, else by the embedded model, else by words."""
    try:
        return _compared(corpus, text)
    except ArkError as error:
        return Comparison(text, SignalStatus(SIGNAL, "off", f"{error.what.rstrip('.')}; {WORDS}"))


def _compared(corpus: Corpus, text: str) -> Comparison:
    reason = ""
    try:
        served = corpus.served()
        index = served.vectors() if served else None
        if served and index and index.size:
            query = served.queries.ask(text.strip()).within(served.budget)
            return Comparison(text, SignalStatus(SIGNAL, "on", served.name), index, query)
    except ArkError as error:
        reason = f"{error.what.rstrip('.')}; the embedded model compares"
    lamp = SignalStatus(SIGNAL, "on", reason or "the embedded model")
    embedded = corpus.vectors()
    row = static.pool(static.tokens([text.strip()]))[0]
    if embedded is None or not row.any():
        why = "nothing has a vector yet" if embedded is None else "the model knows no word of this query"
        return Comparison(text, replace(lamp, state="off", reason=f"{why}; {WORDS}"))
    return Comparison(text, lamp, embedded, row)


def _share(asked: frozenset[str], text: str) -> float:
    return len(asked & frozenset(terms.read(text).stems)) / len(asked) if asked else 0.0
