"""What comes of one file: whoever reads it, this process or a worker elsewhere, does it by this."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from ark_tui.domain.documents import Draft, content_hash
from ark_tui.domain.stages import Stages
from ark_tui.domain.work import Problem
from ark_tui.ingest.formats.sourcecode import LANGUAGES
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
    if (why := why_generated(entry.path, data)) and not rules.keeps:
        return Problem(entry.path, why)
    drafts = reading.read(entry, data)
    if not rules.submodule or isinstance(drafts, Problem):
        return drafts
    return tuple(replace(draft, fields=(*draft.fields, (SUBMODULE, rules.submodule))) for draft in drafts)


GENERATED, MINIFIED = "generated", "minified"
HEAD = 2_000  # bytes in which a source says that it is generated
LEAST = 4_096  # bytes of a file whose lines are looked at
LONG = 300  # bytes that its lines have, taken together, where they are joined
SPACED = 0.1  # share of blanks that is not reached there; prose in long lines has more

LOCKS = {
    "package-lock.json": "npm", "npm-shrinkwrap.json": "npm", "yarn.lock": "Yarn", "pnpm-lock.yaml": "pnpm",
    "bun.lock": "Bun", "cargo.lock": "Cargo", "poetry.lock": "Poetry", "uv.lock": "uv", "pdm.lock": "PDM",
    "pipfile.lock": "Pipenv", "gemfile.lock": "Bundler", "composer.lock": "Composer", "go.sum": "Go",
    "mix.lock": "Mix", "pubspec.lock": "Dart", "flake.lock": "Nix", "gradle.lockfile": "Gradle",
}  # fmt: skip
JOINED = (".js", ".mjs", ".cjs", ".css")
MAPS = (".js.map", ".css.map", ".mjs.map")
MADE = re.compile(r"\.min\.(?:m?js|css)$|_pb2(?:_grpc)?\.pyi?$|\.pb\.(?:go|cc|h)$|\.g\.dart$|\.designer\.cs$")
SAYS = re.compile(
    rb"@generated\b|<auto-?generated|generated\b[^\n]{0,120}\n?[^\n]{0,80}do not (?:edit|modify)"
    rb"|do not (?:edit|modify)[^\n]{0,80}\n?[^\n]{0,80}generated\b",
    re.IGNORECASE,
)
"""As Go, Bazel, Buck, .NET and most generators have it."""


def why_generated(path: str, data: bytes) -> str:
    """Why a file is one that a program has written; empty where it is not."""
    name = path.rpartition("/")[2].lower()
    if lock := LOCKS.get(name):
        return f"{GENERATED}: what {lock} has locked"
    suffix = name[name.rfind(".") :]
    if name.endswith(MAPS):
        return f"{GENERATED}: it maps a minified file"
    if suffix not in LANGUAGES:
        return ""
    if suffix in JOINED and (".min." in name or _is_joined(data)):
        return f"{MINIFIED}: its lines are joined"
    if SAYS.search(data[:HEAD]):
        return f"{GENERATED}: it says so"
    return f"{GENERATED}: by its name" if MADE.search(name) else ""


def is_reason(reason: str) -> bool:
    """Whether that is why a file was left out."""
    return reason.startswith((f"{GENERATED}: ", f"{MINIFIED}: "))


def _is_joined(data: bytes) -> bool:
    long = len(data) >= LEAST and len(data) / (data.count(b"\n") + 1) > LONG
    return long and data.count(b" ") < SPACED * len(data)
