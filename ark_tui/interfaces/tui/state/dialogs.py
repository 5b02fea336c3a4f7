"""Opens dialogs for the parts below, and passes on their results.

Screens are imported by name on first use, because they depend on this package.
"""

from __future__ import annotations

import os
from functools import partial
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from rich.text import Text
from textual.screen import ModalScreen, Screen

from ark_tui import operations
from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import ArkError
from ark_tui.interfaces.tui.state import programs, strings
from ark_tui.interfaces.tui.state.messages import ActionChosen, SavedChosen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from textual.app import App

    from ark_tui.domain.documents import Document
    from ark_tui.interfaces.tui.state.names import Choice, Names

Answer = TypeVar("Answer")

Target: TypeAlias = tuple[str, int]
"""A document's id and a line in it; 0 means its beginning."""


def screen(place: str) -> Any:
    """A screen's class, given its module and name."""
    module, _, name = place.partition(".")
    return getattr(import_module(f"ark_tui.interfaces.tui.screens.{module}"), name)


class Dialogs:
    """Opens dialogs. `then` is called with the result, unless a dialog is closed without one."""

    def __init__(self, app: App[Any], context: Any) -> None:
        """`context`: the shared context that contains this object."""
        self._app = app
        self._context = context

    def open(self, place: str, *about: Any, then: Callable[[Any], object] = lambda _: None) -> None:
        """Open a screen, given as `module.Class`, with its arguments after the context."""

        def answered(answer: Any) -> None:
            if answer is not None:
                then(answer)

        self._app.push_screen(screen(place)(self._context, *about), answered)

    def ask(self, title: str, about: str, then: Callable[[str], object], value: str = "") -> None:
        """Ask for a line of text."""
        self.open("dialog.AskScreen", title, about, value, then=then)

    def pick(
        self,
        title: str,
        choices: Sequence[Choice],
        then: Callable[[int], object],
        cursor: int = 0,
        does: str = strings.DOES_GO,
    ) -> None:
        """Choose from a list; the result is the index."""
        from ark_tui.interfaces.tui.state.names import Names  # not needed before the first frame

        names = Names([one._replace(name=str(at)) for at, one in enumerate(choices)], does)
        self.open("picking.PickScreen", title, names, "", cursor, then=lambda choice: then(int(choice.name)))

    def name(self, title: str, names: Names, then: Callable[[str], object], value: str = "") -> None:
        """Choose a named item; the result is the name. `value`: the initial text."""
        self.open("picking.PickScreen", title, names, value, then=lambda choice: then(choice.name))

    def confirm(self, title: str, said: Sequence[str], does: str, then: Callable[[], object]) -> None:
        """Ask for confirmation of an action. `said`: paragraphs. `does`: what it does, in a few words."""
        self.answer(title, said, {"y": does}, lambda _: then())

    def answer(
        self, title: str, said: Sequence[str], answers: Mapping[str, str], then: Callable[[str], object]
    ) -> None:
        """Show a text with some answers, given as letter and what it does; the result is the letter."""
        self.text(title, [(Text(), Text(visible_line(line))) for line in said], answers, then)

    def text(
        self,
        title: str,
        rows: Iterable[tuple[Text, Text]],
        answers: Mapping[str, str] = MappingProxyType({}),
        then: Callable[[str], object] = lambda _: None,
    ) -> None:
        """Show labels and texts, like `answer`."""
        self.open("dialog.ConfirmScreen", title, rows, answers, then=then)

    def read(self, document: str, chunk: str = "", query: str = "") -> None:
        """Open a document, at a chunk, with the matches of a query marked."""
        read = partial(self._read, document, chunk, query)
        self._app.run_worker(read, thread=True, exclusive=True, group="reading", exit_on_error=False)

    def _read(self, document: str, chunk: str, query: str) -> None:
        client = self._context.client
        passage, lines = screen("reading.passage")(client, document, chunk, query)
        self._app.call_from_thread(self.open, "reading.ReadingScreen", passage, lines, query)
        client.call(operations.workbench.opened, document)

    def about(self, document: Document, then: Callable[[Target], object]) -> None:
        """Details of a document; the result is another document to open."""
        from ark_tui.interfaces.tui.state.about import Details, target

        title = f"About “{document.title}”"
        self.open("picking.PickScreen", title, Details(document), then=lambda one: then(target(one)))

    def address(self, target: str) -> None:
        """Show an external address in full, to be opened or copied."""
        web = programs.can_be_opened(target)
        browser = programs.program(os.environ) if web else None
        answers = {"o": f"open with {Path(browser[0]).name}"} if browser else {}
        why = "" if browser else strings.ADDRESS_NO_BROWSER if web else strings.ADDRESS_NOT_OPENED

        def answered(letter: str) -> None:
            if letter == "y":
                self._context.copy(target, "the address")
            elif browser:
                try:
                    programs.show(browser, target)
                except ArkError as error:
                    self._context.say_error(error)

        self.answer("External link", [target, "", why], {**answers, "y": "copy"}, answered)

    def help(self) -> None:
        """The active keys for the current focus."""
        here = self._app.screen
        if not isinstance(here, screen("picking.HelpScreen")):
            signals = {} if isinstance(here, ModalScreen) else self._context.signals
            self.open("picking.HelpScreen", here, signals, then=self._run)

    def palette(self) -> None:
        """All actions by name."""
        here: Screen[Any] = self._app.screen
        if not isinstance(here, screen("picking.Palette")):
            self.open("picking.Palette", here, [*self._app.available_themes], then=self._run)

    def themes(self) -> None:
        """Choose a theme with a live preview."""
        themes = sorted(self._app.available_themes)
        self.open("picking.ThemeScreen", themes, self._app.theme, then=self._run)

    def _run(self, choice: Choice) -> None:
        """Apply the choice: an action, a saved search or a theme."""
        kind, _, name = choice.name.partition(":")
        if kind == "theme":
            self._app.theme = name
        elif kind == "saved":
            self._context.tell(SavedChosen(name))
        else:
            action = next(one for one in self._context.keymap.actions if one.id == name)
            self._context.tell(ActionChosen(action))
