"""Renews the small columns by change: no vector is touched by a tag, a move or a removal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress

import numpy as np

from ark_tui.domain.documents import LiveChunk
from ark_tui.index.vectors.serving import NO_DAY, ChunkMap, DocumentFacts, spans


class Patch:
    """Changes gathered on top of a chunk map and its documents' facts."""

    def __init__(self, chunks: ChunkMap, documents: DocumentFacts, row: Callable[[str], int]) -> None:
        self._chunks = chunks
        self._documents = documents
        self._row = row
        self._changed: dict[int, LiveChunk] = {}

    def take(self, batch: Sequence[LiveChunk]) -> None:
        """Note changes; the latest of a chunk counts."""
        for chunk in batch:
            self._changed[chunk.number] = chunk

    def merged(self) -> tuple[ChunkMap, DocumentFacts]:
        """The columns with all changes so far, sorted; later changes are gathered on top of these."""
        if self._changed:
            self._chunks = self._merge_chunks()
            self._documents = self._merge_documents()
            self._changed = {}
        return self._chunks, self._documents

    def _merge_chunks(self) -> ChunkMap:
        old = self._chunks
        kept = ~np.isin(old.chunk, np.fromiter(self._changed, np.int64, len(self._changed)))
        fresh = [chunk for chunk in self._changed.values() if not chunk.gone]
        chunk = np.concatenate([old.chunk[kept], np.array([x.number for x in fresh], np.int64)])
        order = np.argsort(chunk, kind="stable")
        row = np.concatenate([old.row[kept], np.array([self._row(x.text_hash) for x in fresh], np.int32)])
        document = np.concatenate([old.document[kept], np.array([x.document for x in fresh], np.int64)])
        ordinal = np.concatenate([old.ordinal[kept], np.array([x.ordinal for x in fresh], np.int32)])
        return ChunkMap(chunk[order], row[order], document[order], ordinal[order])

    def _merge_documents(self) -> DocumentFacts:
        old = self._documents
        fresh = {chunk.document: chunk for chunk in self._changed.values() if not chunk.gone}
        alive = np.isin(old.number, self._chunks.document)
        kept = alive & ~np.isin(old.number, np.fromiter(fresh, np.int64, len(fresh)))
        names = {kind: list(values) for kind, values in old.names.items()}
        codes = {kind: {name: i for i, name in enumerate(values)} for kind, values in names.items()}

        def code(kind: str, name: str) -> int:
            if name not in codes[kind]:
                codes[kind][name] = len(names[kind])
                names[kind].append(name)
            return codes[kind][name]

        facts = [
            (
                code("collection", x.collection), code("tier", x.tier), code("type", x.type),
                code("layer", str(x.layer)),
                code("source", x.source) if x.source else -1, -1 if x.place is None else x.place,
                NO_DAY if x.day is None else x.day, int(x.superseded),
                NO_DAY if x.since is None else x.since,
            )
            for x in fresh.values()
        ]  # fmt: skip
        number = np.concatenate([old.number[kept], np.fromiter(fresh, np.int64, len(fresh))])
        order = np.argsort(number, kind="stable")
        all_facts = np.concatenate(
            [old.facts[kept], np.array(facts, np.int32).reshape(-1, old.facts.shape[1])]
        )
        paths = [*compress(old.paths, kept), *(x.path for x in fresh.values())]
        added = np.array([len(x.tags) for x in fresh.values()], np.int64)
        tags = np.concatenate(
            [old.tags, np.array([code("tag", tag) for x in fresh.values() for tag in x.tags], np.int32)]
        )
        start = np.concatenate([old.tag_offsets[:-1][kept], len(old.tags) + np.cumsum(added) - added])[order]
        count = np.concatenate([np.diff(old.tag_offsets)[kept], added])[order]
        return DocumentFacts(
            number[order],
            all_facts[order],
            tags[spans(start, count)],
            np.concatenate([[0], np.cumsum(count)]),
            names,
            [paths[i] for i in order],
        )
