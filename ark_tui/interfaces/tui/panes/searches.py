"""The log of searches: the results of each, then and today."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from rich.style import Style
from textual import getters
from textual.content import Content
from textual.widgets import Static

from ark_tui import operations
from ark_tui.domain.display import visible_line
from ark_tui.domain.memory import DEFAULT
from ark_tui.domain.query import MODES
from ark_tui.domain.searches import Answer, Move, Rerun, Retrieval
from ark_tui.interfaces.tui.panes.history_view import HistoryView
from ark_tui.interfaces.tui.state import strings, wording
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.state.messages import SearchAsked
from ark_tui.interfaces.tui.state.wording import moment
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.paged_list import PagedList, Read
from ark_tui.interfaces.tui.widgets.row_list import Rows
from ark_tui.interfaces.tui.widgets.scrolling import Column

if TYPE_CHECKING:
    from rich.table import Table
    from textual.app import ComposeResult

    from ark_tui.domain.errors import ArkError
    from ark_tui.interfaces.tui.state.colours import Name
    from ark_tui.interfaces.tui.state.context import PaneContext

KINDS = ("moved", "came", "went")
"""Ways in which a document's rank can change, in the order of the summary."""

COLOURS: dict[str, Name] = {"came": "accent", "went": "warning", "moved": "strong", "stayed": "muted"}


class Log(PagedList[Retrieval]):
    """Searches, two lines each: query and time; retrieval id, ranking and agent."""

    KEY = "id"
    BORDER_TITLE = "Searches"
    ROW_HEIGHT = 2
    NEWEST_FIRST = True
    empty = "Reading …"

    def pieces(self, row: Retrieval, part: int, width: int) -> list[ink.Piece]:
        muted = self.ink("muted")
        if part == 0:
            return ink.ended(row.query, self.ink("strong"), [(f"  {moment(row.at)}", muted)], width)
        said = (row.id, row.request.mode, row.request.profile, f"agent {row.request.agent or DEFAULT}")
        about = " · ".join(visible_line(one) for one in said if one not in (MODES[0], DEFAULT))
        return [(ink.shorten(about, width), muted)]


class Answers(Rows["Answer | Move"]):
    """The results of a search. After a rerun also documents that are new, missing or moved."""

    KEY = "document"
    BORDER_TITLE = "Answers"

    def __init__(self) -> None:
        super().__init__("answers")
        self._steady = False  # no document has moved

    def show(self, rows: tuple[Answer | Move, ...], title: str, said: str, nothing: str = "") -> None:
        """Show documents from the first one."""
        self.empty = nothing
        self._steady = all(isinstance(row, Move) and row.kind == "stayed" for row in rows)
        self.border_title, self.border_subtitle = Content(title), Content(said)
        self.put(rows)

    def pieces(self, row: Answer | Move, _part: int, width: int) -> list[ink.Piece]:
        muted = self.ink("muted")
        title = visible_line(row.title) or f"deleted document {row.document[:6]}"
        if isinstance(row, Answer):
            left: list[ink.Piece] = [(f"{row.rank:>3}  ", muted)]
            right: list[ink.Piece] = [(f"  {row.score:.3f}", muted)]
            style = Style.null()
        else:
            left, style = self._moved(row)
            right = []
        room = width - ink.cells(left) - ink.cells(right)
        path = ink.shorten_start(visible_line(row.path), max(0, room - len(title) - 2))
        left.append((ink.shorten(title, room), style))
        return ink.justified(left, [(f"  {path}" if len(path) > 6 else "", muted), *right], width)

    def _moved(self, one: Move) -> tuple[list[ink.Piece], Style]:
        before, after = (str(rank) if rank else "–" for rank in (one.before, one.after))
        ranks = before if one.kind == "stayed" else f"{before} → {after}"
        style = self.ink(COLOURS[one.kind])
        if self._steady:
            return [(f"{ranks:>3}  ", style)], Style.null()
        kind = "" if one.kind == "stayed" else one.kind
        return [(f"{ranks:>7}  {kind:<7}", style)], Style(strike=one.kind == "went")


