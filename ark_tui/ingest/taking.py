"""What comes of one file: whoever reads it, this process or a worker elsewhere, does it by this."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, Protocol

from ark_tui.domain.documents import Draft, content_hash
from ark_tui.domain.stages import Stages
from ark_tui.domain.work import Problem
from ark_tui.ingest import generated
from ark_tui.ingest.ignore import SUBMODULE
from ark_tui.ingest.reading import Reading, load
from ark_tui.ingest.walk import Entry
from ark_tui.settings.tree import Tree


class Rules(Protocol):
    """What the rules of a folder say of a file: `Ignore`, or what it has said."""

    def keeps(self, path: str) -> bool:
        """Whether it is kept though a program wrote it."""

    def submodule(self, path: str) -> str:
        """The submodule that it lies in."""


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
    entry, scanned = task.entry, task.scanned
    with stages.at("read"):
        data = load(tree, entry, reading.max_bytes)
    if isinstance(data, Problem):
        return Taken(entry, scanned, "", 0, data)
    digest = content_hash(data)
    if digest == task.same:
        return Taken(entry, scanned, digest, len(data), None)
    with stages.at("cut"):
        return Taken(entry, scanned, digest, len(data), _read(task, data, reading))


def _read(task: Task, data: bytes, reading: Reading) -> tuple[Draft, ...] | Problem:
    """The documents in a file, unless a program wrote it and nobody keeps it; marked in a submodule."""
    path = task.entry.path
    if (why := generated.why(path, data)) and not task.rules.keeps(path):
        return Problem(path, why)
    drafts = reading.read(task.entry, data)
    module = task.rules.submodule(path)
    if not module or isinstance(drafts, Problem):
        return drafts
    return tuple(replace(draft, fields=(*draft.fields, (SUBMODULE, module))) for draft in drafts)
