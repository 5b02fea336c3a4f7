"""The input of every format, and helpers that most of them share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, TypeAlias

from ark_tui.domain.dates import stamps as dates
from ark_tui.domain.documents import ChunkDraft, Draft, LinkDraft
from ark_tui.domain.titles import readable
from ark_tui.ingest.chunk.strategies import paragraphs
from ark_tui.ingest.markdown import Block, once

if TYPE_CHECKING:
    from ark_tui.ingest.readers.content import Content

TITLE = 60  # characters of a text used as a missing title

Cut: TypeAlias = Callable[..., tuple[ChunkDraft, ...]]


@dataclass(frozen=True, slots=True)
class File:
    """A decoded file."""

    path: str  # relative to the root, with `/`
    text: str
    modified: date | None
    chunk: Cut  # `chunk.chunk` with all arguments bound except the text and its structure
    notices: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return PurePosixPath(self.path).name

    @property
    def stem(self) -> str:
        return PurePosixPath(self.path).stem

    @property
    def readable(self) -> str:
        """A title made from the path."""
        return readable(self.path)

    def draft(
        self,
        format_: str,
        body: str,
        chunks: tuple[ChunkDraft, ...],
        *,
        title: str = "",
        given: date | None = None,
        links: Iterable[LinkDraft] = (),
        **more: Any,
    ) -> Draft:
        """A document with this text. `given`: the date that the file states; `more`: fields of `Draft`."""
        day, source = dates.own_date(given, self.stem, self.modified)
        return Draft(
            path=self.path,
            title=title or self.readable,
            titled=bool(title),
            body=body,
            chunks=chunks,
            date=day,
            date_source="properties" if given else source,
            links=once([*links, *dates.occurred_in(body, 0, self.stem, given)]),
            format=format_,
            notices=self.notices,
            **more,
        )

    def plain(self, format_: str, blocks: Sequence[Block]) -> Draft:
        """The file as one document without metadata of its own, titled by its path."""
        return self.draft(format_, self.text, self.chunk(self.text, blocks=blocks))

    def read(self, content: Content, format_: str) -> Draft:
        """An extracted text as a document. Chunks never span two sections, such as pages."""
        return self.draft(
            format_,
            content.text,
            self.chunk(content.text, blocks=content.blocks, strategy="markdown-headers"),
            title=content.title,
            given=dates.parse(content.date),
            item=content.item,
            fields=content.fields,
        )


def beginning(text: str) -> str:
    """The first words of a text, as a title."""
    words = " ".join(text[: 4 * TITLE].split())
    if len(words) <= TITLE:
        return words
    return (words[:TITLE].rpartition(" ")[0] or words[:TITLE]).rstrip(",;:") + "…"


def read_text(file: File) -> tuple[Draft, ...]:
    """One document of paragraphs, titled by its path."""
    return (file.plain("text", paragraphs(file.text)),)
