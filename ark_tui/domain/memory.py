"""Memory: whose it is, how far it is derived and trusted, and what it is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, ClassVar, Literal

from ark_tui.domain.documents import TIERS, Document, Purged, Tier
from ark_tui.domain.errors import UsageError
from ark_tui.domain.fields import As, Key
from ark_tui.domain.layers import (
    DIRECTIVE,
    EPISODIC,
    PATTERN,
    RETIRED,
    SEMANTIC,
    WORKING,
)  # fmt: skip

LAYERS = {
    WORKING: "working",
    EPISODIC: "episodic",
    SEMANTIC: "semantic",
    PATTERN: "pattern",
    DIRECTIVE: "directive",
}
"""How far a memory is derived from what was said; 0 is a document of a folder."""

Role = Literal["user", "assistant", "system", "developer", "tool"]
ROLES: tuple[Role, ...] = ("user", "assistant", "system", "developer", "tool")

TaskState = Literal["open", "done", "deleted", "purged"]
AccessKind = Literal["opened", "copied", "cited"]
ACCESS_KINDS: tuple[AccessKind, ...] = ("opened", "copied", "cited")

DEFAULT = "default"
"""The agent, the session and the conversation of whoever names none."""

EVERY = "ALL"
"""As an agent or a session: all of them, for looking."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memory: an agent's, in one of its sessions. `ALL` looks into all of them."""

    agent: str = DEFAULT
    session: str = DEFAULT

    @property
    def whole(self) -> bool:
        """Whether it is one scope; what is written needs one."""
        return EVERY not in (self.agent, self.session)

    @property
    def name(self) -> str:
        return f"{self.agent}/{self.session}"


@dataclass(frozen=True, slots=True)
class ScopeInfo:
    """A scope that something is in, and how much."""

    scope: Annotated[Scope, As.FLAT]
    scratch: int = 0
    tasks: int = 0
    conversations: int = 0
    messages: int = 0
    items: Annotated[int, Key("memories")] = 0


