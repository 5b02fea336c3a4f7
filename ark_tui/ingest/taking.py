"""What comes of one file: whoever reads it, this process or a worker elsewhere, does it by this."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, TypeAlias

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


class Rules(NamedTuple):
    """What the rules of its folder say of one file."""

    keeps: bool  # though a program wrote it
    submodule: str  # that it lies in


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
        return taken._replace(drafts=cut(task.entry, task.rules, data, reading))


def load_one(tree: Tree, task: Task, reading: Reading, stages: Stages) -> tuple[Taken, bytes | None]:
    """The bytes of a file; None where nothing is to be cut, and then what came of it."""
    entry, scanned = task.entry, task.scanned
    with stages.at("read"):
        data = load(tree, entry, reading.max_bytes)
    if isinstance(data, Problem):
        return Taken(entry, scanned, "", 0, data), None
    digest = content_hash(data)
    return Taken(entry, scanned, digest, len(data), None), None if digest == task.same else data


def cut(entry: Entry, rules: Rules, data: bytes, reading: Reading) -> Cut:
    """The documents in a file, unless a program wrote it and nobody keeps it; marked in a submodule."""
    if (why := generated.why(entry.path, data)) and not rules.keeps:
        return Problem(entry.path, why)
    drafts = reading.read(entry, data)
    if not rules.submodule or isinstance(drafts, Problem):
        return drafts
    return tuple(replace(draft, fields=(*draft.fields, (SUBMODULE, rules.submodule))) for draft in drafts)
