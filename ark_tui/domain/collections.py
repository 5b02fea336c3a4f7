"""Collections as programs fill and ask them: texts with a source, sizes in tokens, chunks as hits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ark_tui.domain.documents import Chunk, Document


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text that a program hands in under a source, which is its name within a collection."""

    source: str
    content: str
    title: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CollectionSize:
    """The chunks of a collection and their tokens, counted as the embedded model does."""

    name: str
    chunks: int = 0
    min_tokens: int = 0
    max_tokens: int = 0
    avg_tokens: float = 0.0
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Filled:
    """What was put into a collection, and the model whose vectors it gets."""

    collection: str
    documents: int
    chunks: int
    model: str
    dims: int


@dataclass(frozen=True, slots=True)
class ChunkHit:
    """A chunk that answers a query, with its whole text."""

    document: Document
    chunk: Chunk
    text: str
    score: float
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """`collection:source:index`."""
        return f"{self.document.collection}:{self.document.path}:{self.chunk.ordinal}"
