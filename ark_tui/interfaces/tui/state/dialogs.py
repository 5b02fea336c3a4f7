"""What can be opened above the screen: who is below asks for it here, and goes on with the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.geometry import Offset
    from textual.screen import Screen

    from ark_tui.domain.curation import Done
    from ark_tui.domain.documents import Document, Passage
    from ark_tui.domain.query import Request
    from ark_tui.domain.tuning import Tuning
    from ark_tui.domain.whynot import Remedy
    from ark_tui.interfaces.tui.state.choice import Choice
    from ark_tui.interfaces.tui.state.names import Names

Answer = TypeVar("Answer")

Target: TypeAlias = tuple[str, int]
"""A document's id and a line in it; 0: its beginning."""

WayOut: TypeAlias = Literal["restore", "purge"]
"""The ways out of the trash."""


class Dialogs(Protocol):
    """Opens dialogs. `then` is called with the answer, unless a dialog is closed without one."""

    def consult(self, dialog: Screen[Answer], then: Callable[[Answer], object]) -> None:
        """Open a dialog that is there already."""

    def ask(self, title: str, about: str, then: Callable[[str], object], value: str = "") -> None:
        """Ask for a line of text."""

    def ask_again(
        self, title: str, about: str, then: Callable[[str, Callable[[], None]], object], value: str = ""
    ) -> None:
        """As `ask`; `then` is also given what asks once more, with the line as it was typed."""

    def choose(self, title: str, choices: Mapping[str, str], then: Callable[[str], object]) -> None:
        """Ask for one of a few choices, given by letter and answer."""

    def jump(
        self, choices: Mapping[str, str], places: Mapping[str, Offset], then: Callable[[str], object]
    ) -> None:
        """As `choose`, each letter written at its place on the screen."""

    def pick(
        self, title: str, choices: Sequence[Choice], then: Callable[[int], object], cursor: int = 0
    ) -> None:
        """Have one of many picked from a list, by its number."""

    def name(self, title: str, names: Names, then: Callable[[str], object], value: str = "") -> None:
        """Have something picked by letters of its name; answers with the name. `value`: typed already."""

    def merge(self, documents: Sequence[Document], then: Callable[[tuple[str, ...]], object]) -> None:
        """Show texts that are to become one; answers with their ids, that of the one which stays first."""

    def confirm(
        self,
        title: str,
        said: Sequence[str],
        does: str,
        then: Callable[[bool], object],
        refuses: str = "",
    ) -> None:
        """Ask before what cannot be undone. `said`: paragraphs; `does`: what the key does, in short.

        `refuses`: what the key for no does, where no is an answer, too.
        """

    def read(self, document: str, chunk: str = "", query: str = "") -> None:
        """Open a document: at a chunk of it, with the matches of a query marked."""

    def about(self, document: Document, then: Callable[[Target], object]) -> None:
        """What is known of a document; answers with another one to be read."""

    def address(self, target: str) -> None:
        """An address outside the corpus, which a key opens or copies."""

    def trashed(self, passage: Passage, then: Callable[[WayOut], object]) -> None:
        """A document in the trash; answers with a way out of there."""

    def note(self, then: Callable[[Done], object]) -> None:
        """Have a note written; answers with what was done."""

    def queue(self) -> None:
        """What wants attention, one item at a time."""

    def think(self, question: str) -> None:
        """Ask a question of the corpus."""

    def saved(self, present: Request | None, then: Callable[[str], object]) -> None:
        """The saved searches; answers with the name of one to be run. `present` can be saved there."""

    def lab(self, request: Request, start: Tuning, document: str = "") -> None:
        """Move the weights of a profile and see how a search ranks; `document`: the hit at the cursor."""

    def why_not(self, request: Request, ref: str, then: Callable[[Remedy], object]) -> None:
        """Why a search does not list something; answers with what is to be done about it."""

    def help(self) -> None:
        """What the keys do where the focus is."""

    def palette(self) -> None:
        """Every action, by name."""

    def themes(self) -> None:
        """Have other colours chosen, and look at them meanwhile."""
