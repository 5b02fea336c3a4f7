"""Actions on the document in a reader: matches, copying, editing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widget import Widget

from ark_tui.domain.display import visible, visible_line
from ark_tui.interfaces.tui.state import strings
from ark_tui.interfaces.tui.state.messages import EditAsked
from ark_tui.interfaces.tui.widgets.reader import Reader, when_shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from ark_tui.domain.documents import Document, Passage
    from ark_tui.domain.memory import AccessKind
    from ark_tui.interfaces.tui.state.context import PaneContext


class Reads(Widget):
    """A part with one reader that runs the actions of the scope `hits` on its document."""

    context: PaneContext

    def _reader(self) -> Reader:
        return self.query_one(Reader)

    def once_shown(self, do: Callable[[], object]) -> None:
        """See `Reader.once_shown`."""
        self._reader().once_shown(do)

    def use(self, document: str, kind: AccessKind) -> None:
        """Record the use of a document, given by its id."""

    # -- matches -------------------------------------------------------------------------------------

    def action_next_match(self) -> None:
        self.step_match(+1)

    def action_previous_match(self) -> None:
        self.step_match(-1)

    @when_shown
    def step_match(self, step: int) -> None:
        """Go to another match of the query in the document, as soon as it is loaded."""
        if not self._reader().next_match(step):
            self.context.say(strings.NO_MATCH_IN_DOCUMENT)

    # -- copying and editing -------------------------------------------------------------------------

    def copied(self) -> tuple[str, int, int]:
        """The text to copy, with its first and last line."""
        return self._reader().copied()

    @when_shown
    def action_copy(self) -> None:
        if passage := self._passage_or_say():
            text, *lines = self.copied()
            self.use(passage.document.id, "copied")
            self.context.copy(visible(text), f"{said_lines(*lines)} of {passage.document.title}")

    @when_shown
    def action_cite(self) -> None:
        if passage := self._passage_or_say():
            text, *lines = self.copied()
            self.use(passage.document.id, "cited")
            quoted = f"{visible(text)}\n\n— {citation(passage.document, *lines)}\n"
            self.context.copy(quoted, strings.COPY_WITH_SOURCE.format(title=passage.document.title))

    @when_shown
    def action_copy_path(self) -> None:
        if passage := self._passage_or_say():
            self.context.copy(passage.file or passage.document.path, strings.COPY_PATH)

    @when_shown
    def action_edit(self) -> None:
        passage = self._passage_or_say()
        if passage is None:
            return
        if not passage.file:
            self.context.say(strings.NO_FILE_TO_EDIT)
        else:
            self.use(passage.document.id, "opened")
            self.context.tell(EditAsked(passage.file, self._reader().line_number, self._reader().at))

    def _read_or_say(self) -> Document | None:
        """The document in the reader, or None with a message while it is loading."""
        if self._reader().is_coming:
            self.context.say(strings.DOCUMENT_LOADING)
            return None
        passage = self._passage_or_say()
        return passage.document if passage else None

    def _passage_or_say(self) -> Passage | None:
        passage = self._reader().passage
        if passage is None:
            self.context.say(strings.NO_DOCUMENT_OPEN)
        return passage


def said_lines(first: int, last: int) -> str:
    """Line numbers as text."""
    return f"line {first}" if first == last else f"lines {first}–{last}"


def citation(document: Document, first: int, last: int) -> str:
    """The source of a passage, on one line."""
    place = f"{document.collection}/{document.path}:{first}–{last}"
    known = f"{document.short_id}, {document.date}" if document.date else document.short_id
    return visible_line(f"{document.title}, {place} ({known})")
