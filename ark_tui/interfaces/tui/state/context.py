"""Shared context of panes, dialogs and widgets: home, settings, choices and messages."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from ark_tui.domain.display import visible
from ark_tui.domain.errors import ArkError
from ark_tui.interfaces.tui.state import actions, configured, keymap, session, strings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from textual.message import Message
    from textual.notifications import SeverityLevel

    from ark_tui.domain.curation import Done
    from ark_tui.domain.hits import SignalInfo
    from ark_tui.domain.recall import Thought
    from ark_tui.interfaces.tui.state.client import Client, CommandQueue, Opening
    from ark_tui.interfaces.tui.state.dialogs import Dialogs
    from ark_tui.interfaces.tui.state.keymap import Keymap
    from ark_tui.interfaces.tui.state.session import Choices, Session
    from ark_tui.settings import Settings


class Said(NamedTuple):
    """An entry of the message list."""

    at: datetime
    severity: SeverityLevel
    text: str


REMEMBERED = 500
"""Maximum entries of the message list; the oldest are removed."""


@dataclass
class PaneContext:
    """The context of the workbench. It changes when settings are reloaded and when choices are made."""

    settings: Settings
    keymap: Keymap
    opening: Opening
    client: Client
    acts: CommandQueue
    remembered: Choices
    session: Session  # as stored at the last exit
    show: Callable[[Said], object]  # shows a message on the screen
    tell: Callable[[Message], object]  # posts a message to the workbench, from any thread
    copy: Callable[[str, str], None]  # copies a text and confirms it
    edit: Callable[[Path, int, str], bool]  # opens an editor; whether it ran
    reread: Callable[[], object]  # reloads the settings
    dialogs: Dialogs = field(init=False)
    keys: dict[str, str] = field(init=False)  # the first key of each action by id, in display form
    said: deque[Said] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    signals: Mapping[str, SignalInfo] = field(default_factory=dict)  # set once the engine is open
    thought: Thought | None = None  # the latest answer, to be shown again

    def __post_init__(self) -> None:
        self.keys = keymap.first_keys(self.keymap.actions)

    def is_elsewhere(self, what: str) -> bool:
        """Report that a file is on another machine. Return False for a local home."""
        if self.opening.place:
            self.say(strings.NOT_FROM_HERE.format(what=what, place=self.opening.place), "warning")
        return bool(self.opening.place)

    def take_up(self, settings: Settings) -> None:
        """Use new settings."""
        self.settings, self.keymap = settings, keymap.made(settings.keymap)
        self.keys.update(keymap.first_keys(self.keymap.actions))

    def say(self, text: str, severity: SeverityLevel = "information") -> None:
        """Show a message and add it to the message list."""
        said = Said(datetime.now().astimezone(), severity, visible(self.worded(text)))
        self.said.append(said)
        self.show(said)

    def say_error(self, error: ArkError) -> None:
        """Show an error with its hint."""
        self.say(f"{error.what}\n" + error.hint if error.hint else error.what, "error")

    def worded(self, text: str) -> str:
        """A sentence with the commands of its hint as keys."""
        return actions.worded(text, self.keys.__getitem__)

    def say_done(self, done: Done, back: str = "") -> None:
        """Report the result of an edit. `back` names its undo and is added if anything changed."""
        what = f"{done.what[:1].upper()}{done.what[1:]}"
        said = f"{what} · {back}" if back and done.changed else f"{what}."
        self.say("\n".join([said, *done.notices]))

    def key_in_text(self, action: str) -> str:
        """The first key of an action that a text field does not consume as a letter, in display form."""
        found = next(one for one in self.keymap.actions if one.id == action)
        free = (key for key in found.all_keys if not actions.character(key))
        return next(map(actions.display, free), self.keys[action])

    def faults(self, themes: Iterable[str]) -> tuple[str, ...]:
        """The errors in the settings. The screen provides the available themes."""
        wrong = configured.theme_fault(self.settings, themes)
        return (*self.settings.warnings, *wrong, *configured.key_faults(self.settings, self.keymap))

    @property
    def profile(self) -> str:
        """The ranking profile chosen here; empty for the one of the settings."""
        chosen = self.remembered.profile
        return chosen if chosen in self.settings.profiles else ""

    def remember(self, **choices: str) -> None:
        """Store choices for the next run."""
        fresh = replace(self.remembered, **choices)
        if fresh == self.remembered:
            return
        self.remembered = fresh
        try:
            session.save(self.opening.kept, fresh)
        except ArkError as error:
            self.say_error(error)
