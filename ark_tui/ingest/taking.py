"""Processing of one file, used by this process, by worker processes and by remote workers alike."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from ark_tui.domain.documents import Draft, content_hash
from ark_tui.domain.work import Problem
from ark_tui.ingest.formats.sourcecode import LANGUAGES
from ark_tui.ingest.ignore import SUBMODULE
from ark_tui.ingest.reading import Reading, load
from ark_tui.ingest.walk import Entry
from ark_tui.settings.tree import Tree


class Rules(NamedTuple):
    """Results of the ignore rules for one file."""

    keeps: bool  # index it even if it is generated
    submodule: str  # path of its git submodule, or ""


class Task(NamedTuple):
    """A file to read, with everything but its bytes that determines the result."""

    entry: Entry
    scanned: int  # ns: when the entry was read
    same: str  # content hash for which nothing needs to be done
    rules: Rules


class Taken(NamedTuple):
    """The result for a file: its documents, a problem, or None if it is unchanged."""

    entry: Entry
    scanned: int
    digest: str
    size: int
    drafts: tuple[Draft, ...] | Problem | None


def take(tree: Tree, task: Task, reading: Reading) -> Taken:
    """Read and parse one file."""
    entry, scanned = task.entry, task.scanned
    data = load(tree, entry, reading.max_bytes)
    if isinstance(data, Problem):
        return Taken(entry, scanned, "", 0, data)
    digest = content_hash(data)
    drafts = None if digest == task.same else _cut(entry, task.rules, data, reading)
    return Taken(entry, scanned, digest, len(data), drafts)


def _cut(entry: Entry, rules: Rules, data: bytes, reading: Reading) -> tuple[Draft, ...] | Problem:
    """Parse a file into documents. Generated files are skipped unless a rule includes them.

    Documents from a git submodule get a `submodule` field.
    """
    if (why := why_generated(entry.path, data)) and not rules.keeps:
        return Problem(entry.path, why)
    drafts = reading.read(entry, data)
    if not rules.submodule or isinstance(drafts, Problem):
        return drafts
    return tuple(replace(draft, fields=(*draft.fields, (SUBMODULE, rules.submodule))) for draft in drafts)


GENERATED, MINIFIED = "generated", "minified"
HEAD = 2_000  # bytes in which a "generated" marker is searched
LEAST = 4_096  # minimum size in bytes for the check for minified code
LONG = 300  # minimum mean line length in bytes of minified code
SPACED = 0.1  # maximum share of spaces in minified code; prose in long lines has more

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
"""Markers used by Go, Bazel, Buck, .NET and most generators."""


def why_generated(path: str, data: bytes) -> str:
    """Why a file counts as generated or minified; "" if it does not."""
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
    """Whether a reason comes from `why_generated`."""
    return reason.startswith((f"{GENERATED}: ", f"{MINIFIED}: "))


def _is_joined(data: bytes) -> bool:
    long = len(data) >= LEAST and len(data) / (data.count(b"\n") + 1) > LONG
    return long and data.count(b" ") < SPACED * len(data)