@dataclass(frozen=True, slots=True)
class ScratchValue:
    """A version of what stands under a key of the scratchpad; versions count from 1."""

    key: str
    value: Annotated[str, As.NULL]
    version: int
    moment: Annotated[datetime, Key("timestamp")]
    scope: Annotated[Scope, As.FLAT]
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class ScratchPast:
    """All that a key has been, the oldest first."""

    versions: tuple[ScratchValue, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """Something to do. Ids count from 1 in their scope."""

    id: Annotated[int, As.TEXT]
    text: str
    state: TaskState
    due: date | datetime | None
    tags: tuple[str, ...]
    place: Annotated[float, As.HIDDEN]
    created: datetime
    changed: datetime
    scope: Annotated[Scope, As.FLAT]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages that belong together. Its id is its own in its scope; `messages`: how many it has."""

    id: Annotated[str, Key("conversation_id")]
    scope: Annotated[Scope, As.FLAT]
    created: datetime
    messages: int
    number: Annotated[int, As.HIDDEN]
    title: Annotated[str, As.SPARSE] = ""
    closed: Annotated[bool | None, As.SPARSE] = None  # true once nothing more is expected


@dataclass(frozen=True, slots=True)
class Deleted:
    """A conversation that is gone for good. `remains`: backups that may still hold its messages."""

    conversation_id: str
    messages: int
    remains: tuple[str, ...]
    status: Literal["deleted"] = "deleted"


@dataclass(frozen=True, slots=True)
class ImportedChats:
    """What an export of another program has, and what of it is `new` here. `done`: it is kept now.

    `left_out`: entries that are no messages or without text, and those of branches that were not shown.
    `problems`: conversations and files that cannot be read, and were skipped.
    """

    format: str
    conversations: int = 0
    new_conversations: int = 0
    messages: int = 0
    new: int = 0
    left_out: int = 0
    authors: int = 0
    first: datetime | None = None
    last: datetime | None = None
    done: bool = False
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Share:
    """What a signal gave a message: `Part` of a hit, without what only documents have."""

    name: str
    raw: float
    normalised: float
    weight: float
    contribution: float


@dataclass(frozen=True, slots=True)
class Message:
    """Something said. `sequence` counts from 1 in its conversation; `id` is its document's.

    `name`: of the participant or tool. `tool_call_id`: of the call that it is the result of. `given`: what
    else it came with, such as `tool_calls` and `metadata`, and its `content` where that was no plain text.
    `score`: of one that was found by words and meaning, and what either gave.
    """

    id: str
    conversation_id: str
    query_id: str
    role: Role
    content: str
    sequence: int
    timestamp: datetime
    scope: Annotated[Scope, As.FLAT]
    name: Annotated[str, As.SPARSE] = ""
    tool_call_id: Annotated[str, As.SPARSE] = ""
    given: Annotated[dict[str, Any] | None, As.SPARSE] = None
    score: Annotated[float | None, As.SPARSE] = None
    signals: Annotated[tuple[Share, ...], As.SPARSE] = ()


@dataclass(frozen=True, slots=True)
class Saying:
    """A message on its way in.

    Without a query id, what a user says begins a query, and all else belongs to the latest one. `key`: the
    client's own id; a second message of that key in a conversation is passed over. `timestamp`: when it was
    said, else now. The others are as in `Message`.
    """

    role: str
    content: str
    query_id: str = ""
    name: str = ""
    tool_call_id: str = ""
    key: str = ""
    timestamp: datetime | None = None
    given: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Messages:
    """A page of messages; `total` counts those of all pages. `waiting`: too new to be found yet.

    `by_words`: why they were searched by their words alone, where they were.
    """

    messages: tuple[Message, ...]
    total: int
    limit: int
    offset: int
    waiting: int = 0
    next_cursor: str = ""  # where the next page begins; empty: there is none
    by_words: str = ""


@dataclass(frozen=True, slots=True)
class MessageVectors:
    """The vectors of messages. `model`: whose they are; `made` just now; `dropped`: they are not wanted."""

    model: str
    vectors: int
    made: int
    hours: float  # for which a message has one
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """A memory that is no message: its document, its text, whose it is, since when, until when it answers."""

    also: ClassVar[tuple[str, ...]] = ("layer", "retired")

    document: Annotated[Document, As.FLAT]
    text: str
    scope: Annotated[Scope, As.FLAT]
    since: datetime | None
    until: datetime | None  # its retention ends; None: never
    added: datetime
    changed: datetime
    owner: Annotated[str, As.SPARSE] = ""  # who sees it; empty: everybody
    project: Annotated[str, As.SPARSE] = ""

    @property
    def layer(self) -> int:
        """How far it is derived from what was said."""
        return self.document.layer

    @property
    def retired(self) -> bool:
        """Whether somebody has taken it out of retrieval."""
        return self.document.status == RETIRED


@dataclass(frozen=True, slots=True)
class Purge:
    """What was deleted for good, or would be: `done` says which. `bytes` of text; `vectors` nobody uses."""

    messages: int
    items: Annotated[tuple[Item, ...], Key("memories")]
    bytes: int
    notes: int = 0  # tasks and keys of the scratchpad that had been deleted
    vectors: int = 0
    done: Annotated[bool, Key("purged")] = False


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten, or would be: `done` says which.

    `items` with what they had replaced. `rest_on`: messages that say the same and stay, by conversation and
    place. `bytes` of text; `candidates` that go with it; `remains`: backups that may still hold it.
    """

    items: Annotated[tuple[Item, ...], Key("memories")]
    messages: tuple[Message, ...]
    rest_on: tuple[str, ...]
    bytes: int
    candidates: int
    remains: tuple[str, ...]
    vectors: int = 0
    done: Annotated[bool, Key("forgotten")] = False


@dataclass(frozen=True, slots=True)
class Emptied:
    """What a purge deleted for good, or would: of the memory, and of the trash."""

    memory: Annotated[Purge, As.FLAT]
    trash: Purged


@dataclass(frozen=True, slots=True)
class Move:
    """Why an item has another tier, layer or status than before."""

    axis: Literal["tier", "layer", "status"]
    was: str
    became: str
    reason: str
    agent: str
    moment: Annotated[datetime, Key("timestamp")]


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a document or memory stands, and why."""

    document: Document
    layer: int
    moves: tuple[Move, ...]  # the oldest first


def layer(named: str | int) -> int:
    """The number of a layer by its number or name, `L1` too. Raises `UsageError` with those there are."""
    text = str(named).strip().lower()
    for number, name in LAYERS.items():
        if text in (str(number), f"l{number}", name):
            return number
    listed = ", ".join(f"{number} {name}" for number, name in LAYERS.items())
    raise UsageError(f"There is no layer {named}.", f"The layers are {listed}.")


def tier(named: str) -> Tier:
    """A tier by its name. Raises `UsageError` with those there are."""
    for known in TIERS:
        if named.strip().lower() == known:
            return known
    raise UsageError(f"There is no tier {named}.", f"The tiers are {', '.join(TIERS)}.")


def role(named: str) -> Role:
    """Who speaks, by name. Raises `UsageError` with those there are."""
    said = named.strip().lower()
    for known in ROLES:
        if said == known:
            return known
    raise UsageError(f"There is no role {named}.", f"The roles are {', '.join(ROLES)}.")
