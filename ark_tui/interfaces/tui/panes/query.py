"""How a search is asked: what is typed, and what keys have said besides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ark_tui.domain.query import Request

LIMIT = 50
"""Hits of a search."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A query and how it is meant. A search of the log is asked as it was run, until the query is edited."""

    text: str = ""
    typing: bool = True  # the last word may not be finished
    superseded: bool = False  # list superseded documents, too
    without: tuple[str, ...] = ()  # terms that no search is to add
    literally: tuple[str, ...] = ()  # words of the query that are read as they stand
    expand: bool = False  # the chat model is asked for terms
    logged: Request | None = None  # the search of the log

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked."""
        return not self.text.strip() and self.logged is None

    def edited(self) -> Asking:
        """As it is meant once the query is another."""
        return replace(self, expand=False, logged=None)

    def emptied(self) -> Asking:
        """As it is meant once there is no query any more."""
        return replace(self, expand=False, without=(), literally=())

    @property
    def lists_superseded(self) -> bool:
        return (self.logged or self).superseded

    def superseded_turned(self) -> Asking:
        """With superseded documents, too, or with them no more."""
        return self._so(superseded=not self.lists_superseded)

    def switched(self, term: str, *, on: bool) -> Asking:
        """With a term that searches add, or without it."""
        without = tuple(one for one in (self.logged or self).without if one != term)
        return self._so(without=without if on else (*without, term))

    def read_as(self, words: str, *, literally: bool) -> Asking:
        """With words of the query read as they stand, or as a time or an exclusion again."""
        others = tuple(one for one in (self.logged or self).literally if one != words)
        return self._so(literally=(*others, words) if literally else others)

    @property
    def reads_literally(self) -> tuple[str, ...]:
        return (self.logged or self).literally

    def request(self, profile: str, *, again: bool) -> Request:
        """What the engine is asked; `again` is the same search for a change, which nobody has run."""
        from ark_tui.domain.query import Request

        how = self.logged or Request(
            self.text,
            limit=LIMIT,
            profile=profile,
            superseded=self.superseded,
            without=self.without,
            literally=self.literally,
        )
        return replace(how, typing=self.typing, expand=self.expand or how.expand, unlogged=again)

    def _so(self, **how: Any) -> Asking:
        """Meant otherwise: the search of the log, as long as it is one."""
        if self.logged is not None:
            return replace(self, logged=replace(self.logged, **how))
        return replace(self, **how)
