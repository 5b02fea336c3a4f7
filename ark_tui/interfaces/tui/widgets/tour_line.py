"""The line of the tour: which step it is, and what to press, a key that works at this moment."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text
from textual.widgets import Static

from ark_tui.interfaces.tui.state.tour import STEPS, Sight, Tour

KeyOf = Callable[[str], str]
"""From the id of an action to the key that does it now, as people write it."""

OFFER = "New here? {} begins a tour: six steps over the sample notes, a minute and a half. esc: no."
END = "That was the tour. {} has the keys of where you are, {} does anything by name."


class TourLine(Static):
    """Not there unless a tour is offered or under way."""

    DEFAULT_CSS = """
    TourLine { height: auto; max-height: 2; padding: 0 1; background: $primary 25%; color: $foreground; }
    """

    def __init__(self) -> None:
        super().__init__(id="tour")
        self.display = False
        self.tour: Tour | None = None
        self.offered = False
        self.said = ""

    def begin(self, now: Sight) -> None:
        """Begin with the first step that is not done."""
        self.tour, self.offered = Tour(now), False

    def show(self, now: Sight, key: KeyOf) -> bool:
        """Say what is to be done now; whether there is anything to be looked at again."""
        if self.offered and not now.documents and not now.indexing:
            self._say(OFFER.format(key("everywhere.tour")))
            return True
        if self.tour is None:
            if self.offered:
                self.end()
            return False
        way = self.tour.look(now)
        if way is None:
            self.tour = None
            self._say(END.format(key("app.help"), key("app.command-palette")))
            return False
        at = self.tour.at
        press = f"{key(way.action)} " if way.action else ""
        step = f"Tour {at + 1} of {len(STEPS)} · {STEPS[at].name}: {press}{way.does}."
        self._say(step if now.above else f"{step} esc ends the tour.")  # a dialog has esc for itself
        return True

    def end(self) -> bool:
        """Put it away; whether it was there."""
        there, self.display = self.display, False
        self.tour, self.offered, self.said = None, False, ""
        return there

    def _say(self, text: str) -> None:
        self.display = True
        if text != self.said:
            self.said = text
            self.update(Text(text))
