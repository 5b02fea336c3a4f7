"""Where documents come from: the collections, and the files that are not plainly indexed."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.content import Content

from ark_tui.domain.display import visible_line
from ark_tui.domain.wording import counted
from ark_tui.faces.tui.state import actions
from ark_tui.faces.tui.state.configured import tilde
from ark_tui.faces.tui.state.messages import LibraryAsked
from ark_tui.faces.tui.state.wording import moment
from ark_tui.faces.tui.widgets import ink
from ark_tui.faces.tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from textual.binding import BindingType

    from ark_tui.domain.work import CollectionInfo, CoverageRow, FileState
    from ark_tui.faces.tui.state.colours import Name
    from ark_tui.faces.tui.widgets.ink import Piece

INKS: dict[FileState, Name] = {
    "failed": "error", "skipped": "warning", "waiting": "accent", "indexed": "muted",
}  # fmt: skip
"""How a state is written."""


class Collections(RowList):
    """The collections: name and size, then the folder that each follows."""

    SCOPES: ClassVar[actions.Scopes] = ("collections", "move")
    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings("collections")]
    BORDER_TITLE = "Collections"
    HELP = "What can be searched: every folder that was indexed, and text that was given without a file."
    ROW_HEIGHT = 2

    def __init__(self) -> None:
        super().__init__(id="collections")
        self.collections: tuple[CollectionInfo, ...] = ()

    @property
    def count(self) -> int:
        return len(self.collections)

    def known_as(self, row: int) -> str:
        return self.collections[row].name

    @property
    def collection(self) -> CollectionInfo | None:
        """The one under the cursor."""
        return self.collections[self.cursor] if self.cursor < self.count else None

    def show(self, collections: tuple[CollectionInfo, ...]) -> None:
        """Show collections, the cursor on the same one as before."""
        name = self.collection.name if self.collection else None
        self.collections = collections
        self.cursor = next((i for i, one in enumerate(collections) if one.name == name), self.cursor)
        self.rows_changed()

    def line(self, row: int, part: int, width: int) -> list[Piece]:
        one = self.collections[row]
        muted = self.ink("muted")
        if part == 0:
            size = f"{counted(one.documents, 'document')} · {counted(one.chunks, 'chunk')}"
            right: list[Piece] = [(f"  {size}", muted)]
            name = ink.shorten(visible_line(one.name), width - ink.cells(right))
            return ink.justified([(name, self.ink("strong"))], right, width)
        if one.missing:
            right = [("  its folder is not there", self.ink("error"))]
        elif one.read:
            right = [(f"  read {moment(one.read)}", muted)]
        else:
            right = []
        root = visible_line(tilde(one.root)) if one.root else "text without a file"
        return ink.justified([(ink.shorten_start(root, width - ink.cells(right)), muted)], right, width)

    # -- actions, which the pane carries out ---------------------------------------------------------

    def action_narrow(self) -> None:
        self.post_message(LibraryAsked("narrow"))

    def action_rename(self) -> None:
        self.post_message(LibraryAsked("rename"))

    def action_remove(self) -> None:
        self.post_message(LibraryAsked("remove"))


class LeftOut(RowList):
    """The files that were left out, and those that were indexed with a remark: which, and why."""

    SCOPES: ClassVar[actions.Scopes] = ("left_out", "move")
    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings("left_out")]
    BORDER_TITLE = "Left out"
    HELP = (
        "Files that were skipped, that failed, or that wait for an index, each with the reason; and those "
        "that were indexed with a remark."
    )
    ROW_HEIGHT = 2
    empty = "Every file is searchable."

    def __init__(self) -> None:
        super().__init__(id="left-out")
        self.files: tuple[CoverageRow, ...] = ()

    @property
    def count(self) -> int:
        return len(self.files)

    def known_as(self, row: int) -> str:
        return f"{self.files[row].collection}/{self.files[row].path}"

    @property
    def file(self) -> CoverageRow | None:
        """The one under the cursor."""
        return self.files[self.cursor] if self.cursor < self.count else None

    def show(self, files: tuple[CoverageRow, ...], coverage: dict[FileState, int]) -> None:
        """Show files, the cursor on the same one as before, and how many there are of each state."""
        known = (self.file.collection, self.file.path) if self.file else None
        self.files = files
        rows = (i for i, one in enumerate(files) if (one.collection, one.path) == known)
        self.cursor = next(rows, self.cursor)
        self.rows_changed()
        self.border_subtitle = Content(covered(coverage))

    def line(self, row: int, part: int, width: int) -> list[Piece]:
        one = self.files[row]
        if part == 1:
            return [(ink.shorten(visible_line(one.reason), width), self.ink("muted"))]
        said = "indexed, with a remark" if one.state == "indexed" else one.state
        state: list[Piece] = [(f"  {said}", self.ink(INKS[one.state]))]
        path = ink.shorten_start(visible_line(f"{one.collection}/{one.path}"), width - ink.cells(state))
        return ink.justified([(path, self.ink("strong"))], state, width)


def covered(coverage: dict[FileState, int]) -> str:
    """`12 indexed · 1 failed`."""
    return " · ".join(f"{count:,} {state}" for state, count in coverage.items() if count)
