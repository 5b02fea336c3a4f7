"""The shape of the corpus, as every face asks for it: measures taken once per state of the corpus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from ark_tui.domain.analysis import WHATS, Analysis, What
from ark_tui.domain.errors import UsageError
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore

if TYPE_CHECKING:
    from ark_tui.domain.hits import SearchResult
    from ark_tui.domain.query import Request
    from ark_tui.engine.parts import Parts

Search: TypeAlias = "Callable[[Request, Stop], SearchResult]"


class Analysing:
    """`engine.analysis`. `search` is the one that everybody uses: the audit asks it."""

    def __init__(self, parts: Parts, search: Search) -> None:
        self._parts = parts
        self._search = search

    def run(
        self,
        what: Sequence[What] = WHATS,
        *,
        limit: int = 10,  # noqa: ARG002
        resolution: float = 1.0,  # noqa: ARG002
        stop: Stop = NEVER,
        progress: OnProgress = ignore,  # noqa: ARG002
    ) -> Analysis:
        """Take measures, or read those that were taken of the corpus as it stands.

        `limit`: documents per list. `resolution`: of communities, 0.1–5; larger, smaller ones. Raises
        `UsageError` for a measure that there is not, `Cancelled` when stopped; what was finished is kept.
        """
        from ark_tui.engine import activity

        if unknown := [name for name in what if name not in WHATS]:
            raise UsageError(f"There is no measure {unknown[0]}.", f"Measures: {', '.join(WHATS)}.")
        check(stop)
        done = activity.activity(self._parts.store) if "activity" in what else None
        return Analysis(self._parts.store.change(), activity=done)
