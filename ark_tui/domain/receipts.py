"""Receipts: what a search was asked with and what it answered, to be run again and compared (X5)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, ClassVar, Literal

from ark_tui.domain.fields import As
from ark_tui.domain.hits import Band, Multiplier, Part, Shift, SignalStatus
from ark_tui.domain.searches import Move

KIND = "receipt of ark-tui"
FORMAT = 1
"""The version of the document; a program reads those up to its own."""

FIRST = 10
"""So many hits make the answer: what lies further down is told, and changes none."""

CLOSE = 1e-5
"""By so much a part may differ between two machines and still be the same."""


@dataclass(frozen=True, slots=True)
class Clock:
    """When the search ran, and the day from which its relative times were counted."""

    at: datetime
    today: date


@dataclass(frozen=True, slots=True)
class CorpusState:
    """What was searched. The counters tell, in the same store, what came, went and was edited since.

    `store` and `epoch` name the store; `change`, `edit`, `document`, `message` are the last numbers that it
    has given out. `content`: a digest of the ids and texts of all chunks but those of messages. `waiting`:
    changes that the indexes had not taken up. `deleted`: texts that the word index still counts though they
    are gone. `weighed`, `learnt`: how many texts there were when `idf` and `latent` last looked at all of
    them.
    """

    store: str
    epoch: str
    change: int
    edit: int
    document: int
    message: int
    documents: int
    chunks: int
    content: str
    waiting: int
    deleted: int
    weighed: int
    learnt: int


@dataclass(frozen=True, slots=True)
class ReceiptHit:
    """A hit as it was: where it stood, what text it was, and every part of its score.

    `content` is a digest of the document's title and text, `text` of what the models are given of the chunk.
    `facts` is what else is known of the document and decides who may answer: tier, tags, date and the like.
    Characters count from 0 in the document, lines from 1.
    """

    rank: int
    document: str
    collection: str
    path: str
    title: str
    content: str
    facts: dict[str, str]
    chunk: str
    text: str
    characters: tuple[int, ...]  # first and last
    lines: tuple[int, ...]  # likewise
    score: float
    band: Band
    chance: float | None
    signals: tuple[Part, ...]
    multipliers: tuple[Multiplier, ...]
    moved: tuple[Shift, ...]


@dataclass(frozen=True, slots=True)
class Receipt:
    """A search with all that its answer depends on.

    `request` is as it was asked, `profile` all parameters that it was ranked by. `models`: the fingerprint of
    each that had a say, by what it does. `made`: when this was written. `terms`: those that were added to the
    query; `chat`: those of them that a chat model gave. `remark`: what is to be said of how it was made.
    """

    kind: str
    format: int
    query: str
    search: str
    request: dict[str, Any]
    profile: dict[str, Any]
    settings: dict[str, Any]
    models: dict[str, str]
    versions: dict[str, str]
    made: datetime
    clock: Clock
    corpus: CorpusState
    lamps: tuple[SignalStatus, ...]
    terms: tuple[str, ...]
    chat: tuple[str, ...]
    found: int
    abstained: bool
    below_floor: int
    hits: tuple[ReceiptHit, ...]
    remark: Annotated[str, As.SPARSE] = ""


CauseKind = Literal[
    "text", "curation", "model", "weights", "settings", "program", "clock", "use", "index", "unknown"
]

Effect = Literal["answer", "scores", "nothing", ""]


@dataclass(frozen=True, slots=True)
class Cause:
    """Something that is not as it was. `documents`: paths of those that it is about.

    `effect`: what this alone has changed, where that could be tried by leaving it as it was.
    """

    kind: CauseKind
    what: str
    documents: tuple[str, ...] = ()
    effect: Annotated[Effect, As.SPARSE] = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """A figure of a hit that is another one now; None: there was none, or there is none now."""

    document: str  # its path
    what: str  # `rank`, a signal, a multiplier, `score`, `chance`, `band`, `lines`
    before: float | str | None
    after: float | str | None


State = Literal["same", "close", "shifted", "changed", "unreadable"]
STATES: dict[State, str] = {
    "same": "the same to the last bit",
    "close": f"the same hits, every part within {CLOSE:g}",
    "shifted": "the same hits in the same order, other scores",
    "changed": "another answer",
    "unreadable": "cannot be read",
}


@dataclass(frozen=True, slots=True)
class Verification:
    """A receipt run again. `moves`: hits that stand elsewhere, came or went. `largest`: of all differences.

    `why`: of what cannot be read, why.
    """

    file: str
    state: State
    query: str = ""
    moves: tuple[Move, ...] = ()
    causes: tuple[Cause, ...] = ()
    differences: tuple[Difference, ...] = ()
    largest: float = 0.0
    why: Annotated[str, As.SPARSE] = ""


@dataclass(frozen=True, slots=True)
class Verified:
    """Receipts that were run again. `code`: 0: no answer has changed; 1: one has; 2: one cannot be read."""

    also: ClassVar[tuple[str, ...]] = ("code",)

    receipts: tuple[Verification, ...]

    @property
    def code(self) -> int:
        """How a command ends that has verified them."""
        states = {one.state for one in self.receipts}
        return 2 if "unreadable" in states else int("changed" in states)
