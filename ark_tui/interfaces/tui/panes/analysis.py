"""The analysis pane: one measure of the corpus at a time, with its documents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual import events, getters, on
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static
from textual.worker import get_current_worker

from ark_tui import operations
from ark_tui.domain.display import visible_line
from ark_tui.interfaces.reports.measures import MEASURES, Measure, Row, View
from ark_tui.interfaces.tui.panes.pane import Pane
from ark_tui.interfaces.tui.state import actions, strings
from ark_tui.interfaces.tui.state.messages import WorkAsked
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.paged_list import ListDetail
from ark_tui.interfaces.tui.widgets.row_list import RowList, Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from ark_tui.domain.errors import ArkError
    from ark_tui.domain.work import Progress, Status
    from ark_tui.interfaces.tui.state.client import Client
    from ark_tui.interfaces.tui.state.context import PaneContext

CLOSEST = 32
"""Maximum zoom of a map."""

LEAST = 6
"""Minimum rows of a chart that has notes below it."""

DOCUMENTS = 20
"""Documents listed per measure."""


class Measures(Rows[Measure]):
    """List of the measures."""

    KEY = "name"
    BORDER_TITLE = "Measures"

    def __init__(self) -> None:
        super().__init__("measures")
        self.rows = MEASURES

    def pieces(self, row: Measure, _part: int, width: int) -> list[ink.Piece]:
        return [(ink.shorten(row.name, width), self.ink("strong"))]


class Found(Rows[Row]):
    """List of the documents of a measure."""

    BORDER_TITLE = "Documents"

    def key_of(self, row: Row) -> str:
        return row[0].id

    def show(self, rows: tuple[Row, ...]) -> None:
        """Show documents from the first one."""
        self.put(rows)
        self.border_subtitle = Content(str(len(rows)) if rows else "none")

    def pieces(self, row: Row, _part: int, width: int) -> list[ink.Piece]:
        document, why = row
        room = max(width // 2, width - 2 - cell_len(visible_line(document.title)))
        right: list[ink.Piece] = [(f"  {ink.shorten(visible_line(why), room)}", self.ink("muted"))]
        return ink.ended(document.title, Style.null(), right, width)


class Chart(Static):
    """Chart of a measure."""

    ALLOW_SELECT = False

    @dataclass
    class Clicked(Message):
        """A cell of the chart was clicked."""

        column: int
        row: int

    def __init__(self) -> None:
        super().__init__(id="chart", classes="panel")

    def on_click(self, event: events.Click) -> None:
        if at := event.get_content_offset(self):
            self.post_message(self.Clicked(at.x, at.y))


class AnalysisPane(ListDetail, Pane):
    """A list of measures, the chart of the selected one, and its documents."""

    SCOPES: ClassVar[actions.Scopes] = ("analysis",)
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings(*SCOPES)
    BORDER_TITLE = "Analysis"
    HELP = strings.HELP_ANALYSIS
    PAUSE = 0.15

    measures = getters.query_one(Measures)
    found = getters.query_one(Found)
    chart = getters.query_one(Chart)

    def __init__(self, context: PaneContext) -> None:
        super().__init__(context, id="analysis")
        self._views: dict[tuple[int, int], View] = {}  # by measure and corpus state
        self._whole: View | None = None  # the view as it was computed
        self._view: View | None = None  # the part under the lens
        self._times = 1  # zoom factor of the lens on a map
        self.showing = -1  # index of the measure shown; -1: none
        self._taking = -1  # index of the measure being computed; -1: none
        self._empty = False  # last known state of the corpus

    @property
    def listed(self) -> Measures:
        return self.measures

    def compose(self) -> ComposeResult:
        yield Measures()
        with Vertical(id="shape"):
            yield Chart()
            yield Found("found")

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    def shown(self) -> None:
        """The pane was opened: the corpus may have changed."""
        self.show_here()

    def show_status(self, status: Status) -> None:
        """Draw again after a change of the corpus, if there was nothing to draw before."""
        self._empty = status.documents == 0
        if self.display and self._view is not None and self._view.chart is None:
            self.show_here()

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """Enable the lens only on maps, and stopping only during a computation."""
        if action in {"closer", "farther"}:
            return self._view is not None and bool(self._view.points)
        return self._taking >= 0 if action == "cancel" else True

    @on(RowList.Chosen, "#measures")
    def show_here(self) -> None:
        number = self.measures.cursor
        context = self.context
        change = context.opening.news.change if context.opening.opened else -1
        known = self._views.get((number, change))
        self.workers.cancel_group(self, "measure")
        if known is not None:
            self._taking = -1
            self._show(number, known)
        else:
            self._taking = number
            self._say(number, "Measuring")
            ended, failed = partial(self._ended, number), partial(self._failed, number)
            self.request(partial(self._measured, number), ended, failed, group="measure")

    def _measured(self, number: int, client: Client) -> tuple[View, int]:
        """Compute a measure and return its view and corpus state. Runs in a thread."""
        worker = get_current_worker()

        def progress(at: Progress) -> None:
            self.call_back(worker, partial(self._progress, number, at))

        client = replace(client, progress=progress)
        found = client.call(operations.workbench.measure, MEASURES[number].what, DOCUMENTS)
        return MEASURES[number].view(found), found.change

    def _progress(self, number: int, at: Progress) -> None:
        count = f" {at.done:,} of {at.total:,}" if at.total else f" {at.done:,}" if at.done else ""
        self._say(number, f"Measuring: {at.stage}{count}")

    def _ended(self, number: int, found: tuple[View, int]) -> None:
        self._taking, (view, change) = -1, found
        if view.chart is not None:  # arriving vectors alone are no change
            self._views[(number, change)] = view
        self._show(number, view)

    def _failed(self, number: int, error: ArkError) -> None:
        self._taking = -1
        self._say(number, self.context.worded(error.told), working=False)

    def _say(self, number: int, text: str, *, working: bool = True) -> None:
        """Show the progress of a measure in place of its chart."""
        self._whole, self._view, self.showing = None, None, -1
        self.found.show(())
        self.refresh_bindings()
        key = self.context.keys["analysis.cancel"]
        self._title(number, f"{key} cancels" if working else "")
        self.chart.update(Text(visible_line(f" {text} …" if working else f" {text}")))

    def _show(self, number: int, view: View) -> None:
        if view.chart is None and self._empty:
            index, sample = self.context.keys["everywhere.index"], self.context.keys["everywhere.sample"]
            view = View(
                None,
                strings.MEASURE_NEEDS_DOCUMENTS.format(
                    nothing=strings.NOTHING_TO_MEASURE, index=index, sample=sample
                ),
            )
        self._whole, self.showing, self._times = view, number, 1
        self._look(view)

    def _look(self, view: View) -> None:
        """Show a view, or its part under the lens."""
        self._view = view
        self._title(
            self.showing, visible_line(self.context.worded(view.said)) if view.chart is not None else ""
        )
        self.found.show(view.rows)
        self.found.display = bool(view.rows) or view.chart is None  # use the space of the chart
        self.refresh_bindings()
        self.call_after_refresh(self._draw)

    def _title(self, number: int, said: str) -> None:
        measure = MEASURES[number]
        self.chart.border_title = Content(f"{measure.name}: {measure.about}")
        self.chart.border_subtitle = Content(said)

    def _draw(self) -> None:
        view, size = self._view, self.chart.content_size
        if view is None or size.width < 1:
            return
        if view.chart is None:
            said = [visible_line(self.context.worded(one)) for one in (view.said, view.notice) if one]
            self.chart.update(Text("\n".join(f" {one}" for one in said or [strings.NOTHING_TO_MEASURE])))
            return
        from ark_tui.interfaces.reports import charts, plots

        chart = view.pointing(self.found.cursor)
        assert chart is not None
        notes = self._notes(view)
        facts = [f"{name:<12} {plots.short(value, size.width - 13)}" for name, value in view.facts]
        height = self._height(notes)
        left = height - len(facts) - 1 if facts else height
        if left < LEAST and facts:  # only the facts
            more = len(facts) - height + 1
            facts = facts if more <= 1 else [*facts[: height - 1], f"… {more} more"]
            chart = replace(chart, bars=()) if isinstance(chart, charts.Bars) else chart
        drawn = plots.drawn(chart, size.width, left)
        drawn.spans = [span._replace(style=ink.family(self, str(span.style))) for span in drawn.spans]
        parts = [Text(line) for line in [*facts, ""]] if facts and drawn else [Text(line) for line in facts]
        picture = Text("\n").join([*parts, drawn] if drawn else parts)
        drawn_rows = picture.plain.count("\n") + 1
        picture.append("\n" * (1 + max(0, height - drawn_rows)) if notes else "")
        picture.append_text(Text("\n").join(notes))
        self.chart.update(picture)

    def _height(self, notes: Sequence[Text]) -> int:
        """Rows available for the chart, without its notes."""
        return max(self.chart.content_size.height - len(notes), LEAST)

    def _notes(self, view: View) -> list[Text]:
        """How to read the chart and what it cannot show for this corpus, if there is space."""
        width, height = self.chart.content_size
        if height <= LEAST + 2:
            return []
        warning, muted = ink.ink(self, "warning"), ink.ink(self, "muted")
        return [
            Text(line, style)
            for text, style in ((view.notice, warning), (MEASURES[self.showing].read, muted))
            for line in wrap(visible_line(self.context.worded(text)), max(width, 20))
        ]

    @on(RowList.Moved, "#found")
    def _pointed(self) -> None:
        """Mark the document under the cursor on the map."""
        if self._view is not None and self._view.points:
            self._draw()

    @on(Chart.Clicked)
    def _clicked(self, event: Chart.Clicked) -> None:
        """Move the cursor to the document nearest to the click on a map."""
        from ark_tui.interfaces.reports import charts, plots

        view, width = self._view, self.chart.content_size.width
        if view is None or not view.points or not isinstance(view.chart, charts.Map):
            return
        height = self._height(self._notes(view))
        point = plots.pointed_at(view.chart, width, height, event.column, event.row)
        row = view.nearest(*point) if point is not None else None
        if row is not None:
            self.found.focus()
            self.found.move_to(row)

    @on(RowList.Chosen, "#found")
    def _document_chosen(self) -> None:
        if self.found.here is not None:
            self.context.dialogs.read(self.found.here[0].id)

    def action_open(self) -> None:
        """Open the document under the cursor, or compute the selected measure again."""
        (self.found if self.found.has_focus else self.measures).action_open()

    def action_closer(self) -> None:
        """Zoom the map around the document under the cursor and list the visible documents."""
        self._enlarge(min(self._times * 2, CLOSEST))

    def action_farther(self) -> None:
        self._enlarge(max(self._times // 2, 1))

    def _enlarge(self, times: int) -> None:
        whole, view = self._whole, self._view
        if whole is None or view is None or not view.points or times == self._times:
            return
        document = view.rows[min(self.found.cursor, len(view.rows) - 1)][0]
        row = next(number for number, (one, _) in enumerate(whole.rows) if one.id == document.id)
        self._times = times
        self._look(whole.under_lens(times, row))
        self.found.move_to(next(n for n, (one, _) in enumerate(self.found.rows) if one.id == document.id))

    def action_everything(self) -> None:
        self.post_message(WorkAsked("analyse"))

    def action_cancel(self) -> None:
        number, self._taking = self._taking, -1
        self.workers.cancel_group(self, "measure")
        self._say(
            number, strings.MEASURE_STOPPED.format(key=self.context.keys["analysis.open"]), working=False
        )
