"""What the views of the history have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Container

from ark_tui.domain.errors import ArkError, Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.widget import Widget

    from ark_tui.faces.tui.state.context import PaneContext


class HistoryView(Container):
    """A list with what there is to say of the row under its cursor. The pane hands its actions on to it."""

    NAME: ClassVar[str]
    FIND_HINT: ClassVar[str]

    def __init__(self, context: PaneContext, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id)
        self.context = context
        self.words = ""  # what is listed fits them

    @property
    def first(self) -> Widget:
        """What is focused when one comes here."""
        raise NotImplementedError

    def shown(self) -> None:
        """Somebody has come here: show what there is now."""
        raise NotImplementedError

    def open(self) -> None:
        """Open what is under the cursor."""
        raise NotImplementedError

    def copy(self) -> None:
        """Copy what the row under the cursor is known by."""
        raise NotImplementedError

    def narrow(self, words: str) -> None:
        """List what fits some words; everything where there are none."""
        raise NotImplementedError

    def come_back(self, words: str) -> None:
        """List what fits some words as soon as somebody comes here."""
        self.words = words

    def step_back(self) -> bool:
        """One step back inside the view; False where there is none."""
        raise NotImplementedError

    def again(self) -> None:
        """Run what is under the cursor again."""
        self.context.say("Only a search can be run again.")

    def delete(self) -> None:
        """Delete what is under the cursor."""
        self.context.say("Only a conversation can be deleted here.")

    def find(self) -> None:
        """Ask for words, and list what fits them."""
        self.context.dialogs.ask(f"Find in {self.NAME.lower()}", self.FIND_HINT, self.narrow)

    def guarded(self, act: Callable[[], None], failed: Callable[[], None] = lambda: None) -> None:
        """Do something in the present thread; failing is said in words, and `failed` is called by the app."""
        try:
            act()
        except Cancelled:
            return
        except ArkError as error:
            self.app.call_from_thread(self.context.say_error, error)
            self.app.call_from_thread(failed)
