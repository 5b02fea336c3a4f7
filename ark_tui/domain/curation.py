"""Curation: a user's statements about documents, made and undone by edits (requirement T4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar, Literal, get_args

from ark_tui.domain.documents import Document
from ark_tui.domain.fields import As, Key, Some
from ark_tui.domain.query import Request

Aspect = Literal[
    "tag", "tier", "pin", "link", "unlink", "trash", "note", "judge", "settled", "saved", "collection"
]

NOTHING = 0
"""The document number of a change without a document: of a saved search or a collection name."""

YES, NO = "yes", "no"
UNMADE = "unmade"
"""The trash value of a note whose creation was undone; no list shows it."""

Relation = Literal[
    "links_to", "builds_on", "derives_from", "contradicts", "tensions", "superseded_by", "post_mortem"
]
RELATIONS: tuple[Relation, ...] = get_args(Relation)
"""The relations of links that a user can add."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of an edit: the value of one aspect of one document; None: no value."""

    document: int
    aspect: Aspect
    key: str
    before: str | None
    after: str | None

    def reversed(self) -> Change:
        """The change that undoes it."""
        return Change(self.document, self.aspect, self.key, self.after, self.before)


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit in the log. `undone`: can be redone; `dropped`: cannot, since another edit followed."""

    number: Annotated[int, Key("edit")]
    at: datetime
    who: str
    what: str  # "tagged 3 documents with draft"
    inverse: str  # "untagged 3 documents"
    state: Literal["done", "undone", "dropped"] = "done"


@dataclass(frozen=True, slots=True)
class Judgment:
    """The relevance of a document to a query: 2 fully relevant, 1 partially relevant, 0 not relevant."""

    query: str
    document: Document
    grade: int


GRADES = {"++": 2, "+": 1, "-": 0}
"""The input for each grade; `0` removes a judgment."""

BETTER: Mapping[int | None, int] = {None: 1, 0: 1, 1: 2, 2: 2}
WORSE: Mapping[int | None, int] = {None: 0, 0: 0, 1: 0, 2: 1}
"""The next grade up and down; None: not judged."""


@dataclass(frozen=True, slots=True)
class SavedSearch:
    """A named search, with its complete request."""

    name: str
    request: Annotated[Request, Some(("query", "mode", "limit", "profile", "superseded"))]


@dataclass(frozen=True, slots=True)
class Done:
    """The result of an edit, undo or redo as text. `changed` is false if there was nothing to change."""

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
    """A decision with its shortcut key. `refs`: document ids, in the order that the act needs."""

    key: str
    label: str
    act: Act
    refs: Annotated[tuple[str, ...], As.HIDDEN] = ()
    asks: str = ""  # the input that it requires: tags


@dataclass(frozen=True, slots=True)
class Item:
    """An issue for review, with the possible decisions."""

    id: str  # a letter for the kind and six hex digits; stable for the same issue
    kind: QueueKind
    documents: tuple[Document, ...]
    reason: str
    choices: tuple[Choice, ...]
    suggestions: tuple[str, ...] = ()  # tags of other documents in the folder, most frequent first


@dataclass(frozen=True, slots=True)
class Queue:
    """Issues for review, the kinds interleaved; `counts`: all issues by kind."""

    items: tuple[Item, ...]
    counts: dict[QueueKind, int]
    later: int = 0  # number of postponed issues


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A line of an imported file whose document or link target does not exist here.

    `what` is "unreadable" for an invalid line.
    """

    line: int
    what: str
    path: str


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of a curation import, which is one edit."""

    done: Annotated[Done, As.FLAT]
    lines: int
    applied: int
    unchanged: int
    unmatched: tuple[Unmatched, ...] = ()


@dataclass(frozen=True, slots=True)
class Exported:
    """Exported curation, one JSON object per line: `written` to a file, or in `content`."""

    lines: int
    written: str | None
    content: Annotated[str, As.SPARSE] = ""
