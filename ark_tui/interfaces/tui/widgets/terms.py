"""Interpreted words and expansion terms of a query, as chips on the query line's lower border."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from ark_tui.domain.display import visible_line
from ark_tui.interfaces.tui.state import actions, strings, wording
from ark_tui.interfaces.tui.state.messages import ChipSwitched
from ark_tui.interfaces.tui.widgets import ink

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from ark_tui.domain.hits import Expansion, Understood

LONGEST = 24
"""Maximum width of a term in cells; longer ones are cut."""

AROUND = 3
"""Width of a chip besides its term in cells: sign and gaps."""

MORE = 5
"""Width of the count of hidden chips in cells."""

EDGES = {"round": "─", "heavy": "━"}
FAMILIES = {"feedback": "words", "llm": "model", "none": "words"}


class Terms(Widget, can_focus=True):
    """Chips on the border of the query line: `+ mixing` is used, `- blobs` is not.

    They are preceded by chips of interpreted words: `= 9–15 Nov 2026`, `≠ trees`. When one is switched off,
    its words are taken literally.

    The widget always has the full width and draws the border where there is no chip: chips change with every
    key, and a new layout for each would be noticeable.
    """

    SCOPES: ClassVar[actions.Scopes] = ("terms",)
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings(*SCOPES)
    ALLOW_SELECT = False
    ALLOW_MAXIMIZE = False
    BORDER_TITLE = "Added terms"
    HELP = strings.HELP_TERMS

    cursor: reactive[int] = reactive(0)

    def __init__(self, line: Widget) -> None:
        """`line`: the query line, on whose border this draws."""
        super().__init__(id="terms")
        self.chips: dict[str, bool] = {}  # whether it is used, by term
        self._said: dict[str, str] = {}  # interpretation of query words, for those that are chips
        self._line = line
        self._source = "none"
        self._first = 0  # index of the first visible chip

    def allow_focus(self) -> bool:
        return bool(self.chips)

    def show(
        self, expansion: Expansion, understood: Sequence[Understood] = (), literally: Sequence[str] = ()
    ) -> None:
        """Show the terms and interpretations of a search. Chips that were switched keep their position."""
        self._said = {one.text: wording.understood(one) for one in understood}
        self._said |= {words: words for words in literally if words in getattr(self._line, "value", "")}
        chips = {
            **{words: words not in literally for words in self._said},
            **dict.fromkeys(expansion.terms, True),
            **dict.fromkeys(expansion.without, False),
        }
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
        """Remove all chips."""
        self.chips, self.cursor = {}, 0
        self.refresh()

    def action_left(self) -> None:
        self.cursor = max(0, self.cursor - 1)

    def action_right(self) -> None:
        self.cursor = min(len(self.chips) - 1, self.cursor + 1)

    def action_switch(self) -> None:
        if self.chips:
            self._switch(list(self.chips)[self.cursor])

    def _switch(self, chip: str) -> None:
        self.post_message(ChipSwitched(chip, on=not self.chips[chip], words=chip in self._said))

    def on_click(self, event: events.Click) -> None:
        at = 0
        for place, (chip, _) in self._in_view():
            at += self._width(chip)
            if event.x < at:
                self.cursor = place
                self._switch(chip)
                return
        if not self.chips:
            self._line.focus()

    def _in_view(self) -> list[tuple[int, tuple[str, bool]]]:
        """The visible chips with their positions; the selected one is always visible."""
        chips = list(enumerate(self.chips.items()))
        self._first = min(self._first, self.cursor)
        while True:
            room, shown = self.size.width, []
            for place, (term, on) in chips[self._first :]:
                rest = len(chips) - place - 1
                if self._width(term) + (MORE if rest else 0) > room:
                    break
                shown.append((place, (term, on)))
                room -= self._width(term)
            if self._first >= self.cursor or any(place == self.cursor for place, _ in shown):
                return shown
            self._first += 1

    def _width(self, chip: str) -> int:
        """The width of a chip in cells."""
        term = self._said[chip][2:] if chip in self._said and self.chips[chip] else chip
        return AROUND + min(LONGEST, cell_len(visible_line(term)))

    def render(self) -> Text:
        text = Text(no_wrap=True, end="")
        shown = self._in_view()
        family = ink.family(self, FAMILIES[self._source])
        for place, (chip, on) in shown:
            term = self._said.get(chip, f"+ {chip}") if on else f"- {chip}"
            here = Style(reverse=True) if self.has_focus and place == self.cursor else Style.null()
            style = family if on else ink.ink(self, "muted") + Style(strike=True)
            text.append(" ")
            text.append(term[:2], (family if on else ink.ink(self, "muted")) + here)
            text.append(ink.shorten(visible_line(term[2:]), LONGEST), style + here)
        if hidden := len(self.chips) - len(shown):
            text.append(f"  +{hidden}", ink.ink(self, "muted"))
        if self.chips:
            text.append(" ")
        kind, colour = self._line.styles.border_bottom
        colour = self._line.background_colors[1] + colour
        rest = max(0, self.size.width - text.cell_len)
        text.append(EDGES.get(kind, " ") * rest, Style(color=colour.rich_color))
        return text
