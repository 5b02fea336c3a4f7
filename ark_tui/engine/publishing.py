"""Publishing the corpus of a home as a LanceDB table at a URI, and searching such a table."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ark_tui.domain.errors import ArkError, UsageError
from ark_tui.domain.hits import Hit, Part, SearchResult, SignalStatus
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.work import Progress, Publication
from ark_tui.index import filters as trees
from ark_tui.index import sql
from ark_tui.index.published import Match, PublishedTable, Record
from ark_tui.index.words import terms as words
from ark_tui.retrieval import query as queries
from ark_tui.retrieval import snippet
from ark_tui.store import changes

if TYPE_CHECKING:
    from ark_tui.domain.query import Query, Request
    from ark_tui.engine.services import Services
    from ark_tui.index.protocols import Vector
    from ark_tui.index.vectors.snapshot import Snapshot

STAGE = "publish"
AT_ONCE = 2_000  # changes per batch
WIDER = 5  # chunks requested per document, as several may be of one document


def publish(
    parts: Services, uri: str = "", stop: Stop = NEVER, progress: OnProgress = ignore, *, anew: bool = False
) -> Publication:
    """Update the table at a URI, by default that of the settings. `anew`: write everything again.

    Raises `StoreError` if another home publishes there.
    """
    uri = uri or parts.settings.index
    if not uri:
        raise UsageError("No place to publish at is given.", "Name one.")
    model = parts.models.in_force()
    snapshot = (parts.models.reader(model) if model else parts.vectors).refresh()
    if snapshot is None:
        raise UsageError("There is nothing to publish.", "Index a folder first.")
    dims = model.dims if model else snapshot.dims
    with parts.store.read() as lease:
        identity = changes.identity(lease)
    table = PublishedTable(uri)
    record = table.begin(identity, model.dumped() if model else "", dims, anew=anew)
    written, change = 0, record.change
    with parts.store.read() as lease:
        total = changes.behind(lease, change)
    while change < snapshot.change:
        check(stop)
        with parts.store.read() as lease:
            batch = changes.since(lease, change, AT_ONCE)
        batch = [chunk for chunk in batch if chunk.change <= snapshot.change]
        if not batch:
            break
        table.write(record, batch, _vectors(snapshot, [chunk.number for chunk in batch], dims))
        change, written = batch[-1].change, written + len(batch)
        progress(Progress(STAGE, written, max(total, written)))
    record = table.finish(record, change)
    return Publication(uri, record.size, written, model.name if model else "static")


def erase(parts: Services, uri: str) -> None:
    """Publish the corpus anew and remove all old data at the URI."""
    table = PublishedTable(uri)
    if table.record() is not None:
        publish(parts, uri, anew=True)
        table.squeeze()


def search(parts: Services, uri: str, request: Request, stop: Stop = NEVER) -> SearchResult:
    """Search a published table. Scores are those of LanceDB, which a signal status states."""
    began = time.monotonic()
    table = PublishedTable(uri)
    record = table.record()
    if record is None or not record.version:
        raise UsageError(f"Nothing was published at {uri}.", "Publish there first, or name another place.")
    now = parts.clock.now()
    parsed = queries.literal(request.query) if request.literal else queries.parse(request.query, now)
    where = sql.where(trees.both(parsed.filters, request.filters), texts=True)
    vector, problem = (None, "") if request.mode == "keyword" else _vector(parts, record, parsed)
    check(stop)
    found = table.search(record, parsed.text, vector, where, WIDER * request.limit, request.mode)
    reason = f"Scores are those of the table at {uri}; they differ from the scores of a home."
    lamps = [SignalStatus("table", "on", reason)]
    lamps += [SignalStatus("cosine", "off", problem)] if problem else []
    hits = _hits(found, parsed)
    return SearchResult(
        parsed, "", "table", tuple(hits[: request.limit]), tuple(lamps),
        took_ms=1000 * (time.monotonic() - began), truncated=len(hits) > request.limit, found=len(hits),
    )  # fmt: skip


def _vectors(snapshot: Snapshot, chunks: Sequence[int], dims: int) -> np.ndarray:
    matrix = np.zeros((len(chunks), dims), np.float32)
    there, rows = snapshot.vectors(chunks)
    matrix[there] = rows
    return matrix


def _vector(parts: Services, record: Record, parsed: Query) -> tuple[Vector | None, str]:
    """The query vector by the model of the table, or None and the reason."""
    from ark_tui.embedding import choice, static
    from ark_tui.embedding.served import ServedModel

    try:
        if not record.model:
            row = static.StaticEmbedder().embed_query(parsed.text)
        else:
            model = ServedModel.loaded(record.model)
            if model is None:
                return None, "its vectors are of a model that this version does not know"
            row = choice.elsewhere(model, parts.settings).embed_query(parsed.text)
    except ArkError as error:
        return None, error.told
    return (row, "") if row.any() else (None, "")


def _hits(found: Sequence[Match], parsed: Query) -> list[Hit]:
    """The best chunk of each document."""
    terms = words.read(parsed.text, phrases=parsed.phrases)
    best: dict[int, Match] = {}
    more: dict[int, int] = {}
    for one in found:
        best.setdefault(one.found.number, one)
        more[one.found.number] = more.get(one.found.number, -1) + 1
    hits = []
    for rank, (document, one) in enumerate(best.items(), 1):
        part = Part("table", one.score, one.score, rank, 1.0, one.score)
        shown = snippet.make(one.found.text, one.found.chunk.start_line, terms, one.found.language)
        hits.append(Hit(
            rank, one.score, one.found.document, one.found.chunk, shown, more[document], (part,),
            number=one.number,
        ))  # fmt: skip
    return hits
