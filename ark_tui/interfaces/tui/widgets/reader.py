"""The reader: a document, and navigation along its links."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace
from functools import partial, partialmethod, wraps
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

from rich.cells import cell_len
from textual.content import Content

from ark_tui import operations
from ark_tui.domain.display import visible_line
from ark_tui.domain.errors import ArkError, NotFound
from ark_tui.interfaces.tui.reading.page import Form, Page
from ark_tui.interfaces.tui.reading.text import TAB
from ark_tui.interfaces.tui.state import actions, programs, strings
from ark_tui.interfaces.tui.state.client import Client, act
from ark_tui.interfaces.tui.state.dialogs import Target
from ark_tui.interfaces.tui.state.names import Choice
from ark_tui.interfaces.tui.state.trail import Trail, Visit, Wanted
from ark_tui.interfaces.tui.widgets import ink
from ark_tui.interfaces.tui.widgets.requesting import Requesting
from ark_tui.interfaces.tui.widgets.text_view import TextView

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events

    from ark_tui.domain.documents import Link, Passage
    from ark_tui.domain.reading import Symbol
    from ark_tui.interfaces.tui.reading.markdown import Linked
    from ark_tui.interfaces.tui.reading.sheet import Sheet
    from ark_tui.interfaces.tui.state.context import PaneContext


def when_shown(action: Callable[..., None]) -> Callable[..., None]:
    """Delay an action until the requested document is shown, so that it does not act on the previous one.

    For methods of a part with `once_shown`.
    """

    @wraps(action)
    def waits(self: Any, *given: Any) -> None:
        self.once_shown(partial(action, self, *given))

    return waits


class Reader(Requesting, TextView):
    """A document, and navigation along its links."""

    SCOPES: ClassVar[actions.Scopes] = ("reader", "move")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings(*SCOPES)
    BORDER_TITLE = "Document"
    HELP = strings.HELP_READER

    def __init__(self, context: PaneContext) -> None:
        super().__init__(context, "reader")
        self.trail = Trail()
        self._reading: Visit | None = None  # the document being loaded
        self._next: Visit | None = None  # the next document to load
        self._shown_for: Wanted | None = None  # the request for the document on the screen
        self._gone = False  # the document was removed from the corpus after it was loaded
        self._waiting: list[Callable[[], object]] = []  # actions waiting for a document that is loading

    def want(self, wanted: Wanted) -> None:
        """Show a document and start a new history. The same document keeps its position."""
        base = self.trail.base
        if base is not None and _same(base, wanted):
            if base.refresh != wanted.refresh and self.trail.here is not None:
                self._leave()
                self.trail.refresh(wanted)
                self.fetch(self.trail.here)
            return
        if base is None or base.document != wanted.document:
            self._waiting.clear()
        self.trail.begin(wanted)
        assert self.trail.here is not None
        if wanted == self._shown_for:  # the cursor has returned to this document, which was scrolled before
            self.stay()
        else:
            self.fetch(self.trail.here)

    def again(self) -> None:
        """Reload the document and the history; keep the position."""
        if (base := self.trail.base) is not None:
            self.want(replace(base, refresh=base.refresh + 1))

    def read(self, passage: Passage, lines: tuple[int, int] = (1, 0), query: str = "") -> None:
        """Show a document that is loaded, for a query, and start a new history."""
        self.trail.begin(Wanted(passage.document.id, query, lines))
        assert self.trail.here is not None
        self.begin(self.trail.here, passage)

    def clear(self) -> None:
        """Show nothing."""
        self.trail = Trail()
        self.forget()
        self._shown_for = None
        self._gone = False
        self._waiting.clear()
        self.take_away()

    @property
    def is_coming(self) -> bool:
        """Whether another document than the one shown is loading."""
        here = self.trail.here
        return here is not None and (self.passage is None or self.passage.document.id != here.wanted.document)

    def once_shown(self, do: Callable[[], object]) -> None:
        """Run a callback now, or when the document requested before the key press is shown."""
        if self.is_coming:
            self._waiting.append(do)
        else:
            do()

    @property
    def at(self) -> str:
        """The page, slide, sheet or chapter of the shown chunk, if its file has such."""
        return self.trail.here.wanted.at if self.trail.here else ""

    def say_where(self) -> None:
        """Show title, position, matches and links on the border."""
        if self.shown is None:
            return
        document = self.shown.passage.document
        arrows = ("‹ " if self.trail.behind else "", " ›" if self.trail.ahead else "")
        gone = strings.TITLE_GONE if self._gone else ""
        self.border_title = Content(arrows[0] + visible_line(document.title) + gone + arrows[1])
        line = f" · {self.at}" if self.at else f":{self.shown.line_of(self._piece[0])}"
        place = visible_line(f"{document.path}{line}")
        found = [f"match {self.match + 1} of {len(self._matches)}"] if self._matches else []
        if self.shown.markdown and self.form == "raw":
            found.append("raw")
        room = self.size.width - sum(len(one) + 3 for one in found) - 5
        self.border_subtitle = Content(" · ".join([ink.shorten_start(place, max(12, room)), *found]))

    def reading_failed(self, visit: Visit, error: ArkError) -> None:
        if not self.is_wanted(visit):
            return
        here = self.passage is not None and self.passage.document.id == visit.wanted.document
        if here and isinstance(error, NotFound):  # moved to the trash, perhaps just now in this reader
            self._gone = True
            self.say_where()
        else:
            self.clear()
            self.context.say_error(error)

    def page_arrived(self, asked: Visit, page: Page, sheet: Sheet, laid: tuple[Form, int]) -> None:
        """Show a document, if it is still wanted, at its previous or requested position."""
        visit = self.trail.here
        if not self.is_wanted(asked) or visit is None:
            return
        here = self.passage is not None and self.passage.document.id == page.passage.document.id
        if here and visit.place >= 0:  # a reload keeps the current position
            visit = replace(visit, place=self.place)
        self.shown, self.sheet, self._laid = page, sheet, laid
        self._shown_for = visit.wanted
        self._gone = False
        self._piece = page.stretch(visit.wanted.lines)
        start, end = self._piece
        first = bisect_left(self._matches, (start, 0))
        inside = first < len(self._matches) and self._matches[first][0] < max(end, start + 1)
        if not (here and visit.place >= 0) or self.match >= len(self._matches):
            self.set_reactive(TextView.match, first if inside else min(first, len(self._matches) - 1))
        heading = page.heading(visit.wanted.anchor) if visit.wanted.anchor else None
        if visit.place >= 0:
            self._goal = (visit.place, 0)
        elif heading is not None:
            self._goal = (heading.start, 0)
        else:
            self._goal = (self._matches[first][0] if inside else start, -1)
        self._settle()
        self.say_where()
        self._look_for_astray(page)
        waiting, self._waiting = self._waiting, []
        for do in waiting:
            do()

    @when_shown
    def action_form(self) -> None:
        if self.shown is not None and not self.shown.markdown:
            self.context.say(strings.NOT_MARKDOWN)
        else:
            self.turn_form()

    def fetch(self, visit: Visit) -> None:
        """Load a document. While another one is loading, only the latest request is kept."""
        if self._reading is not None:
            self._next = visit
        else:
            self.begin(visit)

    def begin(self, visit: Visit, passage: Passage | None = None) -> None:
        """Load a document now, even while another one is loading. `passage`: its text, if known."""
        self._reading = visit
        wanted, laid = visit.wanted, (self.form, self.room)

        def prepare(client: Client) -> tuple[Page, Sheet]:
            text = operations.workbench.text
            page = Page(passage or client.call(text, wanted.document, wanted.query))
            return page, page.sheet(*laid)

        self.request(
            prepare,
            lambda made: self.page_arrived(visit, *made, laid),
            partial(self.reading_failed, visit),
            group="reading",
            exclusive=False,
        )

    def stay(self) -> None:
        """Keep the current document: drop the next request."""
        self._next = None

    def forget(self) -> None:
        """Drop all requests."""
        self._reading = self._next = None

    def is_wanted(self, visit: Visit) -> bool:
        """Whether the loaded document is still requested. If not, load the requested one next."""
        following, here = self._next, self.trail.here
        self.forget()
        if following is not None and following.wanted != visit.wanted:
            self.fetch(following)
            return False
        return here is not None and visit.wanted == here.wanted

    def _look_for_astray(self, page: Page) -> None:
        """Look up which links of a page are broken."""
        links = [
            (link.target, link.wiki)
            for link in page.built.links
            if not (programs.is_elsewhere(link.target) or programs.is_picture(link.target))
        ]

        def found(astray: frozenset[tuple[str, bool]]) -> None:
            page.astray = astray
            self.say_where()
            self.refresh()

        if links:
            self.request(
                act(operations.workbench.astray, page.passage.document.id, links), found, group="astray"
            )

    def follow(self, linked: Linked) -> None:
        """Follow a link. A web address is shown first."""
        if programs.is_elsewhere(linked.target):
            self.context.dialogs.address(linked.target)
        elif programs.is_picture(linked.target):
            self.context.say(strings.NO_PICTURES)
        elif self.trail.here is not None:
            document = self.trail.here.wanted.document
            found = act(operations.workbench.follow, document, linked.target, wiki=linked.wiki)
            self.request(found, self._go_along, group="following")

    def _go_along(self, found: Link) -> None:
        here = self.passage
        if found.document is not None and here is not None and found.document.id == here.document.id:
            self._go_within(found.anchor)
        elif found.document is not None:
            self.visit(found.document.id, anchor=found.anchor)
        elif found.candidates:
            self._ask_which(found)
        else:
            self.context.say(strings.LINK_TO_NOTHING.format(target=found.target), "warning")

    def _go_within(self, anchor: str) -> None:
        heading = self.shown.heading(anchor) if self.shown and anchor else None
        if heading is not None:
            self._jump(heading.start)
        elif anchor:
            self.context.say(strings.NO_SUCH_HEADING.format(heading=anchor), "warning")
        else:
            self._jump(0)

    def _ask_which(self, found: Link) -> None:
        choices = [
            Choice(visible_line(candidate.title), visible_line(f"{candidate.collection}/{candidate.path}"))
            for candidate in found.candidates
        ]

        def chosen(number: int) -> None:
            self.visit(found.candidates[number].id, anchor=found.anchor)

        self.context.dialogs.pick(f"Which {found.target}?", choices, chosen)

    def _leave(self) -> None:
        """Store the position in the history, unless the document is still loading."""
        here = self.trail.here
        if here is not None and self.passage is not None and self.passage.document.id == here.wanted.document:
            self.trail.leave(self.place)

    def visit(self, document: str, *, anchor: str = "", lines: tuple[int, int] = (1, 0)) -> None:
        """Go to another document and add it to the history."""
        query = self.trail.here.wanted.query if self.trail.here else ""
        refresh = self.trail.here.wanted.refresh if self.trail.here else 0
        self._leave()
        self.trail.go(Wanted(document, query, lines, anchor, refresh=refresh))
        assert self.trail.here is not None
        self.fetch(self.trail.here)
        self.request(act(operations.workbench.opened, document), group="uses", exclusive=False)

    def _jump(self, place: int) -> None:
        """Go to another position in the document and add it to the history."""
        if self.trail.here is None:
            return
        wanted = self.trail.here.wanted
        self._leave()
        self.trail.go(wanted)
        self.trail.leave(place)
        self.go_to(place)
        self.say_where()
        self.refresh()

    def _step(self, *, forward: bool) -> None:
        before = self.trail.here
        self._leave()
        visit = self.trail.forward() if forward else self.trail.back()
        if visit is None or before is None:
            self.context.say(strings.NO_WAY_FORWARD if forward else strings.NO_WAY_BACK)
        elif visit.wanted.document == before.wanted.document and self.shown is not None:
            self.go_to(max(0, visit.place))
            self.say_where()
            self.refresh()
        else:
            self.fetch(visit)

    action_backward = partialmethod(_step, forward=False)
    action_forward = partialmethod(_step, forward=True)

    def step_back(self) -> bool:
        """Go one step back in the history. Return whether there was one."""
        if self.trail.behind:
            self.action_backward()
            return True
        return False

    @when_shown
    def action_contents(self) -> None:
        """Choose a heading, page or symbol of the document."""
        if self.shown is None:
            return
        if self.shown.markdown:
            self._pick_heading(
                [(heading.level, heading.text, heading.start) for heading in self.shown.built.headings]
            )
        else:
            symbols = act(operations.workbench.symbols, self.shown.passage.document.id)
            self.request(symbols, self._pick_symbol, group="symbols")

    def _pick_symbol(self, found: tuple[Symbol, ...]) -> None:
        self._pick_heading([(one.level, one.name, one.start_char) for one in found])

    def _pick_heading(self, headings: list[tuple[int, str, int]]) -> None:
        page = self.shown
        if page is None or not headings:
            self.context.say(strings.NO_HEADINGS)
            return
        least = min(level for level, _, _ in headings)
        choices = [
            Choice("  " * (level - least) + (text or "—"), str(page.line_of(start)))
            for level, text, start in headings
        ]
        here = bisect_right([start for _, _, start in headings], self.place) - 1

        self.context.dialogs.pick(
            "Contents", choices, lambda number: self._jump(headings[number][2]), max(0, here)
        )

    @when_shown
    def action_links(self) -> None:
        """Choose a link of the document and follow it. The first visible one is proposed."""
        links = self.shown.built.links if self.shown else ()
        self._pick_link(bisect_left(links, self.place, key=attrgetter("start")) % max(1, len(links)))

    def _pick_link(self, first: int) -> None:
        page = self.shown
        if page is None or not page.built.links:
            self.context.say(strings.NO_LINKS)
            return
        links = page.built.links
        choices = [
            Choice(
                visible_line(one.label or one.target),
                visible_line(one.target),
                state=strings.LEADS_NOWHERE if page.leads_nowhere(number) else "",
            )
            for number, one in enumerate(links)
        ]
        follow = strings.DOES_FOLLOW
        self.context.dialogs.pick(
            "Links", choices, lambda number: self.follow(links[number]), first, does=follow
        )

    @when_shown
    def action_about(self) -> None:
        """Show backlinks, similar documents and metadata."""
        if self.passage is None:
            return

        def chosen(target: Target) -> None:
            document, line = target
            self.visit(document, lines=(line, line) if line else (1, 0))

        self.context.dialogs.about(self.passage.document, chosen)

    def on_click(self, event: events.Click) -> None:
        """A click on a link shows where it leads; a key follows it."""
        offset = event.get_content_offset(self)
        if offset is None or self.shown is None or not self.sheet or self.text_selection:
            return
        row = offset.y + self.scroll_offset.y
        column = offset.x - self.sheet.gutter - 2
        if row >= len(self.sheet) or column < 0:
            return
        found = self._link_of(row, column)
        if found >= 0:
            self._pick_link(found)

    def _link_of(self, row: int, column: int) -> int:
        assert self.sheet is not None
        assert self.shown is not None
        at = 0
        for piece in self.sheet.pieces(row):
            width = cell_len(piece.text.replace("\t", TAB))
            if at <= column < at + width and piece.source >= 0:
                inside = column - at if piece.verbatim and piece.text.isascii() else 0
                return self.shown.link_at(piece.source + inside)
            at += width
        return -1


def _same(a: Wanted, b: Wanted) -> bool:
    """Whether both requests show the same part of a document. After a reload the chunk may have moved."""
    same = (a.document, a.query, a.anchor) == (b.document, b.query, b.anchor)
    return same and (a.lines == b.lines or a.refresh != b.refresh)
