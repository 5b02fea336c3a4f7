"""What a person says of documents, and the edits by which it is said and taken back (requirement T4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar, Literal, get_args

from ark_tui.domain.documents import Document
from ark_tui.domain.fields import As, Key
from ark_tui.domain.query import Mode, Request

Aspect = Literal[
    "tag", "tier", "pin", "link", "unlink", "trash", "note", "judge", "settled", "saved", "collection"
]

NOTHING = 0
"""The document of a change that is about none: about a saved search, or the name of a collection."""

YES, NO = "yes", "no"
UNMADE = "unmade"
"""Said of the trash where a note was taken back that an edit had made; it is in no list."""

Relation = Literal[
    "links_to", "builds_on", "derives_from", "contradicts", "tensions", "superseded_by", "post_mortem"
]
RELATIONS: tuple[Relation, ...] = get_args(Relation)
"""What a link that a person makes can mean."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that an edit changes: what is said of one aspect of one document; None: nothing is."""

    document: int
    aspect: Aspect
    key: str
    before: str | None
    after: str | None

    def reversed(self) -> Change:
        """What takes it back."""
        return Change(self.document, self.aspect, self.key, self.after, self.before)


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit of the log. `undone` ones can be redone; `dropped` ones cannot, another edit came after."""

    number: Annotated[int, Key("edit")]
    at: datetime
    who: str
    what: str  # "tagged 3 documents with draft"
    inverse: str  # "untagged 3 documents"
    state: Literal["done", "undone", "dropped"] = "done"


@dataclass(frozen=True, slots=True)
class Judgment:
    """How well a document answers a query: 2 it is the very answer, 1 it helps, 0 it does not."""

    query: str
    document: Document
    grade: int


GRADES = {"++": 2, "+": 1, "-": 0}
"""How a judgment is typed; `0` takes it back."""

BETTER: Mapping[int | None, int] = {None: 1, 0: 1, 1: 2, 2: 2}
WORSE: Mapping[int | None, int] = {None: 0, 0: 0, 1: 0, 2: 1}
"""The grade one step up and one step down; None where nothing was judged."""


@dataclass(frozen=True, slots=True)
class SavedSearch:
    """A search under a name, with everything that was asked for."""

    also: ClassVar[tuple[str, ...]] = ("query", "mode", "limit", "profile", "superseded")

    name: str
    request: Annotated[Request, As.HIDDEN]

    @property
    def query(self) -> str:
        return self.request.query

    @property
    def mode(self) -> Mode:
        return self.request.mode

    @property
    def limit(self) -> int:
        return self.request.limit

    @property
    def profile(self) -> str:
        return self.request.profile

    @property
    def superseded(self) -> bool:
        return self.request.superseded


@dataclass(frozen=True, slots=True)
class Done:
    """What an edit, an undo or a redo has done, in words. `changed` is false where all was so already."""

    also: ClassVar[tuple[str, ...]] = ("changed",)

    what: Annotated[str, Key("done")]
    documents: tuple[Document, ...] = ()  # as they are now
    edit: int | None = None  # its number in the log
    notices: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        return self.edit is not None


QueueKind = Literal["duplicate", "contradiction", "stale", "unfound", "untagged"]
KINDS: tuple[QueueKind, ...] = ("duplicate", "contradiction", "stale", "unfound", "untagged")

Act = Literal["merge", "supersede", "unlink", "settle", "tag", "trash", "index", "later"]


@dataclass(frozen=True, slots=True)
class Choice:
    """A decision that one key makes. `refs`: ids of the documents that it is about, in the act's order."""

    key: str
    label: str
    act: Act
    refs: Annotated[tuple[str, ...], As.HIDDEN] = ()
    asks: str = ""  # what the person has to type for it: tags


@dataclass(frozen=True, slots=True)
class Item:
    """Something that wants attention, and what can be done about it."""

    id: str  # a letter for its kind and six hex digits; the same question, the same id
    kind: QueueKind
    documents: tuple[Document, ...]
    reason: str
    choices: tuple[Choice, ...]
    suggestions: tuple[str, ...] = ()  # tags of its neighbours in the folder, the commonest first


@dataclass(frozen=True, slots=True)
class Queue:
    """What wants attention, the first of each kind in turn; `counts` are of all, by kind."""

    items: tuple[Item, ...]
    counts: dict[QueueKind, int]
    later: int = 0  # put off for now


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A line of an imported file whose document, or the one that it links to, is not here.

    `what` is "unreadable" for a line that no export writes.
    """

    line: int
    what: str
    path: str


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import of curation has done, as one edit."""

    done: Annotated[Done, As.FLAT]
    lines: int
    applied: int
    unchanged: int
    unmatched: tuple[Unmatched, ...] = ()


@dataclass(frozen=True, slots=True)
class Exported:
    """All that was said, one JSON object a line: `written` to a file, else it is the `content`."""

    lines: int
    written: str | None
    content: Annotated[str, As.SPARSE] = ""
