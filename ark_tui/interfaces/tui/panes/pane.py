"""What every pane beside the search is: made when somebody first comes to it, told what happens."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from textual.containers import Container

from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.widgets.requesting import Requesting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.widget import Widget

    from ark_tui.domain.work import Status
    from ark_tui.interfaces.tui.state.context import PaneContext
    from ark_tui.interfaces.tui.widgets.row_list import RowList


class Pane(Requesting, Container):
    """A pane of the workbench."""

    def __init__(self, context: PaneContext, *, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id)
        self.context = context

    @property
    def first(self) -> Widget:
        """What is focused when one comes here."""
        raise NotImplementedError

    @property
    def lists(self) -> list[RowList]:
        """Its lists, whose cursors come back in the next session."""
        from ark_tui.interfaces.tui.widgets.row_list import RowList

        return [one for one in self.walk_children() if isinstance(one, RowList)]

    def save_state(self) -> dict[str, str]:
        """How it is turned, beside the cursors of its lists, to come back to."""
        return {}

    def restore_state(self, left: Mapping[str, str]) -> None:
        """Turn it as it was in an earlier session, before anybody sees it."""
        del left

    def shown(self) -> None:
        """Somebody has come here, or wants it to be looked up again: show what there is now."""

    def step_back(self) -> bool:
        """One step back inside the pane; False where there is none."""
        return False

    def show_status(self, status: Status) -> None:
        """The state of the home has been read, after every change of the corpus."""
        del status


def stylesheet(name: str) -> Path | None:
    """The file that says what a pane looks like, read when it is first asked for; None where it has none."""
    file = Path(__file__).with_name(f"{name}.tcss")
    return file if file.is_file() else None


def made(name: str, context: PaneContext) -> Pane:
    """A pane, imported when it is first asked for; raises `ArkError` for a plugin's that cannot be."""
    if plugin := actions.PLUGGED.get(name):
        added: Pane = plugin.load()(context, id=name)
        return added
    module = import_module(f"ark_tui.interfaces.tui.panes.{name}")
    pane: Pane = getattr(module, f"{name.capitalize()}Pane")(context)
    return pane
