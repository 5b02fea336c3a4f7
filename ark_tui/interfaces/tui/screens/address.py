"""An address outside the corpus: it is shown whole, and nothing is opened before a key says so."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rich.text import Text
from textual.widgets import Static

from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import ArkError
from ark_tui.interfaces.tui.screens.dialog import Dialog
from ark_tui.interfaces.tui.state import addresses

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from ark_tui.interfaces.tui.state.context import PaneContext


class AddressScreen(Dialog[None]):
    """Opens, copies, or closes."""

    def __init__(self, context: PaneContext, target: str) -> None:
        super().__init__(context)
        self._target = target
        self._browser = addresses.program(os.environ) if addresses.can_be_opened(target) else None

    def compose(self) -> ComposeResult:
        with self.box("This link leads out of here"):
            text = Text()
            text.append(f"{visible_line(self._target)}\n\n", "bold")
            if self._browser:
                text.append("o", "bold")
                text.append(f"  open it with {self._browser[0].rpartition('/')[2]}\n")
            text.append("y", "bold")
            text.append("  copy it")
            if not addresses.can_be_opened(self._target):
                text.append("\n\nOnly addresses of the web and of mail can be opened from here.", "dim")
            elif not self._browser:
                text.append("\n\nThere is no browser here; $BROWSER names one.", "dim")
            yield Static(text)

    def on_key(self, event: events.Key) -> None:
        if event.character == "y":
            event.stop()
            self.context.copy(self._target, "the address")
            self.dismiss(None)
        elif event.character == "o" and self._browser:
            event.stop()
            try:
                addresses.show(self._browser, self._target)
            except ArkError as error:
                self.context.say_error(error)
            self.dismiss(None)
