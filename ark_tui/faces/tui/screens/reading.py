"""Reading one document above whatever is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.content import Content

from ark_tui.faces.tui.parts import ink
from ark_tui.faces.tui.parts.reader import Reader
from ark_tui.faces.tui.screens.dialog import Dialog

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ark_tui.domain.documents import Passage


class ReadingScreen(Dialog[None]):
    """The reader by itself; closing it goes back to where one was."""

    COMPONENT_CLASSES: ClassVar[set[str]] = ink.CLASSES
    AUTO_FOCUS = "Reader"

    def __init__(self, passage: Passage) -> None:
        super().__init__()
        self._passage = passage

    def compose(self) -> ComposeResult:
        yield Reader()

    def on_mount(self) -> None:
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        reader = self.query_one(Reader)
        reader.show(self._passage, (1, 0))  # no piece of it is marked
        reader.border_subtitle = Content(f"{self._passage.document.path} · esc closes")
