"""What comes of one file: whoever reads it, this process or a worker elsewhere, does it by this."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, Protocol, TypeAlias

from ark_tui.domain.documents import Draft, content_hash
from ark_tui.domain.stages import Stages
from ark_tui.domain.work import Problem
from ark_tui.ingest import generated
from ark_tui.ingest.ignore import SUBMODULE
from ark_tui.ingest.reading import Reading, load
from ark_tui.ingest.walk import Entry
from ark_tui.settings.tree import Tree

Cut: TypeAlias = "tuple[Draft, ...] | Problem"
"""The documents in a file, or why there is none."""


class Rules(Protocol):
    """What the rules of a folder say of a file: `Ignore`, or what it has said."""

    def keeps(self, path: str) -> bool:
        """Whether it is kept though a program wrote it."""

    def submodule(self, path: str) -> str:
        """The submodule that it lies in."""


class Said(NamedTuple):
    """What the rules of a folder say of one file, as `Rules` has it."""

    keeps: bool
    submodule: str


class Task(NamedTuple):
    """A file to read, and all but its bytes that decides what comes of it."""

    entry: Entry
    scanned: int  # ns: when it was as the entry says
    same: str  # the content with which nothing is to be done
    rules: Rules


class Taken(NamedTuple):
    """What came of a file: its documents, why there is none, or None where it is as it was."""

    entry: Entry
    scanned: int
    digest: str
    size: int
    drafts: tuple[Draft, ...] | Problem | None


def take(tree: Tree, task: Task, reading: Reading, stages: Stages) -> Taken:
    """Read one file."""
    taken, data = load_one(tree, task, reading, stages)
    if data is None:
        return taken
    with stages.at("cut"):
        return taken._replace(drafts=cut(task.entry, said_of(task), data, reading))


def load_one(tree: Tree, task: Task, reading: Reading, stages: Stages) -> tuple[Taken, bytes | None]:
    """The bytes of a file; None where nothing is to be cut, and then what came of it."""
    entry, scanned = task.entry, task.scanned
    with stages.at("read"):
        data = load(tree, entry, reading.max_bytes)
    if isinstance(data, Problem):
        return Taken(entry, scanned, "", 0, data), None
    digest = content_hash(data)
    return Taken(entry, scanned, digest, len(data), None), None if digest == task.same else data


def said_of(task: Task) -> Said:
    """What the rules of its folder say of a file."""
    path = task.entry.path
    return Said(task.rules.keeps(path), task.rules.submodule(path))


def cut(entry: Entry, said: Said, data: bytes, reading: Reading) -> Cut:
    """The documents in a file, unless a program wrote it and nobody keeps it; marked in a submodule."""
    if (why := generated.why(entry.path, data)) and not said.keeps:
        return Problem(entry.path, why)
    drafts = reading.read(entry, data)
    if not said.submodule or isinstance(drafts, Problem):
        return drafts
    return tuple(replace(draft, fields=(*draft.fields, (SUBMODULE, said.submodule))) for draft in drafts)
