"""Knowledge items: facts (layer 3), patterns (4), directives (9); and contexts built from them."""

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
"""The document types of knowledge items."""


NOBODY = Scope("", "")
ITEM = ("id", "short_id", "path", "tier", "layer", "tags", "date")
"""The document fields that an item includes in JSON."""

By = Annotated[Scope, Some(("agent",))]
Owner = Annotated[str, As.SPARSE]
"""The only agent that sees it, or its project; empty: all agents, all projects."""


@dataclass(frozen=True, slots=True)
class _Known:
    """Common fields of all knowledge items."""

    also: ClassVar[tuple[str, ...]] = ("status",)

    document: Annotated[Document, Some(ITEM)]

    @property
    def status(self) -> str:
        """The status of its document; `active` by default."""
        return self.document.status or "active"

    @property
    def retired(self) -> bool:
        """Whether it was retired, that is excluded from retrieval."""
        return self.document.status == RETIRED


@dataclass(frozen=True, slots=True)
class Fact(_Known):
    """A fact. `source`: its origin."""

    text: str
    source: Annotated[str, As.NULL] = ""
    by: By = NOBODY
    owner: Owner = ""
    project: Owner = ""


@dataclass(frozen=True, slots=True)
class Pattern(_Known):
    """A problem and its solution, with a confidence that reported outcomes adjust."""

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
        """The number of reported outcomes."""
        return self.successes + self.failures

    @property
    def success_rate(self) -> float | None:
        """The share of successes; None without outcomes."""
        return self.successes / self.tried if self.tried else None


@dataclass(frozen=True, slots=True)
class Directive(_Known):
    """A rule. `scope`: where it applies (empty: everywhere); a higher `priority` comes first."""

    kind: RuleKind
    text: str
    scope: Annotated[str, As.NULL] = ""
    priority: int = 0
    by: By = NOBODY
    owner: Owner = ""
    project: Owner = ""

    @property
    def rule(self) -> RuleKind:
        """Its kind, such as MUST. The name `kind` is used by `ContextItem`."""
        return self.kind


CITED = ("label", "id", "kind", "title", "path")

ItemKind = Literal["directive", "pattern", "fact", "passage"]


@dataclass(frozen=True, slots=True)
class ContextItem:
    """An item of a context. `score` = similarity × recency × confidence.

    `label`: for citations. `text`: the quoted text, with secrets masked. A passage comes from an ordinary
    document.
    """

    also: ClassVar[tuple[str, ...]] = ("score", "start_line", "end_line")

    kind: ItemKind
    label: str
    document: Document
    text: str
    similarity: float
    recency: float = 1.0
    confidence: float = 1.0
    day: Annotated[date | None, As.HIDDEN] = None  # its age is counted from this day
    pattern: Annotated[Pattern | None, Some(("successes", "failures", "success_rate"))] = None
    directive: Annotated[Directive | None, Some(("rule", "scope", "priority"))] = None
    lines: Annotated[tuple[int, int] | None, As.HIDDEN] = None  # of a passage

    @property
    def score(self) -> float:
        """The score that items are ranked by."""
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
    """Knowledge about a query as text for a model, at most `budget` tokens.

    Tokens are counted with the embedded model's tokenizer. `left_out`: number of items that did not fit.
    `masked`: number of masked secrets. `notices`: warnings.
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
        """The cited items, with the labels that the text uses."""
        return tuple(
            (item.label, item.document.id, item.kind, item.document.title, item.document.path)
            for item in self.items
        )

    @property
    def lamps(self) -> tuple[SignalStatus, ...]:
        """The status of the semantic signal."""
        return (self.lamp,)
