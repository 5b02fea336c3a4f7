"""What is known and held to: facts (layer 3), patterns (4), directives (9); and a context made of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, ClassVar, Literal

from ark_tui.domain.documents import Document
from ark_tui.domain.fields import As, Named, Some
from ark_tui.domain.hits import SignalStatus
from ark_tui.domain.layers import RETIRED
from ark_tui.domain.memory import Scope

RuleKind = Literal["MUST", "NEVER", "PREFER", "AVOID"]
RULE_KINDS: tuple[RuleKind, ...] = ("MUST", "NEVER", "PREFER", "AVOID")

FACT, PATTERN, DIRECTIVE = "fact", "pattern", "directive"
"""The types of documents that they are."""


NOBODY = Scope("", "")
ITEM = ("id", "short_id", "path", "tier", "layer", "tags", "date")
"""What is said of the document of an item."""

By = Annotated[Scope, Some(("agent",))]
Owner = Annotated[str, As.SPARSE]
"""Who sees it, or the project it belongs to; empty: everybody, and all."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What all that is known has in common."""

    also: ClassVar[tuple[str, ...]] = ("status",)

    document: Annotated[Document, Some(ITEM)]

    @property
    def status(self) -> str:
        """That of its document, in a word."""
        return self.document.status or "active"

    @property
    def retired(self) -> bool:
        """Whether somebody has taken it out of retrieval."""
        return self.document.status == RETIRED


@dataclass(frozen=True, slots=True)
class Fact(_Known):
    """Something that is so. `source` says where from."""

    text: str
    source: Annotated[str, As.NULL] = ""
    by: By = NOBODY
    owner: Owner = ""
    project: Owner = ""


@dataclass(frozen=True, slots=True)
class Pattern(_Known):
    """A problem and what solves it, with what its outcomes have made of the confidence in it."""

    also: ClassVar[tuple[str, ...]] = ("status", "success_rate")

    problem: str
    solution: str
    confidence: float
    successes: int = 0
    failures: int = 0
    by: By = NOBODY
    owner: Owner = ""
    project: Owner = ""

    @property
    def tried(self) -> int:
        """How often its outcome was reported."""
        return self.successes + self.failures

    @property
    def success_rate(self) -> float | None:
        """The share of successes; None while nobody has tried it."""
        return self.successes / self.tried if self.tried else None


@dataclass(frozen=True, slots=True)
class Directive(_Known):
    """A rule. `scope` says where it holds (empty: everywhere); a higher `priority` comes first."""

    kind: RuleKind
    text: str
    scope: Annotated[str, As.NULL] = ""
    priority: int = 0
    by: By = NOBODY
    owner: Owner = ""
    project: Owner = ""

    @property
    def rule(self) -> RuleKind:
        """Its kind, beside the kind of an item."""
        return self.kind


CITED = ("label", "id", "kind", "title", "path")

ItemKind = Literal["directive", "pattern", "fact", "passage"]


@dataclass(frozen=True, slots=True)
class ContextItem:
    """One thing in a context. `score` = similarity × recency × confidence.

    `label`: how it is cited. `text`: what is quoted, secrets masked. A passage is from a plain document.
    """

    also: ClassVar[tuple[str, ...]] = ("score", "start_line", "end_line")

    kind: ItemKind
    label: str
    document: Document
    text: str
    similarity: float
    recency: float = 1.0
    confidence: float = 1.0
    day: Annotated[date | None, As.HIDDEN] = None  # its age counts from here
    pattern: Annotated[Pattern | None, Some(("successes", "failures", "success_rate"))] = None
    directive: Annotated[Directive | None, Some(("rule", "scope", "priority"))] = None
    lines: Annotated[tuple[int, int] | None, As.HIDDEN] = None  # of a passage

    @property
    def score(self) -> float:
        """By which items are ranked."""
        return self.similarity * self.recency * self.confidence

    @property
    def start_line(self) -> Annotated[int | None, As.SPARSE]:
        """The first line of a passage."""
        return self.lines[0] if self.lines else None

    @property
    def end_line(self) -> Annotated[int | None, As.SPARSE]:
        """The last line of a passage."""
        return self.lines[1] if self.lines else None


@dataclass(frozen=True, slots=True)
class Context:
    """What is known about a query, as text for a model: at most `budget` tokens of the embedded model.

    `left_out`: items that did not fit. `masked`: secrets that were. `notices`: what did not work.
    """

    also: ClassVar[tuple[str, ...]] = ("citations", "lamps")

    query: str
    retrieval_id: str
    text: str
    tokens: int
    budget: int
    items: tuple[ContextItem, ...]
    left_out: int
    masked: int
    lamp: Annotated[SignalStatus, As.HIDDEN]
    at: Annotated[datetime, As.HIDDEN]
    notices: tuple[str, ...] = ()

    @property
    def citations(self) -> Annotated[tuple[tuple[str, ...], ...], Named(CITED)]:
        """How the text cites what is in it."""
        return tuple(
            (item.label, item.document.id, item.kind, item.document.title, item.document.path)
            for item in self.items
        )

    @property
    def lamps(self) -> tuple[SignalStatus, ...]:
        """Whether the signal that compares meanings ran."""
        return (self.lamp,)
