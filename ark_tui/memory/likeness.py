"""How close a text is to memories: the cosine of its vector with those that are stored for their chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.domain.dataclass import dataclass
from ark_tui.domain.errors import ArkError
from ark_tui.domain.hits import SignalStatus
from ark_tui.embedding import static
from ark_tui.index.protocols import NOWHERE, VectorIndex
from ark_tui.index.words import terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.retrieval import Corpus

SIGNAL = "cosine"
WORDS = "the shares of the query's words count instead"


@dataclass(frozen=True, slots=True)
class Likeness:
    """Similarities by chunk number, 0…1. `waiting`: chunks without a vector, of which words were compared."""

    values: dict[int, float]
    lamp: SignalStatus
    waiting: int = 0


def likeness(
    corpus: Corpus, text: str, chunks: Sequence[int], texts: Callable[[Sequence[int]], dict[int, str]]
) -> Likeness:
    """How close a text is to each chunk, by number: by the served model in force, else by the embedded one.

    Negative cosines are 0. A chunk without a vector, and all where no model can be used, is compared by
    words: the share of the text's words that it holds; `texts` looks them up.
    """
    try:
        found, lamp = _cosines(corpus, text, chunks)
    except ArkError as error:
        found, lamp = {}, SignalStatus(SIGNAL, "off", f"{error.what.rstrip('.')}; {WORDS}")
    missing = [chunk for chunk in chunks if chunk not in found]
    if missing:
        asked = frozenset(terms.read(text).stems)
        found |= {chunk: _share(asked, words) for chunk, words in texts(missing).items()}
    return Likeness(found, lamp, len(missing))


def _cosines(corpus: Corpus, text: str, chunks: Sequence[int]) -> tuple[dict[int, float], SignalStatus]:
    reason = ""
    try:
        served = corpus.served()
        index = served.vectors() if served else None
        if served and index and index.size:
            query = served.queries.ask(text.strip()).within(served.budget)
            return _measured(index, query, chunks), SignalStatus(SIGNAL, "on", served.name)
    except ArkError as error:
        reason = f"{error.what.rstrip('.')}; the embedded model compares"
    lamp = SignalStatus(SIGNAL, "on", reason or "the embedded model")
    embedded = corpus.vectors()
    row = static.pool(static.tokens([text.strip()]))[0]
    if embedded is None or not row.any():
        why = "nothing has a vector yet" if embedded is None else "the model knows no word of this query"
        return {}, replace(lamp, state="off", reason=f"{why}; {WORDS}")
    return _measured(embedded, row, chunks), lamp


def _measured(index: VectorIndex, query: NDArray[np.float32], chunks: Sequence[int]) -> dict[int, float]:
    """The cosines of those chunks that have a vector; below 0 is 0."""
    scores = index.score(query, chunks).tolist()
    return {chunk: max(0.0, score) for chunk, score in zip(chunks, scores, strict=True) if score > NOWHERE}


def _share(asked: frozenset[str], text: str) -> float:
    return len(asked & frozenset(terms.read(text).stems)) / len(asked) if asked else 0.0
