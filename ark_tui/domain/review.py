"""What a model proposes out of conversations, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

from ark_tui.domain.fields import As
from ark_tui.domain.memory import Scope

CandidateKind = Literal["episode", "fact", "pattern", "directive"]

Relation = Literal["new", "same", "narrower", "contradicts", "supersedes", "retires"]
RELATIONS: tuple[Relation, ...] = ("new", "same", "narrower", "contradicts", "supersedes")
"""That a model may name."""
RETIRES: Relation = "retires"
"""Of a candidate that says nothing of its own: an agent proposes to take what is known out of searches."""
REPLACES: tuple[Relation, ...] = ("contradicts", "supersedes")
"""What is known is retired where a candidate of such a relation to it is accepted."""

AGENT = "agent"
"""How the name of an agent begins that has proposed something, where else a model is named."""
EPISODE: CandidateKind = "episode"

CandidateState = Literal["pending", "later", "accepted", "edited", "merged", "rejected"]
OPEN: tuple[CandidateState, ...] = ("pending", "later")

TOLD = {"episode": ("title", "summary"), "fact": ("text",), "pattern": ("problem", "solution"),
        "directive": ("kind", "text")}  # fmt: skip
"""What of the values of a kind is read as its claim."""


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a message, and what stands there: `content[start_char:end_char]`."""

    message: str  # id
    conversation_id: str
    sequence: int
    role: str
    start_char: int
    end_char: int
    text: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that a model proposes to know. It is in no search before it is accepted.

    `value`: what it says, by the values of its kind; empty once an item (`made`) says it. `problems`: what of
    it its spans do not hold. `target`: the known item that it has a `relation` to, and what that says.
    `support`: in how many stretches of conversation it was found. `owner` and `project` are those of
    its item. `model`: what has proposed it, or which agent, and then `reason` says why.
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
        """What it says, as text."""
        return claim(self.kind, self.value)

    @property
    def supported(self) -> bool:
        """Whether its spans hold its numbers, names and negations."""
        return not self.problems


@dataclass(frozen=True, slots=True)
class Amended:
    """What came of a correction or a retirement. `proposed`: it waits for a person, as a `candidate`.

    `id`: the item that was meant. `replacement`: the one that says now what is so.
    """

    status: Literal["done", "proposed"]
    id: str
    replacement: Annotated[str, As.SPARSE] = ""
    candidate: Annotated[str, As.SPARSE] = ""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How much of what a model proposed was let in. `share`: of what was decided; None where nothing was."""

    also: ClassVar[tuple[str, ...]] = ("share",)

    model: str
    proposed: int
    accepted: int
    rejected: int
    unsupported: int

    @property
    def share(self) -> float | None:
        """Accepted of accepted and rejected."""
        decided = self.accepted + self.rejected
        return self.accepted / decided if decided else None


@dataclass(frozen=True, slots=True)
class Consolidated:
    """What a run has made of finished stretches of conversation.

    `waiting`: stretches that are left, for the next run. `deferred`: no model could be asked. `problem`: why,
    or what was wrong. `passed_over`: stretches that a model could not be made to answer for.
    """

    stretches: int = 0
    messages: int = 0
    proposed: int = 0
    unsupported: int = 0
    supported_again: int = 0
    let_in: int = 0
    passed_over: int = 0
    waiting: int = 0
    tokens: int = 0
    model: str = ""
    deferred: bool = False
    problem: str = ""


def claim(kind: str, value: dict[str, Any]) -> str:
    """What the values of a kind say, as text."""
    return ("\n" if kind == "pattern" else ". " if kind == "episode" else " ").join(
        str(value[name]) for name in TOLD[kind] if value.get(name)
    )
