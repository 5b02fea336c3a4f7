"""Judging hits by keys: whether they answer the query that they were found by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import getters

from ark_tui import operations
from ark_tui.domain.curation import BETTER, WORSE
from ark_tui.interfaces.tui.panes.curating import Curating
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.state.messages import HitUsed
from ark_tui.interfaces.tui.widgets.pausing import anew
from ark_tui.interfaces.tui.widgets.results import Results
from ark_tui.operations.page import WHOLE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.timer import Timer

    from ark_tui.domain.curation import Judgment
    from ark_tui.domain.hits import SearchResult

PAUSE = 0.3
"""Seconds that the list has to stand still before it is looked up how its hits were judged."""


class Judging(Curating):
    """What holds the results of a search: they are curated as documents are, and judged."""

    results = getters.query_one(Results)

    def __init__(self, *, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id)
        self.result: SearchResult | None = None
        self._look: Timer | None = None

    @property
    def rows(self) -> Results:
        return self.results

    def action_better(self) -> None:
        self._judge(BETTER)

    def action_worse(self) -> None:
        self._judge(WORSE)

    def _judge(self, step: Mapping[int | None, int]) -> None:
        """Judge hits for the query that they were found by; how depends on the grade each has in the store.

        What is shown meanwhile may be older: a look at the store that began before the last key.
        """
        targets = self.results.targets
        if self.result is None or not targets:
            return
        documents = tuple(hit.document.id for hit in targets)
        for document in documents:
            self.results.grade(document, step[self.results.grades.get(document)])
            self.post_message(HitUsed(document, None))
        self.carry_out(act(operations.workbench.regrade, self.result.query.raw, documents, step))

    def look_up_judgments(self) -> None:
        """Show how the hits were judged, once the list stands still."""
        self._look = anew(self, self._look, PAUSE, self._read_judgments)

    def _read_judgments(self) -> None:
        if self.result is not None and self.result.hits and not self.result.partial:
            query = self.result.query.raw
            read = act(operations.judging.judgments, query, WHOLE)
            self.request(read, lambda found: self.show_judgments(query, found.items), group="judgments")

    def show_judgments(self, query: str, found: Sequence[Judgment]) -> None:
        """Show how hits were judged for a query, if that is still the one."""
        if self.result is not None and self.result.query.raw == query:
            self.results.show_grades({one.document.id: one.grade for one in found})
