"""The terms that a search has added to the query, as chips on the query line's lower edge."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from ark_tui.domain.display import visible_line
from ark_tui.faces.tui.state import actions
from ark_tui.faces.tui.state.messages import TermSwitched
from ark_tui.faces.tui.widgets import ink

if TYPE_CHECKING:
    from textual import events
    from textual.binding import BindingType

    from ark_tui.domain.hits import Expansion

LONGEST = 24
"""Cells of a term; what is longer is cut."""

AROUND = 3
"""Cells of a chip besides its term: its sign, and the gaps."""

MORE = 5
"""Cells for what is not in view."""

EDGES = {"round": "─", "heavy": "━"}
FAMILIES = {"feedback": "words", "llm": "model", "none": "words"}


class Terms(Widget, can_focus=True):
    """Chips over the edge of the query line: `+ mixing` takes part, `- blobs` does not.

    It is always there and always as wide, drawing the edge itself where no chip is: chips come and go with
    every key, and laying the screen out anew for them would be felt.
    """

    SCOPES: ClassVar[actions.Scopes] = ("terms",)
    BINDINGS: ClassVar[list[BindingType]] = [*actions.bindings(*SCOPES)]
    ALLOW_SELECT = False
    ALLOW_MAXIMIZE = False
    BORDER_TITLE = "Further terms"
    HELP = (
        "Terms that the search has added to the query by itself, from the best texts or from a chat model. "
        "One that leads astray can be switched off; it stays off until the query line is emptied."
    )

    cursor: reactive[int] = reactive(0)

    def __init__(self, line: Widget) -> None:
        """`line`: the query line, whose edge this draws on."""
        super().__init__(id="terms")
        self.chips: dict[str, bool] = {}  # whether it takes part, by its term
        self._line = line
        self._source = "none"
        self._first = 0  # the first chip in view

    def allow_focus(self) -> bool:
        return bool(self.chips)

    def show(self, expansion: Expansion) -> None:
        """Show the terms of a search; one that was switched keeps its place."""
        chips = {**dict.fromkeys(expansion.terms, True), **dict.fromkeys(expansion.without, False)}
        if chips.keys() == self.chips.keys():
            chips = {term: chips[term] for term in self.chips}
        else:
            self._first = 0
            self.cursor = min(self.cursor, max(0, len(chips) - 1))
        self.chips, self._source = chips, expansion.source
        if not chips and self.has_focus:
            self._line.focus()
        self.refresh()

    def clear(self) -> None:
        """Nothing was added."""
        self.chips, self.cursor = {}, 0
        self.refresh()

    # -- moving and switching ------------------------------------------------------------------------

    def action_left(self) -> None:
        self.cursor = max(0, self.cursor - 1)

    def action_right(self) -> None:
        self.cursor = min(len(self.chips) - 1, self.cursor + 1)

    def action_switch(self) -> None:
        if self.chips:
            term = list(self.chips)[self.cursor]
            self.post_message(TermSwitched(term, on=not self.chips[term]))

    def on_click(self, event: events.Click) -> None:
        at = 0
        for place, (term, on) in self._in_view():
            at += len_of(term)
            if event.x < at:
                self.cursor = place
                self.post_message(TermSwitched(term, on=not on))
                return
        if not self.chips:
            self._line.focus()

    # -- drawing -------------------------------------------------------------------------------------

    def _in_view(self) -> list[tuple[int, tuple[str, bool]]]:
        """The chips that fit, with their places; the one under the cursor is among them."""
        chips = list(enumerate(self.chips.items()))
        self._first = min(self._first, self.cursor)
        while True:
            room, shown = self.size.width, []
            for place, (term, on) in chips[self._first :]:
                rest = len(chips) - place - 1
                if len_of(term) + (MORE if rest else 0) > room:
                    break
                shown.append((place, (term, on)))
                room -= len_of(term)
            if self._first >= self.cursor or any(place == self.cursor for place, _ in shown):
                return shown
            self._first += 1

    def render(self) -> Text:
        text = Text(no_wrap=True, end="")
        shown = self._in_view()
        family = ink.family(self, FAMILIES[self._source])
        for place, (term, on) in shown:
            here = Style(reverse=True) if self.has_focus and place == self.cursor else Style.null()
            style = family if on else ink.ink(self, "muted") + Style(strike=True)
            text.append(" ")
            text.append("+ " if on else "- ", (family if on else ink.ink(self, "muted")) + here)
            text.append(ink.shorten(visible_line(term), LONGEST), style + here)
        if hidden := len(self.chips) - len(shown):
            text.append(f"  +{hidden}", ink.ink(self, "muted"))
        if self.chips:
            text.append(" ")
        kind, colour = self._line.styles.border_bottom
        colour = self._line.background_colors[1] + colour
        rest = max(0, self.size.width - text.cell_len)
        text.append(EDGES.get(kind, " ") * rest, Style(color=colour.rich_color))
        return text


def len_of(term: str) -> int:
    """The cells of a chip."""
    return AROUND + min(LONGEST, cell_len(visible_line(term)))
