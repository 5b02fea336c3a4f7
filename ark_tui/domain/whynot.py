"""Why a search does not list a document: what lost it, where it stands, what would bring it up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from ark_tui.domain.documents import Document
from ark_tui.domain.fields import As

Stage = Literal[
    "unknown", "outside", "ignored", "skipped", "failed", "unread", "deleted", "trash", "retired", "empty",
    "waiting", "messages", "filter", "exclusion", "restriction", "retention", "superseded", "candidates",
    "chunk", "duplicate", "rank", "nothing", "floor", "listed",
]  # fmt: skip
"""Where a document can be lost, in the order in which it travels; the first that holds is named."""

STAGES: tuple[Stage, ...] = get_args(Stage)

ABOUT: dict[Stage, str] = {
    "unknown": "there is no such document or file",
    "outside": "the file lies in no followed folder",
    "ignored": "a rule leaves the file out",
    "skipped": "the file was left out: too large, binary, a format that is not read, a link, purged",
    "failed": "the file could not be read",
    "unread": "the file has come, or changed, since its folder was read",
    "deleted": "its file is gone, and the document with it",
    "trash": "it lies in the trash",
    "retired": "somebody has retired it",
    "empty": "it has no text",
    "waiting": "the home has it, and an index has not taken it up yet",
    "messages": "it is a message, and those are searched by themselves",
    "filter": "a filter or a phrase of the query keeps it away",
    "exclusion": "an exclusion of the query keeps it away",
    "restriction": "an option, or the saved search, keeps it away",
    "retention": "its retention is over",
    "superseded": "another document has taken its place",
    "candidates": "it is not among the best of any signal",
    "chunk": "another passage of the same document is listed",
    "duplicate": "another document that says the same is listed for it",
    "rank": "so many others are better that the list ends before it",
    "nothing": "nothing here seems to be about the query",
    "floor": "it has too small a share of the best score",
    "listed": "it is listed",
}
"""What each stage means."""

RemedyKind = Literal[
    "index", "rule", "restore", "query", "option", "word", "weight", "text", "judge", "read", "other"
]


@dataclass(frozen=True, slots=True)
class SignalRank:
    """Where one signal has the document, by its best passage: `rank` from 1; None: it does not find it.

    A document that is not ranked has the rank among all texts, any other that among those that were ranked.
    """

    name: str
    rank: int | None
    weight: float
    contribution: Annotated[float | None, As.SPARSE] = None


@dataclass(frozen=True, slots=True)
class Without:
    """The rank that a document would have with one stage left out; None: it would still not be ranked.

    `listed`: whether the list would have it.
    """

    what: str
    rank: int | None
    listed: bool


@dataclass(frozen=True, slots=True)
class MissingWord:
    """A word of the query that a document has nowhere, with the number of texts that have it."""

    word: str
    texts: int
    rarity: float  # its idf


@dataclass(frozen=True, slots=True)
class Remedy:
    """Something that would bring a document up.

    `what` says it, with the command in it. `query`: the line to search for instead; `change`: the change of
    the profile, as `search --set` takes it. `rank`: what came of it when it was tried; None: not tried.
    """

    kind: RemedyKind
    what: str
    query: Annotated[str, As.SPARSE] = ""
    change: Annotated[str, As.SPARSE] = ""
    rank: Annotated[int | None, As.SPARSE] = None


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why a search does not list a document.

    `rank` is its place among all documents that were ranked, from 1; None where it was not ranked. `limit`:
    how many the search lists. `instead`: the document that is in its place: its successor, or the one that
    says the same. `near`: known paths that look like what was asked for.
    """

    query: str
    asked: str
    document: Document | None
    stage: Stage
    sentence: str
    limit: int
    rank: int | None = None
    of: int = 0  # documents that were ranked
    score: Annotated[float | None, As.SPARSE] = None
    signals: tuple[SignalRank, ...] = ()
    without: tuple[Without, ...] = ()
    missing: tuple[MissingWord, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    instead: Annotated[Document | None, As.SPARSE] = None
    near: Annotated[tuple[str, ...], As.SPARSE] = ()
    off: Annotated[tuple[str, ...], As.SPARSE] = ()  # signals that could not run, by their reasons
