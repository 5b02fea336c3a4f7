"""Rows that are documents: the one under the cursor, and those that are marked."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from textual.content import Content

from ark_tui.domain.documents import Document
from ark_tui.interfaces.tui.widgets.ink import Piece
from ark_tui.interfaces.tui.widgets.row_list import RowList


class DocumentRows(RowList):
    """A list of documents that keys act on: on the one under the cursor, or on all that are marked."""

    def __init__(self, *how: Any) -> None:
        """`how` the list of its kind is made."""
        super().__init__(*how)
        self.marks: dict[str, Document] = {}  # by id

    @abstractmethod
    def document(self, row: int) -> Document | None:
        """The document of a row; None where it has not been read yet."""

    def known_as(self, row: int) -> str:
        document = self.document(row)
        return document.id if document is not None else ""

    @property
    def here(self) -> Document | None:
        """The document under the cursor."""
        return self.document(self.cursor) if 0 <= self.cursor < self.count else None

    @property
    def marked(self) -> tuple[Document, ...]:
        """The documents that are marked."""
        return tuple(self.marks.values())

    @property
    def alike(self) -> tuple[Document, ...]:
        """What says the same as the one under the cursor, as far as this list knows."""
        return ()

    def come_to(self, document: str) -> None:
        """Put the cursor on a document, by its id, when the list is read anew; where it is not, it stays."""
        if self.known_as(self.cursor) != document:
            self._back_to = self.cursor, document

    def mark(self) -> None:
        """Mark the document under the cursor, or take its mark off, and go on to the next."""
        document = self.here
        if document is None:
            return
        if self.marks.pop(document.id, None) is None:
            self.marks[document.id] = document
        self.say_title()
        self.cursor += 1
        self.refresh()

    def unmark(self) -> bool:
        """Take all marks off; whether there were any."""
        there, self.marks = bool(self.marks), {}
        self.say_title()
        self.refresh()
        return there

    def say_title(self) -> None:
        """What the list is, and how many are marked, on its border."""
        count = len(self.marks)
        title = self.title()
        self.border_title = Content(f"{title} · {count} marked" if count else title)

    def title(self) -> str:
        """What the list is called now."""
        return str(type(self).BORDER_TITLE or "")

    def mark_of(self, document: Document) -> list[Piece]:
        """What stands before a document that is marked."""
        return [("✓ ", self.ink("accent"))] if document.id in self.marks else []
