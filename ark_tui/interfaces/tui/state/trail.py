"""The navigation history of the reader."""

from __future__ import annotations

from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Wanted:
    """A document to show: which one, for which query, and the position in it."""

    document: str
    query: str = ""
    lines: tuple[int, int] = (1, 0)  # marked lines, from 1, inclusive; (1, 0) marks none
    anchor: str = ""  # heading to scroll to
    at: str = ""  # page, slide, sheet or chapter of the chunk
    refresh: int = 0  # number of refreshes; a new one reloads the same document


@dataclass(frozen=True, slots=True)
class Visit:
    """A visited document and the offset at the top of the view."""

    wanted: Wanted
    place: int = -1  # −1: the requested position


@dataclass(slots=True)
class Trail:
    """A history of documents."""

    here: Visit | None = None
    behind: list[Visit] = field(default_factory=list)
    ahead: list[Visit] = field(default_factory=list)

    @property
    def base(self) -> Wanted | None:
        """The first document of the history."""
        first = self.behind[0] if self.behind else self.here
        return first.wanted if first else None

    def begin(self, wanted: Wanted) -> None:
        """Start a new history."""
        self.here = Visit(wanted)
        self.behind.clear()
        self.ahead.clear()

    def leave(self, place: int) -> None:
        """Store the current position in the document."""
        if self.here is not None:
            self.here = replace(self.here, place=place)

    def go(self, wanted: Wanted) -> None:
        """Go to another document and drop the forward history."""
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
        """Reload every document of the history when it is visited. `wanted` replaces the first one."""
        base = self.base

        def fresh(visit: Visit) -> Visit:
            here = wanted if visit.wanted == base else replace(visit.wanted, refresh=wanted.refresh)
            return replace(visit, wanted=here)

        if self.here is not None:
            self.here = fresh(self.here)
        self.behind[:] = map(fresh, self.behind)
        self.ahead[:] = map(fresh, self.ahead)
