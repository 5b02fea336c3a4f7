"""Reading one document above whatever is shown."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from textual import work

from ark_tui.domain.errors import ArkError, NotFound
from ark_tui.faces.tui import actions
from ark_tui.faces.tui.panes.reads import Reads
from ark_tui.faces.tui.parts import ink
from ark_tui.faces.tui.parts.reader import Reader
from ark_tui.faces.tui.screens.dialog import Dialog

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ark_tui.domain.documents import Passage
    from ark_tui.domain.memory import AccessKind
    from ark_tui.engine import Engine

Lines: TypeAlias = tuple[int, int]
"""The first and the last line of a piece, from 1."""

NO_LINES: Lines = (1, 0)

ELSEWHERE = {"turn", "second_line", "better", "worse"}
"""Actions of the scope `hits` that have no sense where there are no hits."""


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


class ReadingScreen(Dialog[None], Reads):
    """The reader by itself; closing it goes back to where one was.

    A dialog first: Textual takes styles from the first base alone.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = ink.CLASSES
    BINDINGS: ClassVar[list[BindingType]] = [
        *(one for one in actions.bindings("hits") if one.action not in ELSEWHERE)
    ]
    AUTO_FOCUS = "Reader"

    def __init__(self, passage: Passage, lines: Lines = NO_LINES) -> None:
        """`lines`: those that are in view and marked."""
        super().__init__()
        self._passage = passage
        self._lines = lines

    def compose(self) -> ComposeResult:
        yield Reader()

    def on_mount(self) -> None:
        self.call_after_refresh(self.query_one(Reader).read, self._passage, self._lines)

    def use(self, document: str, kind: AccessKind) -> None:
        self._note(document, kind)

    @work(thread=True, group="uses", exit_on_error=False)
    def _note(self, document: str, kind: AccessKind) -> None:
        try:
            problem = self.ark.opening.wait().opened(document, kind)
        except ArkError as error:
            problem = error
        if problem is not None:
            self.app.call_from_thread(self.ark.say_error, problem)
