"""The hits: the list, judgments, and the text and score details of the selected hit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial, partialmethod
from typing import TYPE_CHECKING, ClassVar

from textual import getters, on
from textual.containers import Container

from ark_tui import operations
from ark_tui.domain.curation import BETTER, WORSE
from ark_tui.domain.errors import Step, parts_of
from ark_tui.interfaces.tui.panes.curating import Curating, Reads
from ark_tui.interfaces.tui.state import actions, strings, whynot
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.state.messages import HitUsed, IndexAsked, SearchAsked
from ark_tui.interfaces.tui.state.names import Documents
from ark_tui.interfaces.tui.state.trail import Wanted
from ark_tui.interfaces.tui.widgets.breakdown import Breakdown
from ark_tui.interfaces.tui.widgets.paged_list import ListDetail
from ark_tui.interfaces.tui.widgets.reader import Reader
from ark_tui.interfaces.tui.widgets.requesting import anew
from ark_tui.interfaces.tui.widgets.results import LINES, Results
from ark_tui.interfaces.tui.widgets.row_list import RowList
from ark_tui.operations.operation import WHOLE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.app import ComposeResult
    from textual.timer import Timer

    from ark_tui.domain.curation import Judgment
    from ark_tui.domain.documents import Document
    from ark_tui.domain.hits import Hit, SearchResult, SignalInfo
    from ark_tui.domain.memory import AccessKind
    from ark_tui.domain.query import Request
    from ark_tui.domain.whynot import Remedy, WhyNot
    from ark_tui.interfaces.tui.state.context import PaneContext


PAUSE = 0.3
"""Seconds without list changes before judgments are looked up."""

REASONS_PAUSE = 0.3
"""Seconds without changes before explanations of hits are looked up."""

SAME = 1e-6
"""Tolerance at which two scores of a hit count as equal."""

READING = "-reading"
"""CSS class while a hit is read: the document fills the window; the hits keep a narrow column, or none."""

DENSITIES = tuple(map(str, range(1, LINES + 1)))


class Hits(ListDetail, Reads, Curating):
    """Results, reader and breakdown of one search."""

    SCOPES: ClassVar[actions.Scopes] = ("hits", "curation")
    BINDINGS: ClassVar[actions.Bindings] = actions.bindings("hits")
    BORDER_TITLE = "Hits"
    AT_ONCE = True

    results = getters.query_one(Results)
    reader = getters.query_one(Reader)
    breakdown = getters.query_one(Breakdown)

    def __init__(self, context: PaneContext) -> None:
        super().__init__(id="hits")
        self.context = context
        self.result: SearchResult | None = None
        self.asked: Request | None = None  # the current search
        self._look: Timer | None = None  # until judgments are looked up
        self._rest: Timer | None = None  # until explanations are looked up
        self._reasons: dict[str, Hit] = {}  # explained hits, by document id
        self._refreshes = 0
        self._before = ""  # the active panel before a hit was opened

    def compose(self) -> ComposeResult:
        yield Results()
        with Container(id="side"):
            yield Reader(self.context)
            yield Breakdown()

    def on_mount(self) -> None:
        self.look_as_chosen()

    def look_as_chosen(self) -> None:
        """Apply the chosen panel and the lines per hit."""
        chosen = self.context.remembered
        self.set_class(chosen.panel == "why", "-why")
        self.results.set_lines(int(chosen.lines) if chosen.lines in DENSITIES else self._fitting)

    @property
    def _fitting(self) -> int:
        """Lines per hit if the user has not chosen a number."""
        return LINES - 1 if self.screen.has_class("-narrow") or self.has_class(READING) else LINES

    def on_resize(self) -> None:
        self.look_as_chosen()

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """Disable the panel switch while document and reasons are side by side."""
        turns = self.screen.has_class("-narrow") or self.has_class(READING)
        return turns if action == "turn" else True

    def know(self, signals: Mapping[str, SignalInfo]) -> None:
        """Set the names and descriptions of the signals."""
        self.results.infos = self.breakdown.infos = signals

    def show(self, result: SearchResult, *, same: bool, again: bool) -> None:
        """Show a result from its first hit.

        The cursor stays on its document if the user moved it in the `same` search, or if the query runs
        `again` after a change of the corpus and the user has looked at a hit.
        """
        self.result = result
        self._refreshes += again
        if not (same or again):
            self.stop_reading()
        looked = self.results.moved or self.results.scroll_y > 0 or self.has_focus_within or self.is_reading
        acted = self.results.moved or self.is_reading or bool(self.results.marks)
        self.results.show(result, keep=(again and looked) or (same and acted))
        (self.show_now if again else self.show_soon)()  # painting it at each key press slows typing
        self.look_up_judgments()
        self.look_up_reasons()

    def begin_anew(self) -> None:
        """Start a new record of the user's actions, because the listed query was run again."""
        self.stop_reading()
        self.results.begin_anew()

    def put_off(self) -> None:
        """Cancel pending previews and explanations, because the hits are about to change."""
        self.stay()
        self.stop_looking_up()

    def clear(self) -> None:
        """Show nothing."""
        self.result = None
        self.stop_reading()
        self.results.clear()
        self.show_now()

    @property
    def listed(self) -> Results:
        return self.results

    @property
    def rows(self) -> Results:
        return self.results

    def show_here(self) -> None:
        hit = self.results.hit
        self.show_reasons()
        if hit is None or self.result is None:
            self.reader.clear()
        else:
            lines = (hit.chunk.start_line, hit.chunk.end_line)
            query, at = self.result.query.raw, hit.chunk.place
            wanted = Wanted(hit.document.id, query, lines, at=at, refresh=self._refreshes)
            self.reader.want(wanted)

    def come_to(self, document: str) -> None:
        """Move the cursor to a document, given by its id, if it is listed."""
        ids = [hit.document.id for hit in self.results.hits]
        if document in ids:
            self.results.cursor = ids.index(document)
            self.show_now()

    def _judge(self, step: Mapping[int | None, int]) -> None:
        """Raise or lower the grades of the hits for their query, starting from the stored grades.

        The grades shown meanwhile may be outdated, if they were read before the last key press.
        """
        targets = self.results.targets
        if self.result is None or not targets:
            return
        documents = tuple(hit.document.id for hit in targets)
        for document in documents:
            self.results.grade(document, step[self.results.grades.get(document)])
            self.post_message(HitUsed(document, None))
        self.carry_out(act(operations.workbench.regrade, self.result.query.raw, documents, step))

    action_better = partialmethod(_judge, BETTER)
    action_worse = partialmethod(_judge, WORSE)

    def look_up_judgments(self) -> None:
        """Look up the judgments once the list stops changing."""
        self._look = anew(self, self._look, PAUSE, self._read_judgments)

    def _read_judgments(self) -> None:
        if self.result is not None and self.result.hits and not self.result.partial:
            query = self.result.query.raw
            read = act(operations.judging.judgments, query, WHOLE)
            self.request(read, lambda found: self.show_judgments(query, found.items), group="judgments")

    def show_judgments(self, query: str, found: Sequence[Judgment]) -> None:
        """Show the judgments of a query, if it is still the current one."""
        if self.result is not None and self.result.query.raw == query:
            self.results.show_grades({one.document.id: one.grade for one in found})

    @property
    def explained(self) -> bool:
        """Whether the hits are explained."""
        return bool(self._reasons)

    def look_up_reasons(self) -> None:
        """Drop the explanations of other hits and look up those of the current ones soon."""
        self._reasons = {}
        if self.result is not None and self.result.hits and not self.result.partial:
            self._rest = anew(self, self._rest, REASONS_PAUSE, self._look_up)

    def stop_looking_up(self) -> None:
        """Cancel the lookup for the next search: explanations cost more than the search itself."""
        self.workers.cancel_group(self, "reasons")
        if self._rest is not None:
            self._rest.stop()

    def _look_up(self) -> None:
        if self.asked is not None and self.result is not None:
            self.request(act(operations.workbench.reasons, self.asked), self._take, group="reasons")

    def _take(self, result: SearchResult) -> None:
        self._reasons = {hit.document.id: hit for hit in (*result.hits, *result.below)}
        self.show_reasons()

    def show_reasons(self) -> None:
        """Explain the selected hit and mark the passages that contribute to its score."""
        hit = self.results.hit
        known = self._reasons.get(hit.document.id) if hit else None
        fits = hit is not None and known is not None and abs(known.score - hit.score) < SAME
        shown = known if fits else hit
        self.breakdown.show(self.result, shown)
        self.reader.mark(shown.document.id if shown else "", list(self._spans(shown)) if shown else [])

    def _spans(self, hit: Hit) -> Iterator[tuple[int, int, str]]:
        """The passages behind the parts of the score, with their signal family, largest part first."""
        for part in sorted(hit.parts, key=lambda part: -part.contribution):
            family = self.context.signals[part.name].family if part.name in self.context.signals else ""
            for reason in part.reasons if part.contribution > 0 else ():
                for start, end in reason.spans:
                    yield hit.chunk.start_char + start, hit.chunk.start_char + end, family

    def ask_why_not(self, request: Request) -> None:
        """Ask which document a search should have found, explain why it did not, and apply a remedy."""

        def explain(ref: str) -> None:
            found = act(operations.workbench.why_not, request, ref)
            self.request(found, partial(self._explain, request), group="why-not")

        self.context.dialogs.name(strings.ASK_EXPECTED, Documents("explain", files=True), explain)

    def _explain(self, request: Request, found: WhyNot) -> None:
        remedies = whynot.remedies(found)
        answers = {key: "" if int(key) > 1 else strings.DOES_REMEDY for key in remedies}
        self.context.dialogs.text(
            f"Why not? {request.query}",
            whynot.rows(found, self.context),
            answers,
            lambda key: self._apply(request, remedies[key]),
        )

    def _apply(self, request: Request, remedy: Remedy) -> None:
        """Apply a remedy, or show it as a message if no action can."""
        step = next((one for one in parts_of(remedy.what) if isinstance(one, Step)), Step())
        given = step.arguments
        match step.name:
            case _ if remedy.query:
                self.post_message(SearchAsked(remedy.query))
            case "search":
                self.post_message(SearchAsked(_with(request, step)))
            case "doc restore":
                self.carry_out(act(operations.curation.untrash, given))
            case "eval judge":
                self.carry_out(act(operations.judging.judge, given[0], given[1], "++"))
            case "show":
                self.context.dialogs.read(given[0])
            case "index" if given:
                self.post_message(IndexAsked(given[0]))
            case _:
                self.context.say(remedy.what)

    @on(RowList.Chosen, "#results")
    def _hit_chosen(self) -> None:
        if hit := self.results.hit:
            self.use(hit.document.id, "opened")
        if not self.is_reading:
            self._before = self.context.remembered.panel
        self.add_class(READING)
        self._turn_to("reader")
        self.call_after_refresh(self.reader.focus)

    @property
    def is_reading(self) -> bool:
        """Whether a hit fills the window."""
        return self.has_class(READING)

    def stop_reading(self) -> None:
        """Close the full-window document and restore the previous panel."""
        if self.is_reading:
            self.remove_class(READING)
            self._turn_to(self._before)

    def action_turn(self) -> None:
        self._turn_to("reader" if self.has_class("-why") else "why")

    def _turn_to(self, panel: str) -> None:
        self.context.remember(panel=panel)
        self.look_as_chosen()

    def action_density(self) -> None:
        self.context.remember(lines=str(self.results.ROW_HEIGHT - 1 or LINES))
        self.look_as_chosen()

    def step_match(self, step: int) -> None:
        if not self.reader.display:
            self._turn_to("reader")
        else:
            super().step_match(step)

    @property
    def _has_gone_on(self) -> bool:
        """Whether the focus is in the reader and links have led to a document other than the hit."""
        hit, here = self.results.hit, self.reader.trail.here
        away = hit is not None and here is not None and here.wanted.document != hit.document.id
        return self.reader.has_focus and away

    def _marked(self) -> tuple[Document, ...]:
        return () if self._has_gone_on else super()._marked()

    def _here(self) -> Document | None:
        return self._read_or_say() if self._has_gone_on else super()._here()

    def use(self, document: str, kind: AccessKind) -> None:
        self.post_message(HitUsed(document, kind))

    def once_shown(self, do: Callable[[], object]) -> None:
        """Run an action on the document in the reader: that of the selected hit, unless it has the focus."""
        if not self.reader.has_focus:
            if self.reader.trail.behind:  # links have led away from the hit
                self.reader.clear()
            self.show_now()
        super().once_shown(do)

    def copied(self) -> tuple[str, int, int]:
        """The matching chunk of the selected hit; in the reader, what is selected or in view there."""
        hit = self.results.hit
        if self.reader.has_focus or hit is None:
            return super().copied()
        return self.reader.piece(), hit.chunk.start_line, hit.chunk.end_line


def _with(request: Request, step: Step) -> Request:
    """The request with the options of a step."""
    options = dict(step.options)
    return replace(
        request,
        limit=int(options.get("limit", request.limit)),
        below=bool(options.get("below", request.below)),
        superseded=bool(options.get("superseded", request.superseded)),
        unlogged=False,
    )
