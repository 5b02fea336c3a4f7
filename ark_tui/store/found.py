"""What a search result shows of a chunk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ark_tui.domain.documents import Chunk, Document


@dataclass(frozen=True, slots=True)
class Found:
    """A chunk with its document, its text and the data of its file."""

    number: int  # of the document
    document: Document
    chunk: Chunk
    text: str
    root: str | None = None
    size: int = -1
    mtime_ns: int = -1
    before: str = ""  # the end of the text before it, see `before`
    aliases: str = ""  # aliases of its document, one per line
    language: str = ""  # ISO 639-1 code, "" for English
