"""What is known and held to: facts (layer 3), patterns (4), directives (9); and a context made of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from ark_tui.domain.documents import Document
from ark_tui.domain.hits import Lamp
from ark_tui.domain.memory import RETIRED, Scope

RuleKind = Literal["MUST", "NEVER", "PREFER", "AVOID"]
RULE_KINDS: tuple[RuleKind, ...] = ("MUST", "NEVER", "PREFER", "AVOID")

FACT, PATTERN, DIRECTIVE = "fact", "pattern", "directive"
"""The types of documents that they are."""


NOBODY = Scope("", "")


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that is so. `source` says where from."""

    document: Document
    text: str
    source: str = ""
    by: Scope = NOBODY

    @property
    def retired(self) -> bool:
        return self.document.status == RETIRED


@dataclass(frozen=True, slots=True)
class Pattern:
    """A problem and what solves it, with what its outcomes have made of the confidence in it."""

    document: Document
    problem: str
    solution: str
    confidence: float
    successes: int = 0
    failures: int = 0
    by: Scope = NOBODY

    @property
    def retired(self) -> bool:
        return self.document.status == RETIRED

    @property
    def tried(self) -> int:
        """How often its outcome was reported."""
        return self.successes + self.failures

    @property
    def success_rate(self) -> float | None:
        """The share of successes; None while nobody has tried it."""
        return self.successes / self.tried if self.tried else None


@dataclass(frozen=True, slots=True)
class Directive:
    """A rule. `scope` says where it holds (empty: everywhere); a higher `priority` comes first."""

    document: Document
    kind: RuleKind
    text: str
    scope: str = ""
    priority: int = 0
    by: Scope = NOBODY

    @property
    def retired(self) -> bool:
        return self.document.status == RETIRED


ItemKind = Literal["directive", "pattern", "fact", "passage"]


@dataclass(frozen=True, slots=True)
class ContextItem:
    """One thing in a context. `score` = similarity × recency × confidence.

    `label`: how it is cited. `text`: what is quoted, secrets masked. A passage is from a plain document.
    """

    kind: ItemKind
    label: str
    document: Document
    text: str
    similarity: float
    recency: float = 1.0
    confidence: float = 1.0
    day: date | None = None  # its age counts from here
    pattern: Pattern | None = None
    directive: Directive | None = None
    lines: tuple[int, int] | None = None  # of a passage

    @property
    def score(self) -> float:
        return self.similarity * self.recency * self.confidence


@dataclass(frozen=True, slots=True)
class Context:
    """What is known about a query, as text for a model: at most `budget` tokens of the embedded model.

    `left_out`: items that did not fit. `masked`: secrets that were. `notices`: what did not work.
    """

    query: str
    retrieval_id: str
    text: str
    tokens: int
    budget: int
    items: tuple[ContextItem, ...]
    left_out: int
    masked: int
    lamp: Lamp
    at: datetime
    notices: tuple[str, ...] = ()
