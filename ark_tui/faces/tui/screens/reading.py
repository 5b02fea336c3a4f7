"""Reading one document above whatever is shown."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from textual.content import Content

from ark_tui.domain.errors import NotFound
from ark_tui.faces.tui.parts import ink
from ark_tui.faces.tui.parts.reader import Reader
from ark_tui.faces.tui.screens.dialog import Dialog

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ark_tui.domain.documents import Passage
    from ark_tui.domain.errors import ArkError
    from ark_tui.engine import Engine


Lines: TypeAlias = tuple[int, int]
"""The first and the last line of a piece, from 1."""

NO_LINES: Lines = (1, 0)


def passage(engine: Engine, document: str, chunk: str, query: str) -> tuple[Passage, Lines, ArkError | None]:
    """A document, the lines of a chunk of it, and why it could not be noted that it was opened.

    A chunk that is gone, because the document has changed, marks no lines. Raises `ArkError`.
    """
    whole = engine.show(document, query)
    lines = NO_LINES
    if chunk:
        with suppress(NotFound):
            piece = engine.show(chunk)
            lines = piece.start_line, piece.end_line
    return whole, lines, engine.opened(document)


class ReadingScreen(Dialog[None]):
    """The reader by itself; closing it goes back to where one was."""

    COMPONENT_CLASSES: ClassVar[set[str]] = ink.CLASSES
    AUTO_FOCUS = "Reader"

    def __init__(self, passage: Passage, lines: Lines = NO_LINES) -> None:
        """`lines`: those that are in view and marked."""
        super().__init__()
        self._passage = passage
        self._lines = lines

    def compose(self) -> ComposeResult:
        yield Reader()

    def on_mount(self) -> None:
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        reader = self.query_one(Reader)
        reader.show(self._passage, self._lines)
        reader.border_subtitle = Content(f"{self._passage.document.path} · esc closes")
