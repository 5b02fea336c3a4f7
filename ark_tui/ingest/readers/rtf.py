"""Rich Text, by striprtf (requirement I8)."""

from __future__ import annotations

from collections.abc import Iterator

from striprtf.striprtf import rtf_to_text

from ark_tui.ingest.decode import Unreadable
from ark_tui.ingest.readers.content import Content, Text


def read(data: bytes) -> Iterator[Content]:
    """One text of paragraphs."""
    if not data.startswith(b"{\\rtf"):
        raise Unreadable("damaged: it does not begin as RTF does")
    text = Text()
    plain: str = rtf_to_text(data.decode("latin-1"), errors="replace")  # type: ignore[no-untyped-call]
    for paragraph in plain.split("\n"):
        text.say(paragraph)
    yield text.content()
