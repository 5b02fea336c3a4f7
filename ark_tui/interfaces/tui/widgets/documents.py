"""All documents of a listing, of which only the pages that somebody looks at are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.content import Content

from ark_tui.domain.display import visible_line
from ark_tui.domain.documents import Document
from ark_tui.domain.library import Listing
from ark_tui.domain.titles import set_apart
from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.state.messages import asking
from ark_tui.interfaces.tui.widgets.document_lines import DocumentLines
from ark_tui.interfaces.tui.widgets.paged_list import PagedList, Read

if TYPE_CHECKING:
    from collections.abc import Callable

    from ark_tui.domain.paging import Page
    from ark_tui.interfaces.tui.state.context import PaneContext


class Documents(DocumentLines, PagedList[Document]):
    """The documents of a collection, or of all."""

    SCOPES: ClassVar[actions.Scopes] = ("listed", "documents", "move")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("documents")
    BORDER_TITLE = "Documents"
    HELP = (
        "Every document, pinned ones first. The keys of curation act on the one under the cursor, or on all "
        "that are marked; the filter keeps those with its words in title, path or tags."
    )

    def __init__(self, context: PaneContext, reading: Callable[[], Read[Document]]) -> None:
        super().__init__("documents", context, reading)
        self.listing = Listing()

    def key(self, row: Document) -> str:
        return row.id

    def document(self, row: int) -> Document | None:
        return self.known(row)

    def show(self, listing: Listing, *, top: bool) -> None:
        """Show a listing, from its `top` or with the cursor on the same document, else in its row."""
        self.listing = listing
        self.renew(top=top)

    def take(self, page: Page[Document], state: int) -> None:
        self.nothing = "No document has these words." if self.listing.words else "There is no document yet."
        super().take(page, state)
        self.titles |= set_apart(page.rows)
        self.marks |= {row.id: row for row in page.rows if row.id in self.marks}
        self.say_title()
        order = f"by {self.listing.order}" if self.count else ""
        self.border_subtitle = Content(" · ".join(filter(None, [f"{self.count:,}", order])))

    def title(self) -> str:
        name = visible_line(self.listing.collection)
        return f"Documents of {name}" if name else "All documents"

    action_filter, action_order = asking("filter"), asking("order")
