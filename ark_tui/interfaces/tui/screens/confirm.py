"""Asking before what cannot be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.tui.screens.dialog import TextDialog

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual import events

    from ark_tui.interfaces.tui.state.context import PaneContext
    from ark_tui.interfaces.tui.widgets.labelled import Row

YES, NO = "y", "n"


class ConfirmScreen(TextDialog[bool]):
    """Answers with True, or with nothing; with False where that is an answer."""

    AUTO_FOCUS = "ScrolledText"

    def __init__(
        self, context: PaneContext, title: str, said: Sequence[str], does: str, refuses: str = ""
    ) -> None:
        """`said`: paragraphs; `does`, `refuses`: what the keys do, in a word or two."""
        super().__init__(context)
        self.called, self.does = title, f"{YES} {does}" + (f" · {NO} {refuses}" if refuses else "")
        self._said = said
        self._answers = {YES: True} | ({NO: False} if refuses else {})

    def rows(self) -> Iterator[Row]:
        for line in self._said:
            yield Text(), Text(visible_line(line))

    def on_key(self, event: events.Key) -> None:
        if (answer := self._answers.get(event.character or "")) is not None:
            event.stop()
            self.dismiss(answer)
