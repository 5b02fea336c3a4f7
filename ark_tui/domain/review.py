"""Candidates that a model proposes from conversations, and their review."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

from ark_tui.domain.fields import As
from ark_tui.domain.memory import Scope

CandidateKind = Literal["episode", "fact", "pattern", "directive"]

Relation = Literal["new", "same", "narrower", "contradicts", "supersedes", "retires"]
RELATIONS: tuple[Relation, ...] = ("new", "same", "narrower", "contradicts", "supersedes")
"""The relations that a model may return."""
RETIRES: Relation = "retires"
"""The relation of a candidate without content: an agent proposes to retire an item."""
REPLACES: tuple[Relation, ...] = ("contradicts", "supersedes")
"""Accepting a candidate with such a relation retires its target."""

AGENT = "agent"
"""The prefix of `Candidate.model` if an agent proposed the candidate, not a model."""
EPISODE: CandidateKind = "episode"

CandidateState = Literal["pending", "later", "accepted", "edited", "merged", "rejected"]
OPEN: tuple[CandidateState, ...] = ("pending", "later")

TOLD = {"episode": ("title", "summary"), "fact": ("text",), "pattern": ("problem", "solution"),
        "directive": ("kind", "text")}  # fmt: skip
"""The values of each kind that form its claim."""


@dataclass(frozen=True, slots=True)
class Span:
    """A quoted range of a message: `content[start_char:end_char]`."""

    message: str  # id
    conversation_id: str
    sequence: int
    role: str
    start_char: int
    end_char: int
    text: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A knowledge item proposed by a model. Searches do not find it until it is accepted.

    `value`: its content, by field of its kind; empty once an item (`made`) contains it. `problems`: claims
    that its spans do not support. `target`: the existing item that `relation` refers to. `support`: the
    number of conversation segments with the claim. `owner`, `project`: those of its item. `model`: the
    proposing model, or the agent, with its `reason`.
    """

    also: ClassVar[tuple[str, ...]] = ("claim", "supported")

    id: str
    kind: CandidateKind
    value: dict[str, Any]
    relation: Relation
    target: Annotated[str, As.SPARSE]
    target_text: Annotated[str, As.SPARSE]
    problems: tuple[str, ...]
    support: int
    model: str
    scope: Annotated[Scope, As.FLAT]
    state: CandidateState
    made: Annotated[str, As.SPARSE]
    proposed: datetime
    spans: tuple[Span, ...]
    owner: Annotated[str, As.SPARSE] = ""
    project: Annotated[str, As.SPARSE] = ""
    number: Annotated[int, As.HIDDEN] = 0
    fresh: Annotated[bool, As.HIDDEN] = False
    reason: Annotated[str, As.SPARSE] = ""

    @property
    def claim(self) -> str:
        """Its content as text."""
        return claim(self.kind, self.value)

    @property
    def supported(self) -> bool:
        """Whether its spans contain its numbers, names and negations."""
        return not self.problems


@dataclass(frozen=True, slots=True)
class Amended:
    """The result of a correction or retirement. `proposed`: it awaits review as a `candidate`.

    `id`: the corrected or retired item. `replacement`: the new item.
    """

    status: Literal["done", "proposed"]
    id: str
    replacement: Annotated[str, As.SPARSE] = ""
    candidate: Annotated[str, As.SPARSE] = ""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How many candidates of a model were accepted."""

    also: ClassVar[tuple[str, ...]] = ("share",)

    model: str
    proposed: int
    accepted: int
    rejected: int
    unsupported: int

    @property
    def share(self) -> float | None:
        """The share of accepted among decided candidates; None if none was decided."""
        decided = self.accepted + self.rejected
        return self.accepted / decided if decided else None


@dataclass(frozen=True, slots=True)
class Consolidated:
    """The result of consolidating finished segments of conversations (`stretches`).

    `waiting`: segments left for the next run. `deferred`: no model was available; `problem` has the reason
    or another error. `passed_over`: segments skipped because the model gave no usable response.
    """

    stretches: int = 0
    messages: int = 0
    proposed: int = 0
    unsupported: int = 0
    supported_again: int = 0
    passed_over: int = 0
    waiting: int = 0
    tokens: int = 0
    model: str = ""
    deferred: bool = False
    problem: str = ""


def claim(kind: str, value: dict[str, Any]) -> str:
    """The content of a candidate as text."""
    return ("\n" if kind == "pattern" else ". " if kind == "episode" else " ").join(
        str(value[name]) for name in TOLD[kind] if value.get(name)
    )
