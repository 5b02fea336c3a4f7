"""Searches that were run: what was asked, with which parameters, and what came of it (requirement S21)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

from ark_tui.domain.fields import As, Key
from ark_tui.domain.hits import SearchResult
from ark_tui.domain.query import Mode, Request


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

    also: ClassVar[tuple[str, ...]] = ("query", "profile_name", "mode", "limit")

    id: Annotated[str, Key("retrieval_id")]
    request: Annotated[Request, As.HIDDEN]
    profile: Annotated[dict[str, Any], Key("parameters")]  # as it was: all its parameters
    model: str
    change: int
    at: datetime
    answers: tuple[Answer, ...] = ()
    terms: Annotated[tuple[str, ...] | None, As.HIDDEN] = None  # a chat model's; None: not kept then

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
    """Where a document stood and where it stands; None: not among the hits."""

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
    """A search run again. `differing`: what is not as it was.

    `corpus`, `model`, `profile`; the chat model's `terms`; the `day`, where age or times that count from it
    matter; the `use` of documents by whoever searched, where the profile heeds it.
    """

    also: ClassVar[tuple[str, ...]] = ("same",)

    before: Retrieval
    after: SearchResult
    moves: tuple[Move, ...]
    differing: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether it lists the same documents in the same order."""
        return all(move.kind == "stayed" for move in self.moves)


@dataclass(frozen=True, slots=True)
class SavedDiff:
    """What a saved search lists today against the last look at it.

    `looked`: when that was; None: nobody has looked yet, and nothing can have moved. `moves`: what is not
    where it was. `differing`: what else is not as it was, as in `Rerun`. `seen`: this was a look. `problem`:
    why it cannot be run.
    """

    also: ClassVar[tuple[str, ...]] = ("came", "went", "moved")

    name: str
    query: str
    looked: datetime | None
    hits: int
    moves: tuple[Move, ...] = ()
    differing: tuple[str, ...] = ()
    seen: bool = False
    problem: Annotated[str, As.SPARSE] = ""
    off: Annotated[tuple[str, ...], As.SPARSE] = ()  # signals that could not run, by their reasons

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
        """How many stand elsewhere in it."""
        return self._count("moved")

    @property
    def counts(self) -> str:
        """`2 came, 1 went`; empty where nothing has changed."""
        counted = {"came": self.came, "went": self.went, "moved": self.moved}
        return ", ".join(f"{count} {kind}" for kind, count in counted.items() if count)

    def _count(self, kind: str) -> int:
        return sum(move.kind == kind for move in self.moves)
