"""Outcomes: what was reported of work that was done, one by one and all together."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text
from textual import getters, on
from textual.message import Message
from textual.widgets import Static

from ark_tui import operations
from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import UsageError
from ark_tui.domain.outcomes import Aggregate, Calibration, Event, EventFilter
from ark_tui.domain.wording import counted
from ark_tui.interfaces.tui.panes.history_view import HistoryView
from ark_tui.interfaces.tui.state.wording import moment
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.aiming import Column
from ark_tui.interfaces.tui.widgets.paged_list import PagedList, Read
from ark_tui.interfaces.tui.widgets.sheet import Paragraph, Sheet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from textual.app import ComposeResult

    from ark_tui.domain.paging import Page
    from ark_tui.interfaces.tui.state.client import Client

BARS = "▁▂▃▄▅▆▇█"

FILTERS = {
    "type": "event_type", "verdict": "verdict", "area": "component_area", "estimate": "estimate",
    "session": "session_id", "query": "query_id", "issue": "issue_number", "since": "since",
}  # fmt: skip
"""What events can be narrowed to, by the word before the colon."""


def wanted(words: str, moment_of: Callable[[str], datetime]) -> EventFilter:
    """The filter that words such as `type:validation issue:7 since:yesterday` mean.

    A word without a colon is a type. `moment_of` reads `since:`. Raises `UsageError` for what is no filter.
    """
    given: dict[str, object] = {}
    for word in words.split():
        name, colon, value = word.rpartition(":") if word.count(":") == 1 else word.partition(":")
        field = FILTERS.get(name if colon else "type")
        if field is None or not value:
            raise UsageError(f"Outcomes know no {word}.", f"They know {', '.join(f'{n}:' for n in FILTERS)}")
        if field == "issue_number":
            if not value.isdecimal():
                raise UsageError(f"{value} is no number of an issue.", "Such as issue:7")
            given[field] = int(value)
        else:
            given[field] = moment_of(value) if field == "since" else value
    return EventFilter(**given)  # type: ignore[arg-type]


class Events(PagedList[Event]):
    """Outcome events, two lines each: type, verdict and when; what it is about, and who says so."""

    BORDER_TITLE = "Outcomes"
    HELP = "Every outcome that was reported, the newest first. Enter goes to the search that it is of."
    ROW_HEIGHT = 2
    NEWEST_FIRST = True
    empty = "Reading …"

    def key(self, row: Event) -> object:
        return row.id

    def pieces(self, row: Event, part: int, width: int) -> list[ink.Piece]:
        muted = self.ink("muted")
        if part == 0:
            right: list[ink.Piece] = [
                (f"  {visible_line(row.verdict)}" if row.verdict else "", self.ink("accent"))
            ]
            right.append((f"  {moment(row.at)}" if row.at else "", muted))
            return ink.ended(row.event_type, self.ink("strong"), right, width)
        issue = f"issue {row.issue_number}" if row.issue_number is not None else ""
        said = (issue, row.component_area, row.agent_type or row.agent_id, row.model)
        about = " · ".join(visible_line(one) for one in said if one)
        return [(ink.shorten(about, width), muted)]


class EventText(Sheet):
    """Everything that one event says."""

    BORDER_TITLE = "What it says"
    HELP = "All that was reported with the outcome."

    def tell(self, event: Event | None) -> None:
        """Show an event."""
        self.show([Paragraph(f"{name}  {value}") for name, value in said(event)] if event else ())


class OutcomesView(HistoryView):
    """Events, beside what all of them have in common and what the one under the cursor says."""

    NAME = "Outcomes"
    NOTHING = (
        "No outcome has been reported yet. Assistants report them with their tools, people with ark-tui "
        "outcome."
    )
    ON_ROW = frozenset({"open", "copy"})
    FIND_HINT = "A type, or type: verdict: area: estimate: issue: session: query: since: with a value each."
    HELP = "What was reported of work that was done."
    AT_ONCE = True

    events = getters.query_one(Events)
    text = getters.query_one(EventText)
    totals = getters.query_one("#totals", Static)

    @dataclass
    class TotalsArrived(Message):
        """What all events that match have in common has been read, and how far confidence is right."""

        totals: Aggregate
        known: Calibration

    @dataclass
    class SearchWanted(Message):
        """The person wants to see the search that an outcome is of."""

        retrieval_id: str

    def compose(self) -> ComposeResult:
        yield Events("events", self.context, self._reading)
        with Column(id="event-detail"):
            totals = Static(id="totals", classes="panel")
            totals.border_title = "All of them"
            yield totals
            yield EventText("event")

    def _reading(self) -> Read[Event]:
        return partial(self._page, self.words)

    def _page(self, words: str, client: Client, offset: int, around: str) -> Page[Event]:
        call = client.call
        match = wanted(words, lambda said: call(operations.workbench.moment, said))
        page, totals = call(operations.workbench.events, match, offset, around)
        self.post_message(self.TotalsArrived(totals, call(operations.outcome.calibration)))
        return page

    @on(PagedList.Missed)
    def _missed(self) -> None:
        if self.words:
            self.narrow("")

    def nothing_fits(self, words: str) -> str:
        return f"No outcome fits {words}. esc lists all of them again."

    @on(TotalsArrived)
    def _totals_arrived(self, event: TotalsArrived) -> None:
        self.totals.update(together(event.totals, event.known))

    def show_here(self) -> None:
        self.text.tell(self.events.here)

    # -- actions -------------------------------------------------------------------------------------

    def open(self) -> None:
        one = self.events.here
        if one is not None and one.query_id:
            self.post_message(self.SearchWanted(one.query_id))
        else:
            self.context.say("This outcome names no search that it is of.")

    def copied(self) -> tuple[str, str] | None:
        one = self.events.here
        if one is None:
            return None
        return (
            (one.query_id, f"the retrieval id {one.query_id}")
            if one.query_id
            else (one.id, f"the id {one.id}")
        )


def said(event: Event) -> Iterator[tuple[str, str]]:
    """What an event says, name and value, without what it leaves open."""
    named: tuple[tuple[str, object], ...] = (
        ("type", event.event_type), ("verdict", event.verdict),
        ("when", moment(event.at) if event.at else ""),
        ("issue", event.issue_number), ("area", event.component_area), ("estimate", event.estimate),
        ("took", None if event.duration_ms is None else f"{event.duration_ms:,} ms"),
        ("drift", event.drift_count), ("iterations", event.iteration_count), ("model", event.model),
        ("agent", " ".join(filter(None, [event.agent_type, event.agent_id]))), ("session", event.session_id),
        ("retrieval", event.query_id), ("id", event.id),
    )  # fmt: skip
    for name, value in named:
        if value not in ("", None):
            yield f"{name:<10}", visible_line(str(value))
    if event.payload:
        yield "payload   ", "\n" + json.dumps(event.payload, ensure_ascii=False, indent=2)


def together(all_of_them: Aggregate, known: Calibration) -> Text:
    """What all events have in common, and how often patterns worked by their confidence, in five lines."""
    averages = [counted(all_of_them.count, "outcome")]
    if all_of_them.drift is not None:
        averages.append(f"drift {all_of_them.drift:.1f}")
    if all_of_them.iterations is not None:
        averages.append(f"iterations {all_of_them.iterations:.1f}")
    rows = (
        ("", " · ".join(averages)),
        ("verdicts", _counted(all_of_them.verdicts)),
        ("types", _counted(all_of_them.types)),
        ("areas", _counted(dict(all_of_them.areas))),
        ("worked", calibrated(known)),
    )
    text = Text()
    for name, value in rows:
        if value:
            text.append(f" {name:<9}" if name else " ", "bold")
            text.append(f"{visible_line(value)}\n", Style(bold=not name))
    text.rstrip()
    return text


def calibrated(known: Calibration) -> str:
    """A bar for each tenth of confidence: how often such patterns worked; a dot where none was tried."""
    if known.error is None:
        return ""
    bars = {round(one.least * 10): BARS[round(one.success_rate * (len(BARS) - 1))] for one in known.bins}
    drawn = "".join(bars.get(place, "·") for place in range(10))
    return f"{drawn} by confidence, 0 to 1 · off by {known.error:.2f}"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())
