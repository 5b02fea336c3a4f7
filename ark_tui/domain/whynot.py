"""Explanations why a search ranks a document where it does or omits it, and remedies."""

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
"""The meaning of each cause; the first that applies is reported."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """A way to get a document into the results.

    `what`: the instruction, with the command. `query`: the query line to use instead. `rank`: the document's
    rank with this remedy; None: not tried, or still not among the results.
    """

    what: str
    query: Annotated[str, As.SPARSE] = ""
    rank: Annotated[int | None, As.SPARSE] = None


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why a search does not list a document.

    `rank`: among all ranked documents, from 1; None if not ranked. `limit`: the length of the result list.
    `signals`: its raw value and rank by signal. `missing`: query words that it does not contain. `instead`:
    its successor, or the near-duplicate that is listed. `near`: existing paths similar to `asked`.
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
    off: Annotated[tuple[str, ...], As.SPARSE] = ()  # unavailable signals, grouped by reason


@dataclass(frozen=True, slots=True)
class ExplainedPart:
    """The contribution of one signal, and what it measures."""

    part: Annotated[Part, As.FLAT]
    about: str


@dataclass(frozen=True, slots=True)
class Beside:
    """One signal of two hits. `difference`: of their contributions, above 0 in favor of the first."""

    signal: str
    first: Part | None
    second: Part | None
    difference: float


@dataclass(frozen=True, slots=True)
class Against:
    """A comparison with another hit of the same search, signal by signal.

    The differences, plus `multiplied` for the multipliers, add up to the difference of the scores.
    """

    document: Document
    rank: int
    score: float
    signals: tuple[Beside, ...]
    multiplied: float


@dataclass(frozen=True, slots=True)
class Explained:
    """Why a document has its rank for a query. If it is not listed, `rank` is None and `missing` says why.

    `off`: the unavailable signals, grouped by reason.
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
