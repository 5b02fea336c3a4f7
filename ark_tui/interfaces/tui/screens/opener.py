"""Opening dialogs above whatever is shown, each imported when it is first asked for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from textual.screen import ModalScreen, Screen

from ark_tui import operations
from ark_tui.interfaces.tui.state import strings
from ark_tui.interfaces.tui.state.messages import ActionChosen, SavedChosen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.app import App
    from textual.geometry import Offset

    from ark_tui.domain.curation import Done
    from ark_tui.domain.documents import Document, Passage
    from ark_tui.domain.query import Request
    from ark_tui.domain.tuning import Tuning
    from ark_tui.domain.whynot import Remedy
    from ark_tui.interfaces.tui.state.choice import Choice
    from ark_tui.interfaces.tui.state.context import PaneContext
    from ark_tui.interfaces.tui.state.dialogs import Answer, Target, WayOut
    from ark_tui.interfaces.tui.state.names import Names


class Opener:
    """What `Dialogs` promises."""

    def __init__(self, app: App[Any], context: PaneContext) -> None:
        self._app = app
        self._context = context

    def consult(self, dialog: Screen[Answer], then: Callable[[Answer], object]) -> None:
        def answered(answer: Answer | None) -> None:
            if answer is not None:
                then(answer)

        self._app.push_screen(dialog, answered)

    # -- asking --------------------------------------------------------------------------------------

    def ask(self, title: str, about: str, then: Callable[[str], object], value: str = "") -> None:
        from ark_tui.interfaces.tui.screens.dialogs import AskScreen

        self.consult(AskScreen(self._context, title, about, value), then)

    def ask_again(
        self, title: str, about: str, then: Callable[[str, Callable[[], None]], object], value: str = ""
    ) -> None:
        def answered(line: str) -> None:
            then(line, lambda: self.ask_again(title, about, then, line))

        self.ask(title, about, answered, value)

    def choose(self, title: str, choices: Mapping[str, str], then: Callable[[str], object]) -> None:
        from ark_tui.interfaces.tui.screens.dialogs import ChooseScreen

        self.consult(ChooseScreen(self._context, title, choices), then)

    def jump(
        self, choices: Mapping[str, str], places: Mapping[str, Offset], then: Callable[[str], object]
    ) -> None:
        from ark_tui.interfaces.tui.screens.dialogs import JumpScreen

        self.consult(JumpScreen(self._context, choices, places), then)

    def pick(
        self, title: str, choices: Sequence[Choice], then: Callable[[int], object], cursor: int = 0
    ) -> None:
        from ark_tui.interfaces.tui.screens.picking import PickScreen
        from ark_tui.interfaces.tui.state.names import Names

        names = Names([one._replace(name=str(number)) for number, one in enumerate(choices)], strings.DOES_GO)
        dialog = PickScreen(self._context, title, names, cursor=cursor)
        self.consult(dialog, lambda choice: then(int(choice.name)))

    def name(self, title: str, names: Names, then: Callable[[str], object], value: str = "") -> None:
        from ark_tui.interfaces.tui.screens.picking import PickScreen

        self.consult(PickScreen(self._context, title, names, value), lambda choice: then(choice.name))

    def merge(self, documents: Sequence[Document], then: Callable[[tuple[str, ...]], object]) -> None:
        from ark_tui.interfaces.tui.screens.queue import MergeScreen

        self.consult(MergeScreen(self._context, documents), then)

    def confirm(
        self,
        title: str,
        said: Sequence[str],
        does: str,
        then: Callable[[bool], object],
        refuses: str = "",
    ) -> None:
        from ark_tui.interfaces.tui.screens.dialogs import ConfirmScreen

        self.consult(ConfirmScreen(self._context, title, said, does, refuses), then)

    # -- documents -----------------------------------------------------------------------------------

    def read(self, document: str, chunk: str = "", query: str = "") -> None:
        read = partial(self._read, document, chunk, query)
        self._app.run_worker(read, thread=True, exclusive=True, group="reading", exit_on_error=False)

    def _read(self, document: str, chunk: str, query: str) -> None:
        from ark_tui.interfaces.tui.screens import reading

        context = self._context
        passage, lines = reading.passage(context.client, document, chunk, query)
        screen = reading.ReadingScreen(context, passage, lines, query)
        self._app.call_from_thread(self._app.push_screen, screen)
        context.client.call(operations.workbench.opened, document)

    def about(self, document: Document, then: Callable[[Target], object]) -> None:
        from ark_tui.interfaces.tui.screens.about import AboutScreen

        self.consult(AboutScreen(self._context, document), then)

    def address(self, target: str) -> None:
        from ark_tui.interfaces.tui.screens.dialogs import AddressScreen

        self._app.push_screen(AddressScreen(self._context, target))

    def trashed(self, passage: Passage, then: Callable[[WayOut], object]) -> None:
        from ark_tui.interfaces.tui.screens.reading import TrashedScreen

        self.consult(TrashedScreen(self._context, passage), then)

    # -- work ----------------------------------------------------------------------------------------

    def note(self, then: Callable[[Done], object]) -> None:
        from ark_tui.interfaces.tui.screens.note import NoteScreen

        self.consult(NoteScreen(self._context), then)

    def queue(self) -> None:
        from ark_tui.interfaces.tui.screens.queue import QueueScreen

        self._app.push_screen(QueueScreen(self._context))

    def think(self, question: str) -> None:
        from ark_tui.interfaces.tui.screens.think import ThinkScreen

        self._app.push_screen(ThinkScreen(self._context, question))

    def saved(self, present: Request | None, then: Callable[[str], object]) -> None:
        from ark_tui.interfaces.tui.screens.saved import SavedScreen

        self.consult(SavedScreen(self._context, present), then)

    def lab(self, request: Request, start: Tuning, document: str = "") -> None:
        from ark_tui.interfaces.tui.screens.lab import LabScreen

        self._app.push_screen(LabScreen(self._context, request, start, document))

    def why_not(self, request: Request, ref: str, then: Callable[[Remedy], object]) -> None:
        from ark_tui.interfaces.tui.screens.whynot import WhyNotScreen

        self.consult(WhyNotScreen(self._context, request, ref), then)

    def help(self) -> None:
        from ark_tui.interfaces.tui.screens.palette import HelpScreen

        screen = self._app.screen
        if not isinstance(screen, HelpScreen):
            signals = {} if isinstance(screen, ModalScreen) else self._context.signals
            self.consult(HelpScreen(self._context, screen, signals), self._run)

    def palette(self) -> None:
        from ark_tui.interfaces.tui.screens.palette import Palette

        screen = self._app.screen
        if not isinstance(screen, Palette):
            self.consult(Palette(self._context, screen, [*self._app.available_themes]), self._run)

    def themes(self) -> None:
        from ark_tui.interfaces.tui.screens.palette import ThemeScreen

        themes = sorted(self._app.available_themes)
        self.consult(ThemeScreen(self._context, themes, self._app.theme), self._run)

    def _run(self, choice: Choice) -> None:
        """Do what was picked: an action, a saved search, a theme."""
        kind, _, name = choice.name.partition(":")
        if kind == "theme":
            self._app.theme = name
        elif kind == "saved":
            self._context.tell(SavedChosen(name))
        else:
            action = next(one for one in self._context.keymap.actions if one.id == name)
            self._context.tell(ActionChosen(action))
