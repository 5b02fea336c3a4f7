"""One document above any screen."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from textual import getters, on

from ark_tui import operations
from ark_tui.domain.errors import NotFound
from ark_tui.interfaces.tui.panes.curating import Curating, Reads
from ark_tui.interfaces.tui.screens.dialog import Dialog
from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.state.messages import Curated
from ark_tui.interfaces.tui.widgets.reader import Reader

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ark_tui.domain.documents import Document, Passage
    from ark_tui.domain.memory import AccessKind
    from ark_tui.interfaces.tui.state.client import Client
    from ark_tui.interfaces.tui.state.context import PaneContext


Lines: TypeAlias = tuple[int, int]
"""First and last line of a passage, from 1, inclusive."""

NO_LINES: Lines = (1, 0)

ELSEWHERE = {"turn", "density", "better", "worse", "weigh", "mark", "merge"}
"""Actions on hits and lists of documents, which do not apply to a single document."""


def passage(client: Client, document: str, chunk: str, query: str) -> tuple[Passage, Lines]:
    """Read a document and the lines of one of its chunks.

    A chunk that no longer exists marks no lines. Raises `ArkError`.
    """
    whole = client.call(operations.workbench.text, document, query)
    lines = NO_LINES
    if chunk:
        with suppress(NotFound):
            piece = client.call(operations.workbench.text, chunk)
            lines = piece.start_line, piece.end_line
    return whole, lines


class OneDocument(Reads, Curating):
    """A reader without a list. Actions apply to its document, also after following links."""

    SCOPES: ClassVar[actions.Scopes] = ("hits", "curation")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("hits")

    reader = getters.query_one(Reader)

    def __init__(self, context: PaneContext) -> None:
        super().__init__()
        self.context = context

    def compose(self) -> ComposeResult:
        yield Reader(self.context)

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        return action not in ELSEWHERE

    @property
    def rows(self) -> None:
        """None: there is no list."""
        return None

    def _here(self) -> Document | None:
        return self._read_or_say()

    def use(self, document: str, kind: AccessKind) -> None:
        self.request(act(operations.workbench.opened, document, kind), group="uses", exclusive=False)


class ReadingScreen(Dialog[None]):
    """A reader above any screen. Closing it returns there."""

    AUTO_FOCUS = "Reader"

    reader = getters.query_one(Reader)

    def __init__(
        self, context: PaneContext, passage: Passage, lines: Lines = NO_LINES, query: str = ""
    ) -> None:
        """`lines`: the lines to mark and scroll to. `query`: the query of the passage."""
        super().__init__(context)
        self._passage = passage
        self._lines = lines
        self._query = query

    def compose(self) -> ComposeResult:
        yield OneDocument(self.context)

    def on_mount(self) -> None:
        self.call_after_refresh(self.reader.read, self._passage, self._lines, self._query)

    @on(Curated)
    def _curated(self) -> None:
        """Reload the document's metadata and notify the workbench."""
        self.reader.again()
        self.context.tell(Curated())
