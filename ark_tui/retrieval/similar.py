"""What is like a chunk or a document that is already there: by its stored vector, no model asked (S12)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.domain.errors import NoVector, UsageError
from ark_tui.domain.profile import Profile
from ark_tui.domain.protocols import NEVER, Stop
from ark_tui.domain.query import Filters, Query, Request
from ark_tui.index.vectors.reader import NOWHERE
from ark_tui.index.words.terms import Terms
from ark_tui.retrieval import answer, fusion
from ark_tui.retrieval.signals import cosine, model, static
from ark_tui.retrieval.state import Candidates, Corpus, Scored, Search, Signal
from ark_tui.retrieval.timing import Timer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.hits import SearchResult
    from ark_tui.index.vectors import Vectors
    from ark_tui.index.vectors.reader import View

SPARE = 3  # documents per wanted hit that are looked at, since near-duplicates share a place


def similar(
    corpus: Corpus,
    document: int,
    chunk: int | None,
    name: str,
    limit: int,
    filters: Filters,
    stop: Stop = NEVER,
) -> SearchResult:
    """Documents by the cosine of their best chunk with a chunk, or with the mean of a document's chunks.

    Numbers are the store's; the document itself is not among the hits. By the served model in force, if
    there is one. Raises `NoVector` where nothing is stored for it.
    """
    if limit < 1:
        raise UsageError(f"A limit of {limit} makes no sense.", "Ask for at least one hit: -n 10")
    timer = Timer()
    signal, vectors, view = _stored(corpus)
    if view is None:
        raise _missing(name)
    found = vectors.similarities(view, _vector(vectors, view, document, chunk, name), filters=filters)
    found[view.chunks.document == document] = NOWHERE
    at = _best_of_documents(view, found, limit * SPARE)
    timer.lap("vectors")
    profile = Profile("similar", "by stored vectors", weights={signal.info.name: 1.0})
    search = Search(
        Request(f"similar to {name}", mode="semantic", limit=limit, filters=filters),
        Query(f"similar to {name}", ""), Terms(), filters, profile, corpus, stop, view=view,
    )  # fmt: skip
    candidates = Candidates(view.chunks.chunk[at], view.chunks.document[at])
    column = fusion.column(signal, found[at].astype(float), profile)
    scored = Scored(candidates, [column], fusion.total([column], len(at)))
    return answer.make(search, [signal], scored, timer)


def nearest(
    corpus: Corpus, document: int, chunk: int, name: str, limit: int, filters: Filters
) -> list[tuple[int, float]]:
    """The chunks whose vectors are closest to that of a chunk, itself left out, with their cosines.

    Raises `NoVector` where nothing is stored for it.
    """
    import numpy as np

    _, vectors, view = _stored(corpus)
    if view is None:
        raise _missing(name)
    found = vectors.similarities(view, _vector(vectors, view, document, chunk, name), filters=filters)
    found[view.chunks.chunk == chunk] = NOWHERE
    order = np.argsort(-found, kind="stable")[:limit]
    return [(int(view.chunks.chunk[at]), float(found[at])) for at in order if found[at] > NOWHERE]


def _stored(corpus: Corpus) -> tuple[Signal, Vectors, View | None]:
    """The vectors to compare: each contributes its cosine as it is."""
    served = corpus.served()
    if served is not None and (view := served.reader.refresh()) is not None:
        return replace(model.SIGNAL, normalise=cosine.itself), served.reader, view
    return replace(static.SIGNAL, normalise=cosine.itself), corpus.vectors, corpus.vectors.refresh()


def _vector(vectors: Vectors, view: View, document: int, chunk: int | None, name: str) -> NDArray[np.float32]:
    """The unit vector of a chunk, or of the mean of a document's chunks."""
    import numpy as np

    chunks = view.chunks.chunk[view.chunks.document == document] if chunk is None else np.array([chunk])
    rows = vectors.rows(view, chunks.tolist())
    mean = rows.sum(axis=0) if len(rows) else np.zeros(1, np.float32)
    length = float(np.linalg.norm(mean))
    if not length:
        raise _missing(name)
    unit: NDArray[np.float32] = (mean / length).astype(np.float32)
    return unit


def _best_of_documents(view: View, found: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """The places of the best chunk of each of the best documents, ascending."""
    import numpy as np

    order = np.argsort(-found, kind="stable")
    order = order[found[order] > NOWHERE]
    _, first = np.unique(view.chunks.document[order], return_index=True)
    return np.sort(order[np.sort(first)[:count]])


def _missing(name: str) -> NoVector:
    return NoVector(
        f"{name} has no vector.",
        "It waits for one, or has no word that the model knows; `ark-tui status` says which.",
    )
