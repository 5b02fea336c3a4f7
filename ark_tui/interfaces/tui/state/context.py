"""What panes, dialogs and widgets are handed: the home, what is set and chosen, ways to tell the person."""

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
    """A message that was shown, for the list of messages."""

    at: datetime
    severity: SeverityLevel
    text: str


REMEMBERED = 500
"""Messages that the list of them keeps; older ones go."""


@dataclass
class PaneContext:
    """One for the whole workbench; it changes when settings are read again and when choices are made."""

    settings: Settings
    keymap: Keymap
    opening: Opening
    client: Client
    acts: CommandQueue
    remembered: Choices
    session: Session  # as it was left
    show: Callable[[Said], object]  # puts a message on the screen
    tell: Callable[[Message], object]  # tells the workbench, from wherever
    copy: Callable[[str, str], None]  # copies a text, and says what was copied
    edit: Callable[[Path, int, str], bool]  # leaves the terminal to an editor; whether it was there
    reread: Callable[[], object]  # reads the settings again
    dialogs: Dialogs = field(init=False)
    keys: dict[str, str] = field(init=False)  # the first key of every action by its id, as people write it
    said: deque[Said] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    signals: Mapping[str, SignalInfo] = field(default_factory=dict)  # known once the engine is there
    thought: Thought | None = None  # the latest answer, to be looked at again

    def __post_init__(self) -> None:
        self.keys = keymap.first_keys(self.keymap.actions)

    def is_elsewhere(self, what: str) -> bool:
        """Say that something is where the home is, and not here; false where the home is on this machine."""
        if self.opening.place:
            self.say(strings.NOT_FROM_HERE.format(what=what, place=self.opening.place), "warning")
        return bool(self.opening.place)

    def take_up(self, settings: Settings) -> None:
        """From now on these settings."""
        self.settings, self.keymap = settings, keymap.made(settings.keymap)
        self.keys.update(keymap.first_keys(self.keymap.actions))

    # -- telling -------------------------------------------------------------------------------------

    def say(self, text: str, severity: SeverityLevel = "information") -> None:
        """Tell the person something, in words; it is kept in the list of messages."""
        said = Said(datetime.now().astimezone(), severity, visible(self.worded(text)))
        self.said.append(said)
        self.show(said)

    def say_error(self, error: ArkError) -> None:
        """Tell what went wrong and what to do."""
        self.say(f"{error.what}\n" + error.hint if error.hint else error.what, "error")

    def worded(self, text: str) -> str:
        """A sentence with the steps of its hint as keys."""
        from ark_tui.interfaces.tui.state.wording import worded  # nothing is told before the first frame

        return worded(text, self.keys.__getitem__)

    def say_done(self, done: Done, back: str = "") -> None:
        """Tell what an edit has done; `back` says how that is taken back, where it has changed anything."""
        what = f"{done.what[:1].upper()}{done.what[1:]}"
        said = f"{what} · {back}" if back and done.changed else f"{what}."
        self.say("\n".join([said, *done.notices]))

    # -- what is set and chosen ----------------------------------------------------------------------

    def key_in_text(self, action: str) -> str:
        """The first key of an action that a text field does not take for a letter, as people write it."""
        found = next(one for one in self.keymap.actions if one.id == action)
        free = (key for key in found.all_keys if not actions.character(key))
        return next(map(actions.display, free), self.keys[action])

    def faults(self, themes: Iterable[str]) -> tuple[str, ...]:
        """What is wrong with the settings, of which only the screen knows which themes there are."""
        wrong = configured.theme_fault(self.settings, themes)
        return (*self.settings.warnings, *wrong, *configured.key_faults(self.settings, self.keymap))

    @property
    def blink(self) -> bool:
        """Whether the cursor blinks: as was chosen here, unless the environment or the command line says."""
        chosen = self.remembered.blink
        return (
            chosen == "on" if chosen and not configured.fixed(self.settings, "blink") else self.settings.blink
        )

    @property
    def profile(self) -> str:
        """The ranking profile that was chosen here; empty for the one of the settings."""
        chosen = self.remembered.profile
        return chosen if chosen in self.settings.profiles else ""

    def remember(self, **choices: str) -> None:
        """Keep some choices for the next run."""
        fresh = replace(self.remembered, **choices)
        if fresh == self.remembered:
            return
        self.remembered = fresh
        try:
            session.save(self.opening.kept, fresh)
        except ArkError as error:
            self.say_error(error)
