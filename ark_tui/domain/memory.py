"""Memory: scopes, layers, tiers, and the records stored in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from ark_tui.domain.documents import TIERS, Document, Purged, Tier
from ark_tui.domain.errors import UsageError
from ark_tui.domain.fields import As, Key
from ark_tui.domain.layers import DIRECTIVE, EPISODIC, PATTERN, RETIRED, SEMANTIC, WORKING

LAYERS = {
    WORKING: "working",
    EPISODIC: "episodic",
    SEMANTIC: "semantic",
    PATTERN: "pattern",
    DIRECTIVE: "directive",
}
"""The degree of abstraction of a memory from the conversations; 0: a document of a folder."""

Role = Literal["user", "assistant", "system", "developer", "tool"]
ROLES: tuple[Role, ...] = ("user", "assistant", "system", "developer", "tool")

Name = TypeVar("Name", bound=str)

TaskState = Literal["open", "done", "deleted", "purged"]
AccessKind = Literal["opened", "copied", "cited"]
ACCESS_KINDS: tuple[AccessKind, ...] = ("opened", "copied", "cited")

DEFAULT = "default"
"""The agent, session and conversation used if none is named."""

EVERY = "ALL"
"""As an agent or a session: all of them; for reading only."""


@dataclass(frozen=True, slots=True)
class Scope:
    """An agent and one of its sessions; `ALL` reads all of them."""

    agent: str = DEFAULT
    session: str = DEFAULT

    @property
    def whole(self) -> bool:
        """Whether it is a single scope, as writes require."""
        return EVERY not in (self.agent, self.session)

    @property
    def name(self) -> str:
        return f"{self.agent}/{self.session}"


@dataclass(frozen=True, slots=True)
class ScopeInfo:
    """A non-empty scope, with counts of its contents."""

    scope: Annotated[Scope, As.FLAT]
    scratch: int = 0
    tasks: int = 0
    conversations: int = 0
    messages: int = 0
    items: Annotated[int, Key("memories")] = 0


@dataclass(frozen=True, slots=True)
class ScratchValue:
    """A version of the value of a scratchpad key; versions count from 1."""

    key: str
    value: Annotated[str, As.NULL]
    version: int
    moment: Annotated[datetime, Key("timestamp")]
    scope: Annotated[Scope, As.FLAT]
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class ScratchPast:
    """All versions of a key, oldest first."""

    versions: tuple[ScratchValue, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """A task. Ids count from 1 within the scope."""

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
    """A conversation. Its id is unique within its scope; `messages` counts its messages."""

    id: Annotated[str, Key("conversation_id")]
    scope: Annotated[Scope, As.FLAT]
    created: datetime
    messages: int
    number: Annotated[int, As.HIDDEN]
    title: Annotated[str, As.SPARSE] = ""
    closed: Annotated[bool | None, As.SPARSE] = None  # true if no more messages are expected


@dataclass(frozen=True, slots=True)
class Deleted:
    """A permanently deleted conversation. `remains`: backups that may still contain its messages."""

    conversation_id: str
    messages: int
    remains: tuple[str, ...]
    status: Literal["deleted"] = "deleted"


@dataclass(frozen=True, slots=True)
class ImportedChats:
    """The contents of another program's chat export, and how much is new; a preview unless `done`.

    `left_out`: entries that are not messages, have no text, or belong to hidden branches. `problems`:
    unreadable conversations and files, which were skipped.
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
class Message:
    """A message. `sequence` counts from 1 in its conversation; `id` is its document's.

    `name`: of the participant or tool. `tool_call_id`: of the call that this message answers. `given`: its
    other fields, such as `tool_calls` and `metadata`, and `content` if it was not plain text.
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


@dataclass(frozen=True, slots=True)
class Saying:
    """A new message, to be stored.

    Without a query id, a user message starts a new query; all others belong to the latest one. `key`: the
    client's own id; a second message with the same key in a conversation is skipped. `timestamp`: None for
    now. The other fields are as in `Message`.
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
    """A page of messages; `total` counts all pages. `waiting`: messages not indexed yet."""

    messages: tuple[Message, ...]
    total: int
    limit: int
    offset: int
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class Item:
    """A memory other than a message, with its text, scope and validity."""

    also: ClassVar[tuple[str, ...]] = ("layer", "retired")

    document: Annotated[Document, As.FLAT]
    text: str
    scope: Annotated[Scope, As.FLAT]
    since: datetime | None
    until: datetime | None  # end of its retention; None: unlimited
    added: datetime
    changed: datetime
    owner: Annotated[str, As.SPARSE] = ""  # the only agent that sees it; empty: visible to all
    project: Annotated[str, As.SPARSE] = ""

    @property
    def layer(self) -> int:
        """Its layer, see `LAYERS`."""
        return self.document.layer

    @property
    def retired(self) -> bool:
        """Whether it was retired, that is excluded from retrieval."""
        return self.document.status == RETIRED


@dataclass(frozen=True, slots=True)
class Purge:
    """Permanently deleted memory; a preview unless `done`. `bytes`: of text; `vectors`: unused ones."""

    messages: int
    items: Annotated[tuple[Item, ...], Key("memories")]
    bytes: int
    notes: int = 0  # deleted tasks and scratchpad keys
    vectors: int = 0
    done: Annotated[bool, Key("purged")] = False


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Forgotten memories; a preview unless `done`.

    `items`: includes the items that they had replaced. `rest_on`: messages with the same content that
    remain, by conversation and position. `bytes`: of text. `candidates`: deleted with them. `remains`:
    backups that may still contain them.
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
    """The result or preview of a purge: permanently deleted memory and trash."""

    memory: Annotated[Purge, As.FLAT]
    trash: Purged


@dataclass(frozen=True, slots=True)
class Move:
    """A change of an item's tier, layer or status, with the reason."""

    axis: Literal["tier", "layer", "status"]
    was: str
    became: str
    reason: str
    agent: str
    moment: Annotated[datetime, Key("timestamp")]


@dataclass(frozen=True, slots=True)
class Standing:
    """The layer of a document or memory, with the changes that led to it."""

    document: Document
    layer: int
    moves: tuple[Move, ...]  # oldest first


def layer(named: str | int) -> int:
    """Parse a layer from its number, name or `L1` form. Raises `UsageError`, which lists the layers."""
    text = str(named).strip().lower()
    for number, name in LAYERS.items():
        if text in (str(number), f"l{number}", name):
            return number
    listed = ", ".join(f"{number} {name}" for number, name in LAYERS.items())
    raise UsageError(f"There is no layer {named}.", f"The layers are {listed}.")


def tier(named: str) -> Tier:
    """Parse a tier from its name. Raises `UsageError`, which lists the tiers."""
    return choice(named, TIERS, f"There is no tier {named}.", f"The tiers are {', '.join(TIERS)}.")


def role(named: str) -> Role:
    """Parse a role from its name. Raises `UsageError`, which lists the roles."""
    return choice(named, ROLES, f"There is no role {named}.", f"The roles are {', '.join(ROLES)}.")


def choice(named: str, known: Sequence[Name], what: str, hint: str) -> Name:
    """The one of the known names that is meant, in any case. Raises `UsageError` with these sentences."""
    for one in known:
        if named.strip().casefold() == one.casefold():
            return one
    raise UsageError(what, hint)
