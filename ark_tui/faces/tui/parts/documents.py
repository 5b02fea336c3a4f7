"""All documents of a listing, of which only the pages that somebody looks at are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.content import Content
from textual.message import Message

from ark_tui.domain.display import visible_line
from ark_tui.domain.library import Listing
from ark_tui.faces.tui import actions
from ark_tui.faces.tui.messages import LibraryAsked
from ark_tui.faces.tui.parts.document_lines import DocumentLines
from ark_tui.faces.tui.parts.row_list import RowList

if TYPE_CHECKING:
    from textual.binding import BindingType

    from ark_tui.domain.documents import Document
    from ark_tui.domain.library import Page
    from ark_tui.faces.tui.parts.ink import Piece

PAGE = 200
"""Documents that are read at once."""

KEPT = 50
"""Pages that are kept."""


class Documents(DocumentLines):
    """The documents of a collection, or of all. A row that has not been read yet asks for its page."""

    SCOPES: ClassVar[actions.Scopes] = ("listed", "documents", "move")
    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings("documents")]
    BORDER_TITLE = "Documents"
    HELP = (
        "Every document, pinned ones first. The keys of curation act on the one under the cursor, or on all "
        "that are marked; the filter keeps those with its words in title, path or tags."
    )

    class Missing(Message):
        """A page is in view that has not been read."""

        def __init__(self, page: int) -> None:
            super().__init__()
            self.page = page

    def __init__(self) -> None:
        super().__init__(id="documents")
        self.listing = Listing()
        self.total = 0
        self._pages: dict[int, tuple[Document, ...]] = {}
        self._asked: set[int] = set()  # pages

    @property
    def count(self) -> int:
        return self.total

    def document(self, row: int) -> Document | None:
        page = self._pages.get(row // PAGE, ())
        return page[row % PAGE] if row % PAGE < len(page) else None

    def line(self, row: int, part: int, width: int) -> list[Piece]:
        page = row // PAGE
        if page not in self._pages and page not in self._asked:
            self._asked.add(page)
            self.post_message(self.Missing(page))
        return super().line(row, part, width)

    def take(self, page: Page) -> None:
        """A page has been read."""
        if len(self._pages) >= KEPT:
            self._pages.clear()
        self._keep(page)
        self.refresh()

    def renew(self, listing: Listing, page: Page, *, top: bool) -> None:
        """Show a listing anew, from its `top` or with the cursor on the same document, else in its row."""
        before, above = self.cursor, self.cursor * self.ROW_HEIGHT - self.scroll_offset.y
        self.listing, self.total = listing, page.total
        self._pages.clear()
        self._keep(page)
        self.rows_changed()
        row = 0 if top else before if page.row is None else page.row
        row = max(0, min(row, self.total - 1))
        with self.prevent(RowList.Moved):
            self.set_reactive(RowList.cursor, row)
        offset = 0 if top else row * self.ROW_HEIGHT - above
        self.scroll_to(y=max(0, offset), animate=False, immediate=True)
        self.show_row(row)
        self.say_title()
        order = f"by {listing.order}" if self.total else ""
        self.border_subtitle = Content(" · ".join(filter(None, [f"{self.total:,}", order])))
        self.post_message(self.Moved(self, row))

    def title(self) -> str:
        name = visible_line(self.listing.collection)
        return f"Documents of {name}" if name else "All documents"

    def _keep(self, page: Page) -> None:
        self._asked.clear()  # one that was given up for this is asked for again
        self._pages[page.start // PAGE] = page.documents
        for one in page.documents:
            if one.id in self.marks:
                self.marks[one.id] = one

    # -- actions, which the pane carries out ---------------------------------------------------------

    def action_filter(self) -> None:
        self.post_message(LibraryAsked("filter"))

    def action_order(self) -> None:
        self.post_message(LibraryAsked("order"))
