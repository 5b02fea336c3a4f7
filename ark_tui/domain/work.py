"""Long-running work and the state of the home: progress, reports, coverage, checks."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, ClassVar, Literal

from ark_tui.domain.fields import As, Key

FileState = Literal["indexed", "waiting", "away", "skipped", "failed", "ignored"]


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a job. `total` is None while unknown."""

    stage: str  # "scan", "read", "words", "vectors", "analyse" …
    done: int
    total: int | None = None
    note: str = ""  # such as the current file


RunKind = Literal["index", "analyse", "embed", "model"]


@dataclass(frozen=True, slots=True)
class Run:
    """A started long-running job, as stored in the home. `what`: its folder or model."""

    kind: RunKind
    what: str = ""
    collection: str = ""  # the requested name of the folder's collection; empty: not given
    tags: tuple[str, ...] = ()
    paused: bool = False  # resumes only on request
    on: str = ""  # the requested cluster, whose workers do it


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that was not indexed, with the reason; or an `indexed` file with a warning."""

    path: str
    reason: str
    state: Literal["indexed", "skipped", "failed"] = "skipped"


@dataclass(frozen=True, slots=True)
class IndexReport:
    """The result of one indexing run.

    Counts are of files, except: `embedded` counts texts, `duplicates` counts chunks that repeat another
    document's.
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

    @property
    def left_out(self) -> tuple[Problem, ...]:
        """The problems of files that could not be indexed."""
        return tuple(problem for problem in self.problems if problem.state != "indexed")

    @property
    def touched(self) -> int:
        """The number of files whose content or path changed since the last run."""
        return self.added + self.changed + self.renamed + self.removed


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """A file of a collection, with its indexing state."""

    collection: str
    path: str
    state: FileState
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Coverage:
    """The files of all followed folders: counts by state, and the requested rows."""

    counts: dict[FileState, int]
    rows: Annotated[tuple[CoverageRow, ...], Key("files")]
    total: int  # matching rows; `rows` is one page of them


@dataclass(frozen=True, slots=True)
class CollectionInfo:
    """A collection and its size; `root` is its folder, None for texts without files."""

    name: str
    root: str | None
    documents: int
    chunks: int
    read: datetime | None = None  # when its folder was last read completely
    missing: bool = False  # its folder is unavailable


@dataclass(frozen=True, slots=True)
class FollowerState:
    """How many changes an index lags behind the store. `recall_at_10`: None if vector search is exact."""

    name: str
    behind: int
    problem: str = ""
    recall_at_10: float | None = None


@dataclass(frozen=True, slots=True)
class EmbeddingInfo:
    """The embedding model of the corpus; `fingerprint` is empty if none could be loaded."""

    provider: str
    model: str
    dims: int
    fingerprint: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """The file of the store, its schema version, and the size of store and indexes in bytes."""

    path: Annotated[str, As.SPARSE]  # omitted for programs
    schema: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Space:
    """The disk space of a home by purpose, in bytes; `bound`: the limit as text, if any."""

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
    change: int  # the number of the latest change; a cache key for clients
    space: tuple[Space, ...] = ()  # disk space by purpose
    rows: Annotated[tuple[CoverageRow, ...], Key("files")] = field(
        default=(), repr=False
    )  # files with a state other than `indexed`, or with a warning

    @property
    def store(self) -> StoreInfo:
        """The store's path, schema version and size."""
        return StoreInfo(self.store_path, self.schema, self.bytes)


@dataclass(frozen=True, slots=True)
class Check:
    """One finding of `doctor`; `ok` is None for a neutral remark."""

    name: str
    ok: bool | None
    detail: str
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class Publication:
    """A published index: its chunks, the number of changes written now, and the model of its vectors."""

    uri: str
    chunks: int
    written: int
    model: str
