"""Logged searches: requests, parameters and results; reruns and saved searches (requirement S21)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

from ark_tui.domain.fields import As, Key
from ark_tui.domain.hits import SearchResult
from ark_tui.domain.query import Mode, Request


@dataclass(frozen=True, slots=True)
class Answer:
    """One result of a logged search, with its best chunk. Title and path are the current ones."""

    rank: int
    document: str  # id
    chunk: str  # id
    score: float
    title: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """A logged search. `change`: change number of the corpus; `model`: fingerprint of its vectors."""

    also: ClassVar[tuple[str, ...]] = ("query", "profile_name", "mode", "limit")

    id: Annotated[str, Key("retrieval_id")]
    request: Annotated[Request, As.HIDDEN]
    profile: Annotated[dict[str, Any], Key("parameters")]  # all its parameters at that time
    model: str
    change: int
    at: datetime
    answers: tuple[Answer, ...] = ()

    @property
    def query(self) -> str:
        return self.request.query

    @property
    def profile_name(self) -> Annotated[str, Key("profile")]:
        return self.request.profile

    @property
    def mode(self) -> Mode:
        return self.request.mode

    @property
    def limit(self) -> int:
        return self.request.limit


@dataclass(frozen=True, slots=True)
class Move:
    """The rank of a document before and after; None: not among the hits."""

    also: ClassVar[tuple[str, ...]] = ("kind",)

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
    """A search that was run again."""

    also: ClassVar[tuple[str, ...]] = ("same",)

    before: Retrieval
    after: SearchResult
    moves: tuple[Move, ...]

    @property
    def same(self) -> bool:
        """Whether it lists the same documents in the same order."""
        return all(move.kind == "stayed" for move in self.moves)


@dataclass(frozen=True, slots=True)
class SavedDiff:
    """The current results of a saved search, compared with when they were last viewed.

    `looked`: the time of the last view; None: never, so there are no moves. `moves`: the documents with
    another rank. `seen`: this comparison was recorded as a view. `problem`: why the search cannot run.
    """

    also: ClassVar[tuple[str, ...]] = ("came", "went", "moved")

    name: str
    query: str
    looked: datetime | None
    hits: int
    moves: tuple[Move, ...] = ()
    seen: bool = False
    problem: Annotated[str, As.SPARSE] = ""
    off: Annotated[tuple[str, ...], As.SPARSE] = ()  # unavailable signals, grouped by reason

    @property
    def came(self) -> int:
        """How many entered the list."""
        return self._count("came")

    @property
    def went(self) -> int:
        """How many left it."""
        return self._count("went")

    @property
    def moved(self) -> int:
        """How many changed their rank."""
        return self._count("moved")

    @property
    def counts(self) -> str:
        """`2 came, 1 went`; empty if nothing changed."""
        counted = {"came": self.came, "went": self.went, "moved": self.moved}
        return ", ".join(f"{count} {kind}" for kind, count in counted.items() if count)

    def _count(self, kind: str) -> int:
        return sum(move.kind == kind for move in self.moves)
