"""Find texts similar to an indexed chunk or document by its stored vector, without calling a model (S12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ark_tui.domain.errors import Hint, NoVector, UsageError
from ark_tui.domain.profile import Profile
from ark_tui.domain.protocols import NEVER, Stop
from ark_tui.domain.query import Filters, Query, Request
from ark_tui.index.words.terms import Terms
from ark_tui.retrieval import answer, fusion
from ark_tui.retrieval.signals import model, static
from ark_tui.retrieval.state import Candidates, Corpus, Scored, Search, Signal, Timer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ark_tui.domain.hits import SearchResult
    from ark_tui.index.vectors.snapshot import Snapshot

SPARE = 3  # documents retrieved per requested hit, since near-duplicates are grouped


def similar(
    corpus: Corpus,
    document: int,
    chunk: int | None,
    name: str,
    limit: int,
    filters: Filters,
    stop: Stop = NEVER,
) -> SearchResult:
    """Rank documents by the cosine of their best chunk with a chunk, or with the mean of a document's chunks.

    `document` and `chunk` are numbers of the store; the document itself is excluded. Uses the served model
    in use, if any, else the embedded one. Raises `NoVector` if no vector is stored.
    """
    import numpy as np

    if limit < 1:
        raise UsageError(f"The limit {limit} is too small.", "Ask for at least one hit: -n 10")
    timer = Timer()
    signal, index, embedded = _stored(corpus, name)
    wanted = limit * SPARE
    nearest = index.search_documents(_vector(index, document, chunk, name), wanted + 1, filters)
    others = np.flatnonzero(nearest.documents != document)[:wanted]
    at = others[np.argsort(nearest.chunks[others])]
    timer.lap("vectors")
    profile = Profile("similar", "by stored vectors", weights={signal.info.name: 1.0})
    search = Search(
        Request(f"similar to {name}", mode="semantic", limit=limit, filters=filters),
        Query(f"similar to {name}", ""), Terms(), filters, profile, corpus, stop, embedded,
    )  # fmt: skip
    candidates = Candidates(nearest.chunks[at], nearest.documents[at])
    column = fusion.column(signal, nearest.scores[at], profile)
    scored = Scored(candidates, [column], fusion.total([column], len(at)))
    return answer.make(search, [signal], scored, timer)


def nearest(
    corpus: Corpus, document: int, chunk: int, name: str, limit: int, filters: Filters
) -> list[tuple[int, float]]:
    """The chunks closest to a chunk by cosine, without the chunk itself, and the cosines.

    Raises `NoVector` if no vector is stored for the chunk.
    """
    _, index, _ = _stored(corpus, name)
    found = index.search(_vector(index, document, chunk, name), limit + 1, filters)
    pairs = zip(found.chunks.tolist(), found.scores.tolist(), strict=True)
    return [pair for pair in pairs if pair[0] != chunk][:limit]


def _stored(corpus: Corpus, name: str) -> tuple[Signal, Snapshot, Snapshot | None]:
    """The cosine signal and its vector index; the third value is the same index if of the embedded model.

    Raises `NoVector` if there are no vectors.
    """
    served = corpus.served()
    if served is not None and (index := served.vectors()) is not None:
        return model.SIGNAL, index, None
    if (embedded := corpus.vectors()) is not None:
        return static.SIGNAL, embedded, embedded
    raise _missing(name)


def _vector(index: Snapshot, document: int, chunk: int | None, name: str) -> NDArray[np.float32]:
    """The unit vector of a chunk, or of the mean of a document's chunks."""
    import numpy as np

    _, rows = index.vectors(index.chunks_of(document) if chunk is None else [chunk])
    mean = rows.sum(axis=0) if len(rows) else np.zeros(1, np.float32)
    length = float(np.linalg.norm(mean))
    if not length:
        raise _missing(name)
    unit: NDArray[np.float32] = (mean / length).astype(np.float32)
    return unit


def _missing(name: str) -> NoVector:
    return NoVector(
        f"{name} has no vector.",
        Hint.run("status", say="It waits for one, or has no word that the model knows; `{}` says which."),
    )
