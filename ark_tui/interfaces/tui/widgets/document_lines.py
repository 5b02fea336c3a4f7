"""Documents, two lines each: title with what is known of it and its date; then its path and tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rich.cells import cell_len

from ark_tui.domain.display import visible_line
from ark_tui.domain.layers import RETIRED
from ark_tui.domain.titles import set_apart
from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.document_rows import DocumentRows
from ark_tui.interfaces.tui.widgets.row_list import Rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ark_tui.domain.documents import Document

SAID_SHARE = 0.5
"""Of the width, what stands at the end of the second line at most, where the path wants the rest."""


class DocumentLines(DocumentRows):
    """A list of documents as the library shows them."""

    SCOPES: ClassVar[actions.Scopes] = ("listed", "move")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("listed")
    DEFAULT_CLASSES = "panel"
    ROW_HEIGHT = 2

    def __init__(self, *how: Any) -> None:
        """`how` the list of its kind is made."""
        super().__init__(*how)
        self.titles: dict[str, str] = {}  # by id, set apart where they repeat

    def beside(self, document: Document) -> list[ink.Piece]:
        """What else is to be said of a document, at the end of its first line."""
        del document
        return []

    def said(self, document: Document) -> str:
        """What stands at the end of its second line."""
        return "  ".join(f"#{tag}" for tag in document.tags)

    def indent(self, document: Document) -> str:
        """What stands before the title."""
        del document
        return ""

    def pieces(self, row: Document, part: int, width: int) -> list[ink.Piece]:
        """The pieces of one line of a document."""
        return self._title(row, width) if part == 0 else self._place(row, width)

    def _title(self, document: Document, width: int) -> list[ink.Piece]:
        muted, strong = self.ink("muted"), self.ink("strong")
        right = self.beside(document)
        if document.status == RETIRED and not document.successor:
            right.append(("  retired", self.ink("warning")))
        if document.pinned:
            right.append(("  pinned", self.ink("accent")))
        if document.tier != "doc":
            right.append((f"  {document.tier}", muted))
        if document.date:
            right.append((f"  {document.date:%Y-%m-%d}", muted))
        left: list[ink.Piece] = [(self.indent(document), muted), *self.mark_of(document)]
        room = width - ink.cells(right) - ink.cells(left)
        left += ink.titled(
            self.titles.get(document.id, document.called), document.successor, room, strong, muted
        )
        return ink.justified(left, right, width)

    def _place(self, document: Document, width: int) -> list[ink.Piece]:
        muted = self.ink("muted")
        path = visible_line(f"{document.collection}/{document.path}")
        if document.item:
            path += f" · {visible_line(document.item)}"
        indent = " " * len(self.indent(document))
        share = max(int(width * SAID_SHARE), width - 2 - len(indent) - cell_len(path))
        right = ink.shorten(visible_line(self.said(document)), share)
        room = width - ink.cells([(right, muted)]) - 2 - len(indent)
        return ink.justified([(indent + ink.shorten_start(path, room), muted)], [(right, muted)], width)


class Listed(DocumentLines, Rows["Document"]):
    """Documents that are all there at once."""

    def document(self, row: int) -> Document:
        return self.rows[row]

    def name_of(self, row: Document) -> str:
        return row.id

    def show(self, documents: Iterable[Document]) -> None:
        """Show documents; the cursor stays on its document, or in its row if that is gone."""
        self.put(documents, keep=True)
        self.titles = set_apart(self.rows)
        self.marks = {row.id: row for row in self.rows if row.id in self.marks}
        self.say_title()
        self.refresh()
