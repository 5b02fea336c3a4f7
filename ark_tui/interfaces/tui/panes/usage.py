"""What was of use: a search is kept once a hit of it is opened, copied or judged, and so is who did that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ark_tui.domain.hits import SearchResult
    from ark_tui.domain.memory import AccessKind
    from ark_tui.domain.query import Request


@dataclass(frozen=True, slots=True)
class Use:
    """A hit of a search was of use; `kind` is None where it was judged."""

    request: Request
    result: SearchResult
    document: str
    kind: AccessKind | None


class Uses:
    """Knows which uses of hits are noted already: each way of using one counts once for a search."""

    def __init__(self) -> None:
        self._kept: tuple[Request, SearchResult] | None = None  # the latest search of which a hit was of use
        self._noted: set[tuple[str, str, AccessKind | None]] = set()  # search, document, how

    def fresh(
        self, document: str, kind: AccessKind | None, request: Request, result: SearchResult
    ) -> Use | None:
        """The use of a hit of the search that is shown; None where it has been noted before."""
        request = replace(request, unlogged=False)
        if self._kept is None or not _is_of(document, request, result, *self._kept):
            self._kept = (request, result)
            self._noted.clear()  # nothing asks about the uses of an earlier search again
        noted = (self._kept[1].retrieval_id, document, kind)
        if noted in self._noted:
            return None
        self._noted.add(noted)
        return Use(*self._kept, document, kind)


def _is_of(document: str, request: Request, result: SearchResult, asked: Request, kept: SearchResult) -> bool:
    """Whether the use of a hit is one of the search that is kept already, not of what is shown now.

    The same search comes back whole after its first stage, and anew when the corpus has changed.
    """
    listed = {hit.document.id for hit in kept.hits}
    new = document not in listed and any(hit.document.id == document for hit in result.hits)
    return asked == request and not kept.partial and not new
