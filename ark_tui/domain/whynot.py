"""Why a search ranks a document where it does, or does not list it, and what would bring it up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from ark_tui.domain.documents import Document
from ark_tui.domain.fields import As
from ark_tui.domain.hits import Multiplier, Part
from ark_tui.domain.reasons import Why

Cause = Literal[
    "not indexed", "waiting", "hidden", "messages", "filter", "excluded", "low confidence", "ranked lower",
    "listed",
]  # fmt: skip

ABOUT: dict[Cause, str] = {
    "not indexed": "no indexed file or document has that name; a rule, an error or a missing folder is named",
    "waiting": "it is stored, and an index has not caught up with it yet",
    "hidden": "it is in the trash, retired, expired, superseded, or a near-duplicate of what is listed",
    "messages": "it is a message, and messages are searched separately",
    "filter": "a filter of the query or an option excludes it",
    "excluded": "a -word of the query excludes it",
    "low confidence": "it has none of the words, or too small a share of the best score",
    "ranked lower": "other documents rank above it, and the list ends before it",
    "listed": "it is listed",
}
"""What each cause means; the first that applies is named."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """Something that would bring a document up.

    `what` says it, with the command in it. `query`: the line to search for instead. `rank`: the rank of the
    document when it was tried; None: not tried, or still not among the results.
    """

    what: str
    query: Annotated[str, As.SPARSE] = ""
    rank: Annotated[int | None, As.SPARSE] = None


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why a search does not list a document.

    `rank`: among all ranked documents, from 1; None where it was not ranked. `limit`: how many the search
    lists. `signals`: its raw value and rank by each signal. `missing`: words of the query that it does not
    have. `instead`: its successor, or the near-duplicate that is listed. `near`: known paths like `asked`.
    """

    query: str
    asked: str
    document: Document | None
    cause: Cause
    sentence: str
    limit: int
    rank: int | None = None
    of: int = 0  # documents that were ranked
    score: Annotated[float | None, As.SPARSE] = None
    signals: tuple[Part, ...] = ()
    missing: tuple[str, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    instead: Annotated[Document | None, As.SPARSE] = None
    near: Annotated[tuple[str, ...], As.SPARSE] = ()
    off: Annotated[tuple[str, ...], As.SPARSE] = ()  # signals that could not run, by their reasons


@dataclass(frozen=True, slots=True)
class ExplainedPart:
    """What one signal gave, and what it measures."""

    part: Annotated[Part, As.FLAT]
    about: str


@dataclass(frozen=True, slots=True)
class Beside:
    """What one signal gave two hits. `difference`: in points of the score, above 0 for the first."""

    signal: str
    first: Part | None
    second: Part | None
    difference: float


@dataclass(frozen=True, slots=True)
class Against:
    """Another hit of the same search, signal by signal.

    With `multiplied`, what the multipliers change, the differences add up to that of the scores.
    """

    document: Document
    rank: int
    score: float
    signals: tuple[Beside, ...]
    multiplied: float


@dataclass(frozen=True, slots=True)
class Explained:
    """Why a document ranks where it does for a query. `rank` None: it is not listed; `missing` says why.

    `off`: the signals that could not run, by their reasons.
    """

    document: Annotated[Document, As.FLAT]
    rank: int | None
    score: Annotated[float | None, As.SPARSE] = None
    signals: Annotated[tuple[ExplainedPart, ...], As.SPARSE] = ()
    multipliers: tuple[Multiplier, ...] = ()
    note: Annotated[str, As.SPARSE] = ""
    off: Annotated[tuple[str, ...], As.SPARSE] = ()
    why: Annotated[Why | None, As.SPARSE] = None
    against: Annotated[Against | None, As.SPARSE] = None
    missing: Annotated[WhyNot | None, As.SPARSE] = None
