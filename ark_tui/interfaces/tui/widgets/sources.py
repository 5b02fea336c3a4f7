"""Sources of documents: the collections, and the files that were not indexed normally."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.content import Content

from ark_tui.domain.display import visible_line
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.state import actions, strings
from ark_tui.interfaces.tui.state.configured import tilde
from ark_tui.interfaces.tui.state.messages import asking
from ark_tui.interfaces.tui.state.wording import moment
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.row_list import Rows

if TYPE_CHECKING:
    from ark_tui.domain.work import CollectionInfo, CoverageRow, FileState
    from ark_tui.interfaces.tui.state.colours import Name

INKS: dict[FileState, Name] = {
    "failed": "error", "away": "error", "skipped": "warning", "waiting": "accent", "indexed": "muted",
    "ignored": "muted",
}  # fmt: skip
"""Symbols of file states."""


class Collections(Rows["CollectionInfo"]):
    """The collections: name and size, then the followed folder."""

    SCOPES: ClassVar[actions.Scopes] = ("collections", "move")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("collections")
    BORDER_TITLE = "Collections"
    ROW_HEIGHT = 2

    def name_of(self, row: CollectionInfo) -> str:
        return row.name

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
        root = tilde(row.root) if row.root else strings.TEXT_WITHOUT_FILE
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

    def name_of(self, row: CoverageRow) -> str:
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
        said = strings.INDEXED_WITH_REMARK if row.state == "indexed" else row.state
        state: list[ink.Piece] = [(f"  {said}", self.ink(INKS[row.state]))]
        path = f"{row.collection}/{row.path}"
        return ink.ended(path, self.ink("strong"), state, width, ink.shorten_start)


def covered(coverage: dict[FileState, int]) -> str:
    """`12 indexed · 1 failed`."""
    return " · ".join(f"{count:,} {state}" for state, count in coverage.items() if count)
