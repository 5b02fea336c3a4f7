"""Long work and the state of the home: progress, reports, coverage, checks."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, ClassVar, Literal

from ark_tui.domain.fields import As, Key
from ark_tui.domain.stages import StageTime

FileState = Literal["indexed", "waiting", "away", "skipped", "failed", "ignored"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a piece of work is. `total` is None while it is not known."""

    stage: str  # "scan", "read", "words", "vectors", "analyse" …
    done: int
    total: int | None = None
    note: str = ""  # the file at hand, say


RunKind = Literal["index", "analyse", "embed", "model"]


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of long work that was begun. `what`: the folder, or the model, that it is about."""

    kind: RunKind
    what: str = ""
    collection: str = ""  # what the folder's collection was to be called, where somebody said
    tags: tuple[str, ...] = ()
    paused: bool = False  # it goes on when somebody says so, not by itself
    on: str = ""  # the cluster whose workers do it, as somebody has said


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that was left out, and why; or, `indexed`, one with something odd about it."""

    path: str
    reason: str
    state: Literal["indexed", "skipped", "failed"] = "skipped"


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one indexing run did.

    Counts are of documents' files; `embedded` counts texts, `duplicates` the chunks that turned out to
    repeat another document's.
    """

    collections: tuple[str, ...] = ()
    added: int = 0
    changed: int = 0
    renamed: int = 0
    removed: int = 0
    unchanged: int = 0
    skipped: int = 0
    failed: int = 0
    duplicates: int = 0
    embedded: int = 0
    took_s: float = 0.0
    problems: tuple[Problem, ...] = ()
    notices: tuple[str, ...] = ()
    stages: Annotated[tuple[StageTime, ...], As.SPARSE] = ()  # where the time went, for whoever asks

    @property
    def left_out(self) -> tuple[Problem, ...]:
        """The problems of files that could not be indexed."""
        return tuple(problem for problem in self.problems if problem.state != "indexed")

    @property
    def touched(self) -> int:
        """Files whose content or place had changed since the last run."""
        return self.added + self.changed + self.renamed + self.removed


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """One known file and how far it has come."""

    collection: str
    path: str
    state: FileState
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Every file of the followed folders: how many there are of each state, and those that were asked for."""

    counts: dict[FileState, int]
    rows: Annotated[tuple[CoverageRow, ...], Key("files")]
    total: int  # rows that match, of which `rows` has a page


@dataclass(frozen=True, slots=True)
class CollectionInfo:
    """A collection and its size; `root` is the folder it follows, or None for text without a file."""

    name: str
    root: str | None
    documents: int
    chunks: int
    read: datetime | None = None  # when its folder was read to the end last
    missing: bool = False  # its folder is not there now


@dataclass(frozen=True, slots=True)
class FollowerState:
    """How far an index is behind the store, in chunks; `recall_at_10` of its self-test, None while exact."""

    name: str
    behind: int
    recall_at_10: float | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class EmbeddingInfo:
    """The model whose vectors the corpus uses; `fingerprint` is empty when none could be loaded."""

    provider: str
    model: str
    dims: int
    fingerprint: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """The store's file, the version of its tables, and the bytes that it and its indexes take."""

    path: Annotated[str, As.SPARSE]  # programs are not told
    schema: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Space:
    """The bytes of a home that are for one purpose; `bound`: how much is kept at most, in words, if any."""

    purpose: str
    bytes: int
    bound: str = ""


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a home."""

    also: ClassVar[tuple[str, ...]] = ("store",)

    documents: int
    chunks: int
    collections: tuple[CollectionInfo, ...]
    coverage: dict[FileState, int]
    followers: tuple[FollowerState, ...]
    embedding: EmbeddingInfo
    store_path: Annotated[str, As.HIDDEN]
    schema: Annotated[int, As.HIDDEN]
    bytes: Annotated[int, As.HIDDEN]
    change: int  # the number of the latest change, for whoever caches by it
    space: tuple[Space, ...] = ()  # the bytes by what they are for
    rows: Annotated[tuple[CoverageRow, ...], Key("files")] = field(
        default=(), repr=False
    )  # what is not plainly indexed

    @property
    def store(self) -> StoreInfo:
        """What there is to say of the store."""
        return StoreInfo(self.store_path, self.schema, self.bytes)


@dataclass(frozen=True, slots=True)
class Check:
    """One finding of `doctor`: `ok` is None for a remark that is neither good nor bad."""

    name: str
    ok: bool | None
    detail: str
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class Publication:
    """What is published at a place: its chunks, how many changes were written now, and the vectors' model."""

    uri: str
    chunks: int
    written: int
    model: str
