"""Files that a program has written for other programs: left out, with the reason, where nobody keeps them.

What says of itself in its first lines that it is generated, what has its lines joined (minified), and what a
package manager has locked. Text for people is never one, whatever it says.
"""

from __future__ import annotations

import re

from ark_tui.ingest.formats.sourcecode import LANGUAGES

GENERATED, MINIFIED = "generated", "minified"
HEAD = 2_000  # bytes in which a source says that it is generated
LEAST = 4_096  # bytes of a file whose lines are looked at
LONG = 300  # bytes that its lines have, taken together, where they are joined

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


def why(path: str, data: bytes) -> str:
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
    return len(data) >= LEAST and len(data) / (data.count(b"\n") + 1) > LONG
