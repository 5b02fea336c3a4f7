"""Searches that were run: what was asked, with which parameters, and what came of it (requirement S21)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from ark_tui.domain.hits import SearchResult
from ark_tui.domain.query import Request


@dataclass(frozen=True, slots=True)
class Answer:
    """One document that a search listed, with its best chunk. Title and path are today's."""

    rank: int
    document: str  # id
    chunk: str  # id
    score: float
    title: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """A search that was run. `change`: the state of the corpus; `model`: fingerprint of its vectors."""

    id: str
    request: Request
    profile: dict[str, Any]  # as it was: all its parameters
    model: str
    change: int
    at: datetime
    answers: tuple[Answer, ...] = ()
    terms: tuple[str, ...] | None = None  # what a chat model added to the query; None: not kept then

    @property
    def query(self) -> str:
        return self.request.query


@dataclass(frozen=True, slots=True)
class Move:
    """Where a document stood and where it stands; None: not among the hits."""

    document: str  # id
    title: str
    path: str
    before: int | None
    after: int | None

    @property
    def kind(self) -> Literal["stayed", "moved", "came", "went"]:
        if self.before is None:
            return "came"
        if self.after is None:
            return "went"
        return "stayed" if self.before == self.after else "moved"


@dataclass(frozen=True, slots=True)
class Rerun:
    """A search run again. `differing`: what is not as it was.

    `corpus`, `model`, `profile`; the chat model's `terms`; the `day`, where age or times that count from it
    matter; the `use` of documents by whoever searched, where the profile heeds it.
    """

    before: Retrieval
    after: SearchResult
    moves: tuple[Move, ...]
    differing: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether it lists the same documents in the same order."""
        return all(move.kind == "stayed" for move in self.moves)
