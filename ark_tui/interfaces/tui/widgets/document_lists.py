"""Lists of the library: collections, documents in pages, left-out files, the trash."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from rich.cells import cell_len
from textual.content import Content

from ark_tui.domain.display import visible_line
from ark_tui.domain.documents import Document
from ark_tui.domain.layers import RETIRED
from ark_tui.domain.library import Listing, Page
from ark_tui.domain.titles import set_apart
from ark_tui.domain.wording import counted
from ark_tui.domain.work import CollectionInfo, CoverageRow, FileState
from ark_tui.interfaces.tui.state import actions, strings
from ark_tui.interfaces.tui.state.colours import Name
from ark_tui.interfaces.tui.state.configured import tilde
from ark_tui.interfaces.tui.state.context import PaneContext
from ark_tui.interfaces.tui.state.messages import asking
from ark_tui.interfaces.tui.state.wording import moment
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.ink import Piece
from ark_tui.interfaces.tui.widgets.paged_list import PagedList, Read
from ark_tui.interfaces.tui.widgets.row_list import RowList, Rows


class DocumentRows(RowList):
    """A list of documents. Actions apply to the selected document or to all marked ones."""

    def __init__(self, *how: Any) -> None:
        """`how`: arguments of the base list."""
        super().__init__(*how)
        self.marks: dict[str, Document] = {}  # by id

    @abstractmethod
    def document(self, row: int) -> Document | None:
        """The document of a row; None if it is not loaded."""

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
        """The near-duplicates of the selected document, as far as this list contains them."""
        return ()

    def come_to(self, document: str) -> None:
        """Move the cursor to a document, given by its id, after the reload; if it is not listed, stay."""
        if self.known_as(self.cursor) != document:
            self._back_to = self.cursor, document

    def mark(self) -> None:
        """Toggle the mark of the selected document and move to the next one."""
        document = self.here
        if document is None:
            return
        if self.marks.pop(document.id, None) is None:
            self.marks[document.id] = document
        self.say_title()
        self.cursor += 1
        self.refresh()

    def unmark(self) -> bool:
        """Remove all marks. Return whether there were any."""
        there, self.marks = bool(self.marks), {}
        self.say_title()
        self.refresh()
        return there

    def say_title(self) -> None:
        """Show the title and the number of marked documents on the border."""
        count = len(self.marks)
        title = self.title()
        self.border_title = Content(f"{title} · {count} marked" if count else title)

    def title(self) -> str:
        """The current title of the list."""
        return str(type(self).BORDER_TITLE or "")

    def mark_of(self, document: Document) -> list[Piece]:
        """The prefix of a marked document."""
        return [("✓ ", self.ink("accent"))] if document.id in self.marks else []


TAGS_SHARE = 0.5
"""Maximum share of the width for the tags, if the path needs the rest."""


class DocumentLines(DocumentRows):
    """A list of documents in the library's format."""

    DEFAULT_CLASSES = "panel"
    ROW_HEIGHT = 2

    def __init__(self, *how: Any) -> None:
        """`how`: arguments of the base list."""
        super().__init__(*how)
        self.titles: dict[str, str] = {}  # by id, with a suffix if titles repeat

    def pieces(self, row: Document, part: int, width: int) -> list[ink.Piece]:
        """The pieces of a line of a document."""
        return self._title(row, width) if part == 0 else self._place(row, width)

    def _title(self, document: Document, width: int) -> list[ink.Piece]:
        muted, strong = self.ink("muted"), self.ink("strong")
        right: list[ink.Piece] = []
        if document.status == RETIRED and not document.successor:
            right.append(("  retired", self.ink("warning")))
        if document.pinned:
            right.append(("  pinned", self.ink("accent")))
        if document.tier != "doc":
            right.append((f"  {document.tier}", muted))
        if document.date:
            right.append((f"  {document.date:%Y-%m-%d}", muted))
        left = self.mark_of(document)
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
        share = max(int(width * TAGS_SHARE), width - 2 - cell_len(path))
        tags = ink.shorten(visible_line("  ".join(f"#{tag}" for tag in document.tags)), share)
        room = width - ink.cells([(tags, muted)]) - 2
        return ink.justified([(ink.shorten_start(path, room), muted)], [(tags, muted)], width)


