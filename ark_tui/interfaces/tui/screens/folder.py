"""Choosing a folder to index: typed, or picked from the tree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import getters, on
from textual.widgets import DirectoryTree, Input, Static, Tree

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.tui.screens.dialog import Dialog
from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.state.configured import tilde
from ark_tui.interfaces.tui.widgets.entry import Entry
from ark_tui.interfaces.tui.widgets.movement import Movement

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import ComposeResult
    from textual.widgets.directory_tree import DirEntry

    from ark_tui.interfaces.tui.state.context import PaneContext

PROMISE = (
    "Nothing in the folder is written to. It becomes a collection of its own, "
    "which follows what changes there."
)


class Folders(Movement, DirectoryTree):
    """Folders without their files; names are shown as they are and never read as markup."""

    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("move")
    ICON_NODE = "▸ "
    ICON_NODE_EXPANDED = "▾ "

    @property
    def row(self) -> int:
        return self.cursor_line

    @property
    def last_row(self) -> int:
        return self.last_line

    @property
    def page(self) -> int:
        return max(1, self.scrollable_content_region.height)

    def move_to(self, row: int) -> None:
        self.cursor_line = max(0, min(row, self.last_line))

    def filter_paths(self, paths: Iterable[Path]) -> Iterable[Path]:
        return [path for path in paths if not path.name.startswith((".", "_")) and _is_folder(path)]

    def process_label(self, label: str | Text) -> Text:
        return Text(visible_line(label if isinstance(label, str) else label.plain))


class FolderScreen(Dialog[Path]):
    """Answers with an existing folder."""

    AUTO_FOCUS = "Input"

    def __init__(self, context: PaneContext, suggested: Path | None = None) -> None:
        """`suggested`: what stands in the line already, for the one who only presses enter."""
        super().__init__(context)
        self._suggested = tilde(suggested) if suggested is not None else ""

    line = getters.query_one(Input)
    said = getters.query_one(".said", Static)

    def compose(self) -> ComposeResult:
        with self.box("Index a folder", "tab to the tree · ⏎ takes it"):
            yield Entry(self._suggested, placeholder="~/notes", select_on_focus=False)
            yield Folders(Path.home())
            yield Static(Text(PROMISE), classes="said")

    def on_mount(self) -> None:
        self.line.cursor_blink = False

    @on(Tree.NodeHighlighted)
    def _highlighted(self, event: Tree.NodeHighlighted[DirEntry]) -> None:
        if event.node.data is not None and event.node.tree.has_focus:
            self.line.value = tilde(event.node.data.path)

    @on(DirectoryTree.DirectorySelected)
    def _picked(self, event: DirectoryTree.DirectorySelected) -> None:
        self.line.value = tilde(event.path)
        self.line.focus()
        self.line.cursor_position = len(self.line.value)

    @on(Input.Changed)
    def _edited(self) -> None:
        self._say(PROMISE)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        typed = event.value.strip()
        folder = Path(typed).expanduser() if typed else None
        if folder is None:
            self._say("Type the path of a folder, or pick one from the tree.", wrong=True)
        elif _is_folder(folder):
            self.dismiss(folder.absolute())
        else:
            self._say(f"There is no folder {typed}.", wrong=True)

    def _say(self, text: str, *, wrong: bool = False) -> None:
        self.said.update(Text(visible_line(text)))
        self.said.set_class(wrong, "-wrong")


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False
