"""What was of use: a search is kept once a hit of it is opened, copied or judged, and so is who did that."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ark_tui.domain.errors import ArkError

if TYPE_CHECKING:
    from ark_tui.domain.hits import SearchResult
    from ark_tui.domain.memory import AccessKind
    from ark_tui.domain.query import Request
    from ark_tui.faces.tui.panes.search import SearchPane


class Uses:
    """Notes the uses of hits, each way of using one once for a search. On the thread that paints."""

    def __init__(self, pane: SearchPane) -> None:
        self._pane = pane
        self._kept: tuple[Request, SearchResult] | None = None  # the latest search of which a hit was of use
        self._noted: set[tuple[str, str, AccessKind | None]] = set()  # search, document, how

    def note(self, document: str, kind: AccessKind | None, request: Request, result: SearchResult) -> None:
        """A hit of the search that is shown was of use; `kind` is None where it was judged."""
        request = replace(request, unlogged=False)
        if self._kept is None or not _is_of(document, request, result, *self._kept):
            self._kept = (request, result)
        use = (self._kept[1].retrieval_id, document, kind)
        if use not in self._noted:
            self._noted.add(use)
            write = partial(self._write, *self._kept, document, kind)
            self._pane.run_worker(write, thread=True, group="uses", exit_on_error=False)

    def _write(self, request: Request, result: SearchResult, document: str, kind: AccessKind | None) -> None:
        ark = self._pane.ark
        try:
            engine = ark.opening.wait()
            engine.remember(request, result)  # it may have been typed, run anew for a change, or not be whole
            problem = engine.opened(document, kind, result.retrieval_id) if kind else None
        except ArkError as error:
            problem = error
        if problem is not None:
            ark.call_from_thread(ark.say_error, problem)


def _is_of(document: str, request: Request, result: SearchResult, asked: Request, kept: SearchResult) -> bool:
    """Whether the use of a hit is one of the search that is kept already, not of what is shown now.

    The same search comes back whole after its first stage, and anew when the corpus has changed.
    """
    listed = {hit.document.id for hit in kept.hits}
    new = document not in listed and any(hit.document.id == document for hit in result.hits)
    return asked == request and not kept.partial and not new
