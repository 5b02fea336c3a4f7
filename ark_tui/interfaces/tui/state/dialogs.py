"""What opens above the screen: who is below asks for it here and goes on with the answer.

The screens are imported by name when they are first asked for: they lie above this package.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from textual.screen import ModalScreen, Screen

from ark_tui import operations
from ark_tui.interfaces.tui.state import strings
from ark_tui.interfaces.tui.state.messages import ActionChosen, SavedChosen
from ark_tui.interfaces.tui.state.names import Names

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

Answer = TypeVar("Answer")

Target: TypeAlias = tuple[str, int]
"""A document's id and a line in it; 0: its beginning."""

WayOut: TypeAlias = Literal["restore", "purge"]
"""The ways out of the trash."""


def screen(place: str) -> Any:
    """A screen's class, by its module and name."""
    module, _, name = place.partition(".")
    return getattr(import_module(f"ark_tui.interfaces.tui.screens.{module}"), name)


class Dialogs:
    """Opens dialogs. `then` is called with the answer, unless a dialog is closed without one."""

    def __init__(self, app: App[Any], context: Any) -> None:
        """`context`: the one that panes and dialogs are handed, which holds this."""
        self._app = app
        self._context = context

    def _open(self, place: str, *about: Any, then: Callable[[Any], object] = lambda _: None) -> None:
        def answered(answer: Any) -> None:
            if answer is not None:
                then(answer)

        self._app.push_screen(screen(place)(self._context, *about), answered)

    # -- asking --------------------------------------------------------------------------------------

    def ask(self, title: str, about: str, then: Callable[[str], object], value: str = "") -> None:
        """Ask for a line of text."""
        self._open("dialogs.AskScreen", title, about, value, then=then)

    def ask_again(
        self, title: str, about: str, then: Callable[[str, Callable[[], None]], object], value: str = ""
    ) -> None:
        """As `ask`; `then` is also given what asks once more, with the line as it was typed."""
        self.ask(
            title, about, lambda line: then(line, lambda: self.ask_again(title, about, then, line)), value
        )

    def choose(self, title: str, choices: Mapping[str, str], then: Callable[[str], object]) -> None:
        """Ask for one of a few choices, given by letter and answer."""
        self._open("dialogs.ChooseScreen", title, choices, then=then)

    def jump(
        self, choices: Mapping[str, str], places: Mapping[str, Offset], then: Callable[[str], object]
    ) -> None:
        """As `choose`, each letter written at its place on the screen."""
        self._open("dialogs.JumpScreen", choices, places, then=then)

    def pick(
        self, title: str, choices: Sequence[Choice], then: Callable[[int], object], cursor: int = 0
    ) -> None:
        """Have one of many picked from a list, by its number."""
        names = Names([one._replace(name=str(at)) for at, one in enumerate(choices)], strings.DOES_GO)
        self._open("picking.PickScreen", title, names, "", cursor, then=lambda choice: then(int(choice.name)))

    def name(self, title: str, names: Names, then: Callable[[str], object], value: str = "") -> None:
        """Have something picked by letters of its name; answers with the name. `value`: typed already."""
        self._open("picking.PickScreen", title, names, value, then=lambda choice: then(choice.name))

    def merge(self, documents: Sequence[Document], then: Callable[[tuple[str, ...]], object]) -> None:
        """Show texts before they are merged; answers with their ids, that of the one which stays first."""
        self._open("queue.MergeScreen", documents, then=then)

    def confirm(
        self, title: str, said: Sequence[str], does: str, then: Callable[[bool], object], refuses: str = ""
    ) -> None:
        """Ask before what cannot be undone. `said`: paragraphs; `does`: what the key does, in short.

        `refuses`: what the key for no does, where no is an answer, too.
        """
        self._open("dialogs.ConfirmScreen", title, said, does, refuses, then=then)

    # -- documents -----------------------------------------------------------------------------------

    def read(self, document: str, chunk: str = "", query: str = "") -> None:
        """Open a document: at a chunk of it, with the matches of a query marked."""
        read = partial(self._read, document, chunk, query)
        self._app.run_worker(read, thread=True, exclusive=True, group="reading", exit_on_error=False)

    def _read(self, document: str, chunk: str, query: str) -> None:
        client = self._context.client
        passage, lines = screen("reading.passage")(client, document, chunk, query)
        self._app.call_from_thread(self._open, "reading.ReadingScreen", passage, lines, query)
        client.call(operations.workbench.opened, document)

    def about(self, document: Document, then: Callable[[Target], object]) -> None:
        """The details of a document; answers with another one to be read."""
        self._open("about.AboutScreen", document, then=then)

    def address(self, target: str) -> None:
        """An external address, which a key opens or copies."""
        self._open("dialogs.AddressScreen", target)

    def trashed(self, passage: Passage, then: Callable[[WayOut], object]) -> None:
        """A document in the trash; answers with a way out of there."""
        self._open("reading.TrashedScreen", passage, then=then)

    # -- work ----------------------------------------------------------------------------------------

    def note(self, then: Callable[[Done], object]) -> None:
        """Have a note written; answers with what was done."""
        self._open("note.NoteScreen", then=then)

    def queue(self) -> None:
        """The curation queue, one item at a time."""
        self._open("queue.QueueScreen")

    def think(self, question: str) -> None:
        """Ask a question of the corpus."""
        self._open("think.ThinkScreen", question)

    def saved(self, present: Request | None, then: Callable[[str], object]) -> None:
        """The saved searches; answers with the name of one to be run. `present` can be saved there."""
        self._open("saved.SavedScreen", present, then=then)

    def lab(self, request: Request, start: Tuning, document: str = "") -> None:
        """Move the weights of a profile and see how a search ranks; `document`: the hit at the cursor."""
        self._open("lab.LabScreen", request, start, document)

    def why_not(self, request: Request, ref: str, then: Callable[[Remedy], object]) -> None:
        """Why a search does not list something; answers with what is to be done about it."""
        self._open("whynot.WhyNotScreen", request, ref, then=then)

    def help(self) -> None:
        """The keys that work where the focus is."""
        here = self._app.screen
        if not isinstance(here, screen("palette.HelpScreen")):
            signals = {} if isinstance(here, ModalScreen) else self._context.signals
            self._open("palette.HelpScreen", here, signals, then=self._run)

    def palette(self) -> None:
        """Every action, by name."""
        here: Screen[Any] = self._app.screen
        if not isinstance(here, screen("palette.Palette")):
            self._open("palette.Palette", here, [*self._app.available_themes], then=self._run)

    def themes(self) -> None:
        """Have other colors chosen, and look at them meanwhile."""
        themes = sorted(self._app.available_themes)
        self._open("palette.ThemeScreen", themes, self._app.theme, then=self._run)

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
