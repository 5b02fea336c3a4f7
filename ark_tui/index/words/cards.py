"""Cards: the display data of chunks, stored in the word index so that searches need not read the store.

A card is a JSON list. It is valid as long as the index is as new as the store, except for two values that
change independently of the chunk: the state of its file when last read, and the successor of its document.
Superseded documents and messages (which have a change log of their own) have no card; the store is read.
"""

from __future__ import annotations

import json
from datetime import timedelta

from ark_tui.domain.documents import Chunk, Document, LiveChunk
from ark_tui.store.changes import EPOCH_DAY
from ark_tui.store.found import Found

_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)


def write(chunk: LiveChunk) -> bytes:
    """Serialize the card of a chunk."""
    return _JSON.encode(
        (
            chunk.document,
            (chunk.document_id, chunk.collection, chunk.path, chunk.title, chunk.type, chunk.tier,
             chunk.status, chunk.day, chunk.date_source, chunk.tags, chunk.item, chunk.layer),
            (chunk.ordinal, chunk.start_char, chunk.end_char, chunk.start_line, chunk.end_line,
             chunk.heading),
            chunk.text, chunk.root, chunk.size, chunk.mtime_ns, chunk.before,
            chunk.aliases, chunk.language,
        )
    ).encode("utf-8", "replace")  # fmt: skip


def read(card: bytes) -> Found:
    """Parse a card into the same value as the store returns."""
    number, about, place, text, *rest = json.loads(card)
    id_, collection, path, title, kind, tier, status, day, day_source, tags, item, layer = about
    date = None if day is None else EPOCH_DAY + timedelta(days=day)
    document = Document(
        id_, collection, path, title, kind, tier, status, date, day_source, tuple(tags), item, layer=layer
    )
    return Found(number, document, Chunk(f"{id_}:{place[0]}", *place), text, *rest)
