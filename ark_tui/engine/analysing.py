"""The shape of the corpus, as every face asks for it: measures taken once per state of the corpus."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

from ark_tui.domain.analysis import WHATS, Analysis, Graph, What
from ark_tui.domain.errors import UsageError
from ark_tui.domain.hits import SearchResult
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.query import Request
from ark_tui.engine import activity, auditing
from ark_tui.engine.journal import Journal
from ark_tui.engine.measures import Measures
from ark_tui.engine.services import Services
from ark_tui.engine.survey import Survey

Search: TypeAlias = "Callable[[Request, Stop], SearchResult]"
Look: TypeAlias = "Callable[[Stop], None]"

LEAST, MOST = 0.1, 5.0  # resolution of communities


class Analysing:
    """`engine.analysis`.

    `journal` keeps searches; `search` is the one that everybody uses: the audit asks it. `look` takes up
    what another process left.
    """

    def __init__(self, parts: Services, journal: Journal, search: Search, look: Look) -> None:
        self._parts = parts
        self._journal = journal
        self._search = search
        self._look = look

    def run(
        self,
        what: Sequence[What] = WHATS,
        *,
        limit: int = 10,
        resolution: float = 1.0,
        stop: Stop = NEVER,
        progress: OnProgress = ignore,
    ) -> Analysis:
        """Take measures, or read those that were taken of the corpus as it stands.

        `limit`: documents per list. `resolution`: of communities, 0.1–5; larger, smaller ones. Raises
        `UsageError` for an unknown measure, `Cancelled` when stopped; what was finished is kept.
        """
        begun = time.monotonic()
        _checked(what, limit, resolution)
        check(stop)
        self._look(stop)
        survey = Survey(self._parts, resolution=resolution, stop=stop, progress=progress)
        return self._run(what, limit, survey, begun)

    def _run(self, what: Sequence[What], limit: int, survey: Survey, begun: float) -> Analysis:
        measures = Measures(survey, limit)
        made: dict[str, object] = {}
        for name in what:
            check(survey.stop)
            if name == "activity":
                self._journal.settle()
                made[name] = activity.activity(self._parts.store)
            elif name == "audit":
                made[name] = auditing.audit(survey, self._search)
            else:
                made[name] = getattr(measures, name)()
        graph = measures.graph() if {*what} - {"activity", "audit", "novelty"} else Graph()
        return Analysis(
            survey.view.change if survey.view else self._parts.store.change(),
            survey.model, graph, cached=tuple(name.partition("-")[0] for name in survey.kept.read),
            took_s=time.monotonic() - begun,
            **made,  # type: ignore[arg-type]
        )  # fmt: skip


def _checked(what: Sequence[What], limit: int, resolution: float) -> None:
    if unknown := [name for name in what if name not in WHATS]:
        raise UsageError(f"There is no measure {unknown[0]}.", f"Measures: {', '.join(WHATS)}.")
    if limit < 1:
        raise UsageError(f"A limit of {limit} makes no sense.", "Ask for at least one document: -n 10")
    check_resolution(resolution)


def check_resolution(resolution: float) -> None:
    """Raise `UsageError` for one that communities do not have."""
    if not LEAST <= resolution <= MOST:
        raise UsageError(
            f"A resolution of {resolution:g} makes no sense.", f"It lies between {LEAST:g} and {MOST:g}."
        )
