"""Plain text: paragraphs."""

from __future__ import annotations

from ark_tui.domain.documents import Draft
from ark_tui.ingest.chunk.strategies import paragraphs
from ark_tui.ingest.formats.file import File


def read(file: File) -> tuple[Draft, ...]:
    """One document, named after its file."""
    return (file.plain("text", paragraphs(file.text)),)
