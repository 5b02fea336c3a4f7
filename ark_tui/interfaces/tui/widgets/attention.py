"""What the library lists besides: duplicates, stale documents, and the trash."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.content import Content

from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.state.messages import asking
from ark_tui.interfaces.tui.widgets.document_lines import Listed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ark_tui.domain.curation import Item
    from ark_tui.domain.documents import Document
    from ark_tui.interfaces.tui.widgets.ink import Piece


class Duplicates(Listed):
    """Groups of documents that say the same; merging keeps the one under the cursor."""

    BORDER_TITLE = "Duplicates"
    HELP = (
        "Documents of which most passages are in another one, in groups. Merging keeps the one under the "
        "cursor, with the tags and links of the others, which go to the trash."
    )
    empty = "No document says what another one says already."

    def __init__(self) -> None:
        super().__init__("duplicates")
        self._first: dict[str, str] = {}  # by id, the first of its group
        self._reasons: dict[str, str] = {}

    def show_items(self, items: Iterable[Item]) -> None:
        """Show what the queue says of duplicates."""
        groups: dict[str, list[Document]] = {}
        self._first, self._reasons = {}, {}
        for item in items:
            keep, other = item.documents
            if other.id in self._first:
                continue
            first = self._first.setdefault(keep.id, keep.id)
            self._first[other.id] = first
            self._reasons[other.id] = item.reason
            groups.setdefault(first, [keep])
            if keep not in groups[first]:
                groups[first].append(keep)
            groups[first].append(other)
        self.show([one for group in groups.values() for one in group])
        self.border_subtitle = Content(counted(len(groups), "group") if groups else "")

    @property
    def alike(self) -> tuple[Document, ...]:
        here = self.here
        if here is None:
            return ()
        first = self._first[here.id]
        return tuple(row for row in self.rows if self._first[row.id] == first and row != here)

    def indent(self, document: Document) -> str:
        return "" if self._first[document.id] == document.id else "  ≡ "

    def said(self, document: Document) -> str:
        return self._reasons.get(document.id, "") or super().said(document)


class Stale(Listed):
    """Documents whose file was saved after it was indexed."""

    BORDER_TITLE = "Stale"
    HELP = "Documents whose file was saved since it was indexed: what is found is not what is there."

    def beside(self, document: Document) -> list[Piece]:
        del document
        return [("  stale", self.ink("warning"))]


class Trash(Listed, inherit_bindings=False):
    """What was put into the trash: nothing finds it, its text is kept."""

    SCOPES: ClassVar[actions.Scopes] = ("trash", "move")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings(*SCOPES)
    BORDER_TITLE = "Trash"
    HELP = "Nothing finds what lies here, and it can be brought back as it was, until the trash is purged."

    action_restore, action_purge = asking("restore"), asking("purge")
