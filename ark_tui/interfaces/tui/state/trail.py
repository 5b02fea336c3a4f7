"""Where somebody has been while following links, and how to get back there."""

from __future__ import annotations

from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Wanted:
    """A document to be read: which, for which query, and what of it is to be in view."""

    document: str
    query: str = ""
    lines: tuple[int, int] = (1, 0)  # of the piece that is marked, from 1, inclusive; (1, 0) marks none
    anchor: str = ""  # a heading to go to
    at: str = ""  # the page, slide, sheet or chapter of the piece
    refresh: int = 0  # counts refreshes, so that the same document is read anew


@dataclass(frozen=True, slots=True)
class Visit:
    """A document on the way, and the place in it that was at the top."""

    wanted: Wanted
    place: int = -1  # −1: as the document was asked for
    link: int = -1  # the link that was chosen


@dataclass(slots=True)
class Trail:
    """One way from document to document."""

    here: Visit | None = None
    behind: list[Visit] = field(default_factory=list)
    ahead: list[Visit] = field(default_factory=list)

    @property
    def base(self) -> Wanted | None:
        """What the way began with."""
        first = self.behind[0] if self.behind else self.here
        return first.wanted if first else None

    def begin(self, wanted: Wanted) -> None:
        """A new way."""
        self.here = Visit(wanted)
        self.behind.clear()
        self.ahead.clear()

    def leave(self, place: int, link: int) -> None:
        """Keep where one is in the present document."""
        if self.here is not None:
            self.here = replace(self.here, place=place, link=link)

    def go(self, wanted: Wanted) -> None:
        """On to another document; what was ahead is forgotten."""
        if self.here is not None:
            self.behind.append(self.here)
        self.ahead.clear()
        self.here = Visit(wanted)

    def back(self) -> Visit | None:
        return self._move(self.behind, self.ahead)

    def forward(self) -> Visit | None:
        return self._move(self.ahead, self.behind)

    def _move(self, source: list[Visit], target: list[Visit]) -> Visit | None:
        if not source or self.here is None:
            return None
        target.append(self.here)
        self.here = source.pop()
        return self.here

    def refresh(self, wanted: Wanted) -> None:
        """Everything on the way is to be read anew when it is come to; what it began with is `wanted` now."""
        base = self.base

        def fresh(visit: Visit) -> Visit:
            here = wanted if visit.wanted == base else replace(visit.wanted, refresh=wanted.refresh)
            return replace(visit, wanted=here)

        if self.here is not None:
            self.here = fresh(self.here)
        self.behind[:] = map(fresh, self.behind)
        self.ahead[:] = map(fresh, self.ahead)