class SearchesView(HistoryView):
    """The log, with the details and results of the search under the cursor."""

    NAME = "Searches"
    NOTHING = strings.NO_SEARCHES
    ON_ROW = frozenset({"open", "copy", "again"})
    FIND_HINT = strings.FIND_SEARCHES_HINT

    log_list = getters.query_one(Log)
    answers = getters.query_one(Answers)
    facts = getters.query_one("#search-facts", Static)

    def __init__(self, context: PaneContext, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(context, id)
        self._read: Retrieval | None = None  # the search whose details are shown
        self.compared: Rerun | None = None
        self._comparing = ""  # the id of the search that is being rerun

    def compose(self) -> ComposeResult:
        yield Log("log", self.context, self._reading)
        with Column(id="search-detail"):
            yield Static(id="search-facts", classes="panel")
            yield Answers()

    def _reading(self) -> Read[Retrieval]:
        searches, words = operations.workbench.searches, self.words
        return lambda client, offset, around: client.call(searches, words, offset, around)

    def nothing_fits(self, words: str) -> str:
        return strings.NO_SEARCH_MATCHES.format(words=words)

    def show_here(self) -> None:
        here = self.log_list.here
        if here is None:
            if not self.log_list.count:
                self._read = self.compared = None
                self.facts.update("")
                self.answers.show((), "Answers", "")
        elif self._read is None or self._read.id != here.id:
            self._stop()
            self.request(act(operations.workbench.logged, here.id), self._show_search, group="search")

    def _show_search(self, search: Retrieval) -> None:
        here = self.log_list.here
        if here is not None and here.id == search.id:
            self._read, self.compared = search, None
            self.facts.border_title = Content(visible_line(search.query))
            self.facts.update(facts(search))
            self._show_answers()

    def _show_answers(self) -> None:
        """Show the original results of a search."""
        one = self._read
        if one is not None:
            key = self.context.keys["history.open"]
            said = strings.COMPARE_HINT.format(count=len(one.answers), key=key)
            self.answers.show(one.answers, "Results then", said, strings.NO_ANSWERS_THEN)

    def _compare(self, search: Retrieval) -> None:
        self._comparing, self.compared = search.id, None
        self.answers.show((), strings.THEN_AND_NOW, "esc stop", strings.COMPARING)
        compared, failed = partial(self._compared, search.id), partial(self._could_not, search.id)
        self.request(act(operations.workbench.rerun, search.id), compared, failed, group="compare")

    def _compared(self, retrieval_id: str, found: Rerun) -> None:
        if retrieval_id != self._comparing:
            return
        self._comparing, self.compared = "", found
        self.answers.show(found.moves, strings.THEN_AND_NOW, summary(found), strings.NO_ANSWERS_NOW)
        self.answers.focus()

    def _could_not(self, retrieval_id: str, error: ArkError) -> None:
        self.context.say_error(error)
        if retrieval_id == self._comparing:
            self._stop()

    def _stop(self) -> bool:
        """Cancel the rerun of a search. Return False if none is running."""
        running = bool(self._comparing)
        if running:
            self._comparing = ""
            self.workers.cancel_group(self, "compare")
            self._show_answers()
        return running

    def action_open(self) -> None:
        """Compare the selected search with today's results, or open the selected document."""
        if self.answers.has_focus:
            if (one := self.answers.here) is not None:
                self.context.dialogs.read(
                    one.document, one.chunk if isinstance(one, Answer) else "", self._query()
                )
        elif self._read is None:
            self.context.say(strings.NO_SEARCH_SELECTED)
        elif self.compared is not None:
            self.answers.focus()
        else:
            self._compare(self._read)

    def _query(self) -> str:
        return self._read.query if self._read else ""

    def action_again(self) -> None:
        if (one := self.log_list.here) is not None:
            self.post_message(SearchAsked(one.request))
        else:
            self.context.say(strings.NO_SEARCH_SELECTED)

    def copied(self) -> tuple[str, str] | None:
        here = self.log_list.here
        return (here.id, strings.COPY_RETRIEVAL_ID.format(id=here.id)) if here is not None else None

    def step_back(self) -> bool:
        if self._stop():
            return True
        if self.compared is not None:
            self.compared = None
            self._show_answers()
            self.log_list.focus()
            return True
        return super().step_back()


def summary(found: Rerun) -> str:
    """`2 moved, 1 came`."""
    kinds = [move.kind for move in found.moves]
    counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in KINDS if kind in kinds)
    return counted or strings.NO_CHANGES


def facts(one: Retrieval) -> Table:
    """The details of a search, in a few lines."""
    asked = one.request
    rows = [
        ("id", one.id),
        ("run", f"{moment(one.at)} by agent {asked.agent or DEFAULT}"),
        ("ranked", ", ".join(wording.ranking_facts(asked))),
        ("filters", wording.filter_text(asked.filters) or strings.NO_FILTERS),
    ]
    return ink.facts(rows)
