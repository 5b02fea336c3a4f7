"""A line or two below the query, shown only if there is a message about the search."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rich.text import Text
from textual.message import Message
from textual.widgets import Static

from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import QuerySyntaxError
from ark_tui.domain.hits import SearchResult, Suggestion
from ark_tui.domain.query import Request
from ark_tui.interfaces.tui.state import strings, wording


class NoticeLine(Static):
    """Suggestions, signals that could not run, and errors in the query."""

    ALLOW_SELECT = False

    class Clicked(Message):
        """The suggestion was clicked."""

    def __init__(self) -> None:
        super().__init__()
        self._said = Text()

    def on_mount(self) -> None:
        self.display = False

    def on_click(self) -> None:
        self.post_message(self.Clicked())

    def show(self, result: SearchResult, key: str, saved: str = "", logged: Request | None = None) -> None:
        """Show the messages about a result, most useful first. `key` applies the suggestion.

        `saved`: the saved search, as typed. `logged`: the search from the log.
        """
        said = Text()
        if logged is not None:
            how = [*wording.ranking_facts(logged), wording.filter_text(logged.filters)]
            said.append(f"as logged: {', '.join(visible_line(one) for one in how if one)}   ")
        if saved:
            said.append(f"{visible_line(saved)} is ")
            said.append(f"{visible_line(result.query.raw)}   ", "bold")
        if result.suggestions:
            words = ", ".join(visible_line(suggestion.word) for suggestion in result.suggestions)
            said.append(strings.UNKNOWN_WORDS.format(words=words))
        if any(suggestion.instead for suggestion in result.suggestions):
            said.right_crop(3)
            said.append(strings.DID_YOU_MEAN)
            said.append(visible_line(corrected(result.query.raw, result.suggestions)), "bold")
            said.append(f"?  {key} use suggestion   ")
        for reason, signals in _off(result).items():
            said.append(f"○ {', '.join(signals)} off: {visible_line(reason)}   ")
        self._set(said)

    def point(self, error: QuerySyntaxError) -> None:
        """Mark the invalid character of the query."""
        message = f"{error.what} {error.hint}".strip()
        room = self.app.size.width - 6 - len(message)
        lead = " " * error.column + "▲ " if error.column <= room else f"column {error.column + 1}: "
        self._set(Text(visible_line(f"{lead}{message}")))

    def say(self, text: str) -> None:
        """Show another text."""
        self._set(Text(visible_line(text)))

    def clear(self) -> None:
        """Hide the line."""
        self._set(Text())

    def _set(self, said: Text) -> None:
        """Set the text if it differs: a change of height causes a new layout."""
        if said != self._said:
            self._said = said
            self.display = bool(said.plain)
            self.update(said)


def corrected(query: str, suggestions: Iterable[Suggestion]) -> str:
    """The query with each unknown word replaced by its first suggestion."""
    for suggestion in suggestions:
        for instead in suggestion.instead[:1]:
            pattern = rf"(?<!\w){re.escape(suggestion.word)}(?!\w)"
            query = re.sub(pattern, instead.replace("\\", r"\\"), query, count=1, flags=re.IGNORECASE)
    return query


def _off(result: SearchResult) -> dict[str, list[str]]:
    """Signals that could not run, grouped by reason."""
    reasons: dict[str, list[str]] = {}
    for lamp in result.lamps:
        if lamp.state == "off":
            reasons.setdefault(lamp.reason, []).append(lamp.signal)
    return reasons
