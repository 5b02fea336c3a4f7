"""Base class of dialogs: a centered box above the workbench that `esc` and `q` close."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from textual.await_complete import AwaitComplete
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.tui.state import actions, strings
from ark_tui.interfaces.tui.widgets.footing import Footer
from ark_tui.interfaces.tui.widgets.painting import Changes
from ark_tui.interfaces.tui.widgets.requesting import Requesting

if TYPE_CHECKING:
    from textual.widget import Widget

    from ark_tui.interfaces.tui.state.context import PaneContext


Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer], Requesting, Generic[Answer]):
    """A box above everything. Closing it returns no result."""

    SCOPES: ClassVar[actions.Scopes] = ("dialog",)
    BINDINGS: ClassVar[actions.Bindings] = [
        *actions.bindings("dialog"),
        *actions.bindings("app", only=("help",)),  # modal screens do not use the app's bindings
    ]
    CSS_PATH: ClassVar = ["dialog.tcss"]
    FOOTER: ClassVar[bool] = True
    """Its footer covers that of the workbench, whose keys are inactive."""

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Close only once: a second key already in the queue would close the screen below, or the app."""
        return super().dismiss(result) if self.is_current else AwaitComplete()

    def __init__(self, context: PaneContext) -> None:
        super().__init__()
        self._compositor = Changes()
        self.context = context

    def on_mount(self) -> None:
        if self.FOOTER:
            self.mount(Footer())

    @property
    def closes(self) -> str:
        """The label of the close key for the border: `esc close`, or the user's key for it."""
        return strings.CLOSE.format(key=self.context.keys["dialog.close"])

    def box(self, title: str, does: str = "", kind: type[Widget] = Vertical) -> Widget:
        """The box, with its title and keys on the border. The content is composed inside its `with` block."""
        box = kind(classes="box")
        box.border_title = Content(visible_line(title))
        box.border_subtitle = Content(f"{does} · {self.closes}" if does else self.closes)
        return box

    def action_close(self) -> None:
        self.dismiss(None)

    def action_help(self) -> None:
        self.context.dialogs.help()