class Documents(DocumentLines, PagedList[Document]):
    """The documents of a collection, or all documents."""

    SCOPES: ClassVar[actions.Scopes] = ("documents", "move")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("documents")
    KEY = "id"
    BORDER_TITLE = "Documents"

    def __init__(self, context: PaneContext, reading: Callable[[], Read[Document]]) -> None:
        super().__init__("documents", context, reading)
        self.listing = Listing()

    def document(self, row: int) -> Document | None:
        return self.known(row)

    def show(self, listing: Listing, *, top: bool) -> None:
        """Show a listing from the `top`, or with the cursor on the same document, else on the same row."""
        self.listing = listing
        self.renew(top=top)

    def take(self, page: Page[Document]) -> None:
        self.nothing = strings.NO_DOCUMENT_MATCHES if self.listing.words else strings.NO_DOCUMENTS
        super().take(page)
        self.titles |= set_apart(page.rows)
        self.marks |= {row.id: row for row in page.rows if row.id in self.marks}
        self.say_title()
        order = f"by {self.listing.order}" if self.count else ""
        self.border_subtitle = Content(" · ".join(filter(None, [f"{self.count:,}", order])))

    def title(self) -> str:
        name = visible_line(self.listing.collection)
        return f"Documents of {name}" if name else "All documents"

    action_filter, action_order = asking("filter"), asking("order")


class Trash(DocumentLines, Rows["Document"]):
    """Documents in the trash, all loaded at once: they are not searchable, but their text is stored."""

    KEY = "id"
    SCOPES: ClassVar[actions.Scopes] = ("trash", "move")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("trash")
    BORDER_TITLE = "Trash"

    def document(self, row: int) -> Document:
        return self.rows[row]

    def show(self, documents: Iterable[Document]) -> None:
        """Show documents. The cursor stays on its document, or on its row if the document is gone."""
        self.put(documents, keep=True)
        self.titles = set_apart(self.rows)
        self.marks = {row.id: row for row in self.rows if row.id in self.marks}
        self.say_title()
        self.refresh()

    action_restore, action_purge = asking("restore"), asking("purge")


INKS: dict[FileState, Name] = {
    "failed": "error", "away": "error", "skipped": "warning", "waiting": "accent", "indexed": "muted",
    "ignored": "muted",
}  # fmt: skip
"""Symbols of file states."""


class Collections(Rows["CollectionInfo"]):
    """The collections: name and size, then the followed folder."""

    KEY = "name"
    SCOPES: ClassVar[actions.Scopes] = ("collections", "move")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("collections")
    BORDER_TITLE = "Collections"
    ROW_HEIGHT = 2

    def show(self, collections: tuple[CollectionInfo, ...]) -> None:
        """Show collections; the cursor stays on its collection."""
        self.put(collections, keep=True)

    def pieces(self, row: CollectionInfo, part: int, width: int) -> list[ink.Piece]:
        muted = self.ink("muted")
        if part == 0:
            size = f"{counted(row.documents, 'document')} · {counted(row.chunks, 'chunk')}"
            right: list[ink.Piece] = [(f"  {size}", muted)]
            return ink.ended(row.name, self.ink("strong"), right, width)
        if row.missing:
            right = [(strings.FOLDER_MISSING, self.ink("error"))]
        elif row.read:
            right = [(f"  read {moment(row.read)}", muted)]
        else:
            right = []
        root = tilde(row.root) if row.root else "text without a file"
        return ink.ended(root, muted, right, width, ink.shorten_start)

    action_narrow, action_rename, action_remove = asking("narrow"), asking("rename"), asking("remove")


class LeftOut(Rows["CoverageRow"]):
    """Files that were skipped, excluded by a rule, or indexed with a warning, with the reason."""

    SCOPES: ClassVar[actions.Scopes] = ("left_out", "move")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("left_out")
    BORDER_TITLE = strings.VIEW_SKIPPED
    ROW_HEIGHT = 2
    empty = strings.NO_SKIPPED
    known: tuple[CoverageRow, ...] = ()
    ignored: tuple[CoverageRow, ...] = ()

    def key_of(self, row: CoverageRow) -> str:
        return f"{row.collection}/{row.path}"

    def show(self, files: tuple[CoverageRow, ...], coverage: dict[FileState, int]) -> None:
        """Show files and the number of files per state; the cursor stays on its file."""
        self.known = files
        self.put((*files, *self.ignored), keep=True)
        self.border_subtitle = Content(covered(coverage))

    def show_ignored(self, files: tuple[CoverageRow, ...]) -> None:
        """Show files that are excluded by rules, at the end of the list."""
        self.ignored = files
        self.put((*self.known, *files), keep=True)

    def pieces(self, row: CoverageRow, part: int, width: int) -> list[ink.Piece]:
        if part == 1:
            return [(ink.shorten(visible_line(row.reason), width), self.ink("muted"))]
        said = "indexed, with a remark" if row.state == "indexed" else row.state
        state: list[ink.Piece] = [(f"  {said}", self.ink(INKS[row.state]))]
        path = f"{row.collection}/{row.path}"
        return ink.ended(path, self.ink("strong"), state, width, ink.shorten_start)


def covered(coverage: dict[FileState, int]) -> str:
    """`12 indexed · 1 failed`."""
    return " · ".join(f"{count:,} {state}" for state, count in coverage.items() if count)
