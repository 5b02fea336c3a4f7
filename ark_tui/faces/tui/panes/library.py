"""The library: what has been taken in, from where, and what could not be, with the reasons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import getters, on
from textual.containers import Container
from textual.content import Content
from textual.widgets import Static

from ark_tui.domain.display import visible_line
from ark_tui.faces.tui import actions
from ark_tui.faces.tui.messages import CollectionChosen, EditAsked, IndexAsked
from ark_tui.faces.tui.panes.pane import Pane
from ark_tui.faces.tui.parts import empty, ink
from ark_tui.faces.tui.parts.empty import Empty
from ark_tui.faces.tui.parts.row_list import RowList

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ark_tui.domain.work import CollectionInfo, CoverageRow, Status
    from ark_tui.faces.tui.parts.ink import Piece

MEGABYTE = 1 << 20


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

    @property
    def collection(self) -> CollectionInfo | None:
        """The one under the cursor."""
        return self.collections[self.cursor] if self.cursor < self.count else None

    def show(self, collections: tuple[CollectionInfo, ...]) -> None:
        """Show collections, the cursor on the same one as before."""
        name = self.collection.name if self.collection else None
        self.collections = collections
        self.cursor = next((i for i, one in enumerate(collections) if one.name == name), 0)
        self.rows_changed()

    def line(self, row: int, part: int, width: int) -> list[Piece]:
        one = self.collections[row]
        muted = self.ink("muted")
        if part == 1:
            return [
                (
                    ink.shorten_start(
                        visible_line(_tilde(one.root) if one.root else "text without a file"), width
                    ),
                    muted,
                )
            ]
        right: list[Piece] = [(f"  {one.documents} documents · {one.chunks} chunks", muted)]
        name = ink.shorten(visible_line(one.name), width - ink.cells(right))
        return ink.justified([(name, self.ink("strong"))], right, width)


class LeftOut(RowList):
    """The files that are not plainly indexed: which, and why."""

    BORDER_TITLE = "Not searchable"
    HELP = "Files that were skipped, that failed, or that wait for an index, each with the reason."
    ROW_HEIGHT = 2

    def __init__(self) -> None:
        super().__init__(id="left-out")
        self.files: tuple[CoverageRow, ...] = ()

    @property
    def count(self) -> int:
        return len(self.files)

    @property
    def file(self) -> CoverageRow | None:
        """The one under the cursor."""
        return self.files[self.cursor] if self.cursor < self.count else None

    def show(self, files: tuple[CoverageRow, ...]) -> None:
        """Show files, the cursor on the same one as before."""
        known = (self.file.collection, self.file.path) if self.file else None
        self.files = files
        self.cursor = next((i for i, one in enumerate(files) if (one.collection, one.path) == known), 0)
        self.rows_changed()
        self.border_title = Content(
            f"{self.BORDER_TITLE}: {len(files)}" if files else "Every file is searchable"
        )

    def line(self, row: int, part: int, width: int) -> list[Piece]:
        one = self.files[row]
        muted = self.ink("muted")
        if part == 1:
            return [(ink.shorten(visible_line(one.reason), width), muted)]
        state: list[Piece] = [(f"  {one.state}", self.ink("error" if one.state == "failed" else "warning"))]
        path = ink.shorten_start(visible_line(f"{one.collection}/{one.path}"), width - ink.cells(state))
        return ink.justified([(path, self.ink("strong"))], state, width)


class LibraryPane(Pane):
    """Collections, what was left out of them, and the state of the home."""

    SCOPES: ClassVar[actions.Scopes] = ("library",)
    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings(*SCOPES)]
    BORDER_TITLE = "Library"
    HELP = (
        "What ark-tui has taken in. No file is left out silently: those that cannot be found are listed here."
    )

    def __init__(self) -> None:
        super().__init__(id="library")

    collections = getters.query_one(Collections)
    left_out = getters.query_one(LeftOut)

    @property
    def first(self) -> RowList:
        """What is focused when one comes here."""
        return self.collections

    def compose(self) -> ComposeResult:
        with Container(id="library-body"):
            yield Collections()
            yield LeftOut()
        facts = Static(id="facts", classes="panel")
        facts.border_title = "Home"
        yield facts
        yield Empty()

    def show_status(self, status: Status) -> None:
        """Show the state of the home."""
        shown = tuple(one for one in status.collections if one.root or one.documents)
        nothing = not shown
        self.set_class(nothing, "-empty")
        if nothing:
            empty.no_collection(self.query_one(Empty), self.ark.keys.__getitem__)
        self.collections.show(shown)
        self.left_out.show(status.rows)
        self.query_one("#facts", Static).update(facts(status))

    # -- actions -------------------------------------------------------------------------------------

    @on(RowList.Chosen, "#collections")
    def _collection_chosen(self) -> None:
        if one := self.collections.collection:
            self.post_message(CollectionChosen(one.name))

    def action_again(self) -> None:
        one = self.collections.collection
        if one is not None and one.root:
            self.post_message(IndexAsked(one.root, one.name))
        else:
            self.ark.say("There is no folder to read again here.")

    def action_edit(self) -> None:
        path = self._path()
        if path is not None and path.is_file():
            self.post_message(EditAsked(str(path), 1))
        else:
            self.ark.say("There is no file under the cursor.")

    def action_copy_path(self) -> None:
        path = self._path()
        if path is not None:
            self.ark.copy(str(path), "the path")
        else:
            self.ark.say("There is no path under the cursor.")

    def _path(self) -> Path | None:
        """The file or folder under the cursor of the list that is focused."""
        if self.left_out.has_focus:
            file = self.left_out.file
            roots = {one.name: one.root for one in self.collections.collections}
            root = roots.get(file.collection) if file else None
            return Path(root) / file.path if file and root else None
        one = self.collections.collection
        return Path(one.root) if one and one.root else None


def facts(status: Status) -> Text:
    """The state of the home in a few lines."""
    model = status.embedding
    rows = [
        ("store", f"{status.store_path} · {status.bytes / MEGABYTE:.1f} MB · schema {status.schema}"),
        ("model", model.problem or f"{model.provider} {model.model} · {model.dims} dimensions"),
    ]
    for follower in status.followers:
        state = follower.problem or (f"{follower.behind} changes behind" if follower.behind else "up to date")
        exact = f" · recall@10 {follower.recall_at_10:.3f}" if follower.recall_at_10 is not None else ""
        rows.append((follower.name, state + exact))
    covered = " · ".join(f"{count} {state}" for state, count in status.coverage.items() if count)
    rows.append(("files", covered or "none"))
    text = Text()
    for name, value in rows:
        text.append(f" {name:<9}", "bold")
        text.append(f"{visible_line(_tilde(value))}\n")
    text.rstrip()
    return text


def _tilde(path: str) -> str:
    home = str(Path.home())
    return f"~{path[len(home) :]}" if path.startswith(f"{home}/") else path
