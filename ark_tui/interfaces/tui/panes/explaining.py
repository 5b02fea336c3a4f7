"""Why hits are where they are: looked up once their list stands still, since typing must not wait for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual import getters, on

from ark_tui import operations
from ark_tui.domain.display import visible_line
from ark_tui.interfaces.tui.panes.judging import Judging
from ark_tui.interfaces.tui.state.choice import Choice
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.widgets.breakdown import Breakdown
from ark_tui.interfaces.tui.widgets.pausing import anew
from ark_tui.interfaces.tui.widgets.reader import Reader

if TYPE_CHECKING:
    from textual.timer import Timer

    from ark_tui.domain.hits import Hit, SearchResult
    from ark_tui.domain.query import Request
    from ark_tui.domain.reasons import Source

PAUSE = 0.3
"""Seconds that the hits of a search have to stand before their reasons are looked up."""

SAME = 1e-6
"""What the scores of a hit may differ by where it is still the same."""


class Explaining(Judging):
    """Hits with their reasons, and the passages that open from there."""

    reader = getters.query_one(Reader)
    breakdown = getters.query_one(Breakdown)

    def __init__(self, *, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id)
        self.asked: Request | None = None  # the search that is shown
        self._reasons: dict[str, Hit] = {}  # the hits with their reasons, by their documents
        self._rest: Timer | None = None

    @property
    def explained(self) -> bool:
        """Whether the reasons of the hits are there."""
        return bool(self._reasons)

    def go_to(self, part: str) -> None:
        """Focus a part by its id."""
        raise NotImplementedError

    def look_up_reasons(self) -> None:
        """Forget those of other hits; those of these come in a moment."""
        self._reasons = {}
        if self.result is not None and self.result.hits and not self.result.partial:
            self._rest = anew(self, self._rest, PAUSE, self._look_up)

    def stop_looking_up(self) -> None:
        """Look no reasons up, for other hits are searched for: they cost more than the search."""
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
        """Show why the hit under the cursor is there, and mark in its text what earned it that."""
        hit = self.results.hit
        known = self._reasons.get(hit.document.id) if hit else None
        fits = hit is not None and known is not None and abs(known.score - hit.score) < SAME
        shown = known if fits else hit
        self.breakdown.show(self.result, shown)
        self.reader.mark(shown.document.id if shown else "", list(self._spans(shown)) if shown else [])

    def _spans(self, hit: Hit) -> Iterator[tuple[int, int, str]]:
        """What in the document earned a part, with the family of its signal; the larger part comes first."""
        for part in sorted(hit.parts, key=lambda part: -part.contribution):
            family = self.context.signals[part.name].family if part.name in self.context.signals else ""
            for reason in part.reasons if part.contribution > 0 else ():
                for start, end in reason.spans:
                    yield hit.chunk.start_char + start, hit.chunk.start_char + end, family

    # -- what opens from there -----------------------------------------------------------------------

    @on(Breakdown.Opened)
    def _passages_opened(self, event: Breakdown.Opened) -> None:
        event.stop()
        sources = event.sources
        if not sources:
            self.context.say("No part of this hit comes from another passage.")
        elif len(sources) == 1:
            self._open(sources[0])
        else:
            choices = [
                Choice(visible_line(one.title), visible_line(f"{one.path}:{one.start_line}"))
                for one in sources
            ]
            self.context.dialogs.pick("Which passage?", choices, lambda at: self._open(sources[at]))

    def _open(self, source: Source) -> None:
        self.go_to("reader")
        self.reader.visit(source.document, lines=(source.start_line, source.end_line))
