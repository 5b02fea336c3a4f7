"""Write a note: title and text, saved to the store or to the inbox folder."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import events, on
from textual.content import Content
from textual.widgets import Input, Static, TextArea

from ark_tui import operations
from ark_tui.domain.curation import Done
from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import ArkError
from ark_tui.interfaces.tui.screens.dialog import Dialog
from ark_tui.interfaces.tui.state import actions, session, strings
from ark_tui.interfaces.tui.state.configured import tilde
from ark_tui.interfaces.tui.state.session import Draft
from ark_tui.interfaces.tui.widgets.query_line import Entry
from ark_tui.interfaces.tui.widgets.requesting import anew

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.timer import Timer

    from ark_tui.interfaces.tui.state.client import Client
    from ark_tui.interfaces.tui.state.context import PaneContext

PAUSE = 0.5
"""Seconds without a key press after which the draft is stored."""


class NoteText(TextArea):
    """The text area. Control characters are removed from pasted text."""

    def on_paste(self, event: events.Paste) -> None:
        """Clean the pasted text, which the text area inserts afterwards."""
        event.stop()
        event.text = "".join(one for one in event.text if one in "\n\t" or one.isprintable())


class NoteScreen(Dialog[Done]):
    """Returns the saved note. Closing the screen keeps the draft."""

    SCOPES: ClassVar[actions.Scopes] = ("note", "dialog")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("note")
    AUTO_FOCUS = "NoteText"

    def __init__(self, context: PaneContext) -> None:
        super().__init__(context)
        self._home = context.opening.kept
        self._inbox = context.settings.inbox  # the inbox folder; empty without one
        self._to_file = bool(self._inbox)
        self._draft = session.load(self._home, Draft)[0]  # as stored
        self.draft = self._draft  # as typed
        self._pause: Timer | None = None
        self._saving = False

    def compose(self) -> ComposeResult:
        with self.box("Note"):
            title = Entry(self._draft.title, placeholder=strings.NOTE_TITLE_HINT, select_on_focus=False)
            title.cursor_blink = self.context.settings.blink
            yield title
            text = NoteText(self._draft.text, show_line_numbers=False)
            text.cursor_blink = self.context.settings.blink
            yield text
            yield Static(classes="said")

    def on_mount(self) -> None:
        self._say_keys()
        self._say_where()
        self.query_one(NoteText).move_cursor(self.query_one(NoteText).document.end)

    def _say_keys(self) -> None:
        keys = self.context.keys
        said = strings.NOTE_KEYS.format(save=keys["note.save"], close=keys["dialog.close"])
        self.query_one(".box").border_subtitle = Content(said)

    def _say_where(self) -> None:
        key = self.context.keys["note.where"]
        if self._to_file:
            folder = tilde(Path(self._inbox).expanduser())
            said = strings.NOTE_TO_INBOX.format(folder=folder, key=key)
        elif self._inbox:
            said = strings.NOTE_TO_STORE.format(key=key)
        else:
            said = strings.NOTE_NO_INBOX
        self.query_one(".said", Static).update(Text(visible_line(said)))

    @on(Input.Changed)
    @on(TextArea.Changed)
    def _typed(self) -> None:
        self.draft = Draft(self.query_one(Input).value, self.query_one(NoteText).text)
        self._pause = anew(self, self._pause, PAUSE, self._keep)

    def _keep(self) -> bool:
        """Store the draft and return whether that succeeded.

        A note being saved is not stored as a draft again.
        """
        if self._saving or self.draft == self._draft:
            return True
        try:
            session.save(self._home, self.draft)
        except ArkError as error:
            self.context.say_error(error)
            return False
        self._draft = self.draft
        return True

    def on_unmount(self) -> None:
        """Store the draft if the program ends while it is edited."""
        self._keep()

    @on(Input.Submitted)
    def _to_the_text(self) -> None:
        self.query_one(NoteText).focus()

    def action_where(self) -> None:
        if self._inbox:
            self._to_file = not self._to_file
        self._say_where()

    def action_close(self) -> None:
        if not self._keep():
            return  # if it cannot be stored, the screen stays open
        if self._draft:
            self.context.say(strings.DRAFT_KEPT.format(key=self.context.keys["curation.note"]))
        self.dismiss(None)

    def action_save(self) -> None:
        if not self.draft:
            self.context.say(strings.NOTHING_TO_SAVE)
        elif not self._saving:
            self._saving = True
            self.query_one(".box").border_subtitle = "saving …"
            self._save(self.draft)

    def _save(self, draft: Draft) -> None:
        text = draft.text if draft.text.strip() else draft.title
        title = draft.title if draft.text.strip() else ""

        def failed(error: ArkError) -> None:
            self._saving = False
            self._keep()
            self._say_keys()
            self.context.say_error(error)

        self.edit(partial(_noted, self._home, text, title, to_file=self._to_file), self.dismiss, failed)


def _noted(home: Path, text: str, title: str, client: Client, *, to_file: bool) -> Done:
    """Save a note and delete its draft, both even if the program ends in the meantime."""
    done = client.call(operations.curation.note, text, title, store=not to_file)
    session.save(home, Draft())
    return done
