"""What opens above the workbench: a box in the middle that `esc` and `q` close."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from textual.await_complete import AwaitComplete
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.widgets.movement import Movement
from ark_tui.interfaces.tui.widgets.requesting import Requesting

if TYPE_CHECKING:
    from ark_tui.interfaces.tui.state.context import PaneContext


Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer], Requesting, Generic[Answer]):
    """A box above everything; closing it answers nothing."""

    SCOPES: ClassVar[actions.Scopes] = ("dialog",)
    BINDINGS: ClassVar[actions.Bindings] = [
        *actions.bindings("dialog"),
        *actions.bindings("app", only=("help",)),  # modal screens keep the app out
    ]
    CSS_PATH: ClassVar = ["dialog.tcss"]

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Close, once: a second key that was under way would close what is below, or the app."""
        return super().dismiss(result) if self.is_current else AwaitComplete()

    def __init__(self, context: PaneContext) -> None:
        super().__init__()
        self.context = context

    @property
    def closes(self) -> str:
        """What closes it, for its edge: `esc closes`, or the key that the user has given to that."""
        return f"{self.context.keys['dialog.close']} closes"

    def action_close(self) -> None:
        self.dismiss(None)

    def action_help(self) -> None:
        self.context.dialogs.help()


class ScrolledText(Movement, VerticalScroll, can_focus=True):
    """Text in a dialog, gone through with the keys of lists."""

    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("move")

    @property
    def row(self) -> int:
        return round(self.scroll_target_y)

    @property
    def last_row(self) -> int:
        return int(self.max_scroll_y)

    @property
    def page(self) -> int:
        return max(1, self.scrollable_content_region.height)

    def move_to(self, row: int) -> None:
        self.scroll_to(y=max(0, min(row, self.last_row)), animate=False, immediate=True)
