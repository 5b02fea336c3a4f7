"""What a hit shows of a chunk, whoever has it looked up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ark_tui.domain.documents import Chunk, Document


@dataclass(frozen=True, slots=True)
class Found:
    """A chunk with its document and text, and what is known of its file."""

    number: int  # of the document
    document: Document
    chunk: Chunk
    text: str
    root: str | None = None
    size: int = -1
    mtime_ns: int = -1
    before: str = ""  # the end of what stands before it, see `before`
    aliases: str = ""  # other names that its document gives itself, a line each
    language: str = ""  # in which it is written: an ISO 639-1 code, "" for English
