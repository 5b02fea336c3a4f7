"""Reading a document that is in the trash: its text, and the two ways out of there."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.content import Content

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.tui.panes.document_keys import Reads
from ark_tui.interfaces.tui.screens.dialog import Dialog
from ark_tui.interfaces.tui.screens.reading import ELSEWHERE
from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.state.dialogs import WayOut
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.reader import Reader

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from ark_tui.domain.documents import Passage
    from ark_tui.interfaces.tui.reading.markdown import Linked
    from ark_tui.interfaces.tui.state.context import PaneContext

OF_THE_LIVING = {"follow", "next_link", "previous_link", "links", "about", "backward", "forward"}
"""Actions of a reader that need the links of a document: those in the trash have none."""


class TrashedReader(Reader):
    """The text of a document in the trash. Its links rest until it is brought back."""

    BORDER_TITLE = "In the trash"
    LEADS_ON = False
    HELP = "A document in the trash, as it was when it came there. Nothing finds it; it can be brought back."

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        del parameters
        if action == "contents":
            return self.shown is None or self.shown.markdown  # symbols of a program are not kept aside
        return action not in OF_THE_LIVING

    def say_where(self) -> None:
        super().say_where()
        if self.passage is not None:
            keys, document = self.context.keys, self.passage.document
            self.border_title = Content(f"In the trash · {visible_line(document.title)}")
            ways = f"{keys['trash.restore']} brings it back · {keys['trash.purge']} purges the trash"
            room = self.size.width - len(ways) - 8
            self.border_subtitle = Content(f"{ink.shorten_start(visible_line(document.path), room)} · {ways}")

    def follow(self, linked: Linked) -> None:
        del linked
        self.context.say(
            f"Its links rest in the trash, too; {self.context.keys['trash.restore']} brings it back."
        )


class TrashedScreen(Dialog[WayOut], Reads):
    """A document in the trash by itself. Closing it may ask for one of the ways out."""

    COMPONENT_CLASSES: ClassVar[set[str]] = ink.CLASSES
    BINDINGS: ClassVar[actions.Bindings] = [
        *actions.bindings("hits", but=(*ELSEWHERE, "edit", "next_match", "previous_match")),
        *actions.bindings("trash", but=("open",)),
    ]
    AUTO_FOCUS = "Reader"

    def __init__(self, context: PaneContext, passage: Passage) -> None:
        super().__init__(context)
        self.passage = passage

    def compose(self) -> ComposeResult:
        yield TrashedReader(self.context)

    def on_mount(self) -> None:
        self.call_after_refresh(self.query_one(TrashedReader).read, self.passage)

    def action_restore(self) -> None:
        self.dismiss("restore")

    def action_purge(self) -> None:
        self.dismiss("purge")
