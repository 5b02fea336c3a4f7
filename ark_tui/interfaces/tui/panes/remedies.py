"""Explain why an expected document is not listed, and apply a remedy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ark_tui import operations
from ark_tui.domain.errors import Step, parts_of
from ark_tui.interfaces.tui.state import strings
from ark_tui.interfaces.tui.state.client import act
from ark_tui.interfaces.tui.state.messages import IndexAsked
from ark_tui.interfaces.tui.state.names import Documents

if TYPE_CHECKING:
    from collections.abc import Callable

    from ark_tui.domain.query import Request
    from ark_tui.domain.whynot import Remedy
    from ark_tui.interfaces.tui.panes.hits import Hits


BY_KEY = ("search", "doc restore", "eval judge", "show")
"""Operations that `enter` runs at once."""


def by_key(step: Step) -> bool:
    """Whether `enter` can run a step."""
    return step.name in BY_KEY or (step.name == "index" and bool(step.arguments))


@dataclass
class Remedies:
    """A search and the document that the user expected."""

    hits: Hits
    request: Request
    query: Callable[[str], None]  # runs another query
    run_again: Callable[[Request], None]  # runs the search with other options

    def ask(self) -> None:
        """Ask which document was expected."""
        names = Documents(strings.DOES_EXPLAIN, files=True)
        self.hits.context.dialogs.name(strings.ASK_EXPECTED, names, self._explain)

    def _explain(self, ref: str) -> None:
        request = replace(self.request, typing=False)
        self.hits.context.dialogs.why_not(request, ref, self._apply)

    def _apply(self, remedy: Remedy) -> None:
        """Apply a remedy, or show it as a message if no action can."""
        step = next((one for one in parts_of(remedy.what) if isinstance(one, Step)), Step())
        plain = replace(self.request, typing=False, unlogged=False)
        if remedy.query:
            self.query(remedy.query)
        elif step.name == "search":
            self.run_again(_with(plain, step))
        else:
            self._carry_out(step, remedy)

    def _carry_out(self, step: Step, remedy: Remedy) -> None:
        hits, given = self.hits, step.arguments
        match step.name:
            case "doc restore":
                hits.carry_out(act(operations.curation.untrash, given))
            case "eval judge":
                hits.carry_out(act(operations.judging.judge, given[0], given[1], "++"))
            case "show":
                hits.context.dialogs.read(given[0])
            case "index" if given:
                hits.post_message(IndexAsked(given[0]))
            case _:
                hits.context.say(remedy.what)


def _with(request: Request, step: Step) -> Request:
    """The request with the options of a step."""
    options = dict(step.options)
    return replace(
        request,
        limit=int(options.get("limit", request.limit)),
        below=bool(options.get("below", request.below)),
        superseded=bool(options.get("superseded", request.superseded)),
    )
