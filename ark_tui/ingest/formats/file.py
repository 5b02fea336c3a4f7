"""What every format gets, and what most of them do with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

from ark_tui.domain.dates import stamps as dates
from ark_tui.domain.documents import ChunkDraft, Draft
from ark_tui.domain.titles import readable
from ark_tui.ingest.chunk.strategies import paragraphs
from ark_tui.ingest.markdown import Block

if TYPE_CHECKING:
    from ark_tui.ingest.readers.content import Content

TITLE = 60  # characters of a text that stand in for a missing title

Cut: TypeAlias = Callable[..., tuple[ChunkDraft, ...]]


@dataclass(frozen=True, slots=True)
class File:
    """A file that has been read and decoded."""

    path: str  # relative to the root, with `/`
    text: str
    modified: date | None
    chunk: Cut  # `chunk.chunk` with everything given but the text and how it is built
    notices: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return PurePosixPath(self.path).name

    @property
    def stem(self) -> str:
        return PurePosixPath(self.path).stem

    @property
    def readable(self) -> str:
        """The title of a file that states none."""
        return readable(self.path)

    def plain(self, format_: str, blocks: Sequence[Block]) -> Draft:
        """The file as one document, named after it, of a text that says nothing of itself."""
        day, source = dates.own_date(None, self.stem, self.modified)
        return Draft(
            path=self.path,
            title=self.readable,
            titled=False,
            body=self.text,
            chunks=self.chunk(self.text, blocks=blocks),
            date=day,
            date_source=source,
            links=dates.occurred_in(self.text, 0, self.stem, None),
            format=format_,
            notices=self.notices,
        )

    def read(self, content: Content, format_: str) -> Draft:
        """A text of the file as a document: no chunk has text of two sections, such as pages."""
        given = dates.parse(content.date)
        day, source = dates.own_date(given, self.stem, self.modified)
        return Draft(
            path=self.path,
            title=content.title or self.readable,
            titled=bool(content.title),
            body=content.text,
            chunks=self.chunk(content.text, blocks=content.blocks, strategy="markdown-headers"),
            item=content.item,
            date=day,
            date_source="properties" if given else source,
            links=dates.occurred_in(content.text, 0, self.stem, given),
            format=format_,
            notices=self.notices,
            fields=content.fields,
        )


def read(file: File) -> tuple[Draft, ...]:
    """Plain text: one document of paragraphs, named after its file."""
    return (file.plain("text", paragraphs(file.text)),)


def beginning(text: str) -> str:
    """The first words of a text, to call it by."""
    words = " ".join(text[: 4 * TITLE].split())
    if len(words) <= TITLE:
        return words
    return (words[:TITLE].rpartition(" ")[0] or words[:TITLE]).rstrip(",;:") + "…"


def read_text(file: File) -> tuple[Draft, ...]:
    """One document, named after its file."""
    return (file.plain("text", paragraphs(file.text)),)
