"""`ark-tui mcp --install`: adds an entry to the configuration of an assistant, and removes it.

The file is edited as text, so that the rest of it, including comments, stays byte for byte the same.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

from ark_tui.domain.errors import UsageError

if TYPE_CHECKING:
    from ark_tui.operations.encoding import Json

NAME = "ark-tui"
TOML = f"[mcp_servers.{NAME}]"
OWN_TOML = re.compile(rf"\n?^{re.escape(TOML)}\n(?:(?!\[).*(?:\n|\Z))*", re.MULTILINE)
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/|[{}\[\]:,]|[^\s{}\[\]:,"/]+', re.DOTALL)


@dataclass(frozen=True)
class Assistant:
    """A program that can use the tools. `section`: the JSON key of its servers; empty: the file is TOML."""

    file: Callable[[Path, Mapping[str, str]], Path]
    section: str = "mcpServers"


def _application(folder: str, name: str) -> Callable[[Path, Mapping[str, str]], Path]:
    def file(user: Path, environ: Mapping[str, str]) -> Path:
        if sys.platform == "darwin":
            return user / "Library" / "Application Support" / folder / name
        return Path(environ.get("XDG_CONFIG_HOME") or user / ".config") / folder / name

    return file


ASSISTANTS = {
    "claude-code": Assistant(
        lambda user, environ: Path(environ.get("CLAUDE_CONFIG_DIR") or user) / ".claude.json"
    ),
    "claude-desktop": Assistant(_application("Claude", "claude_desktop_config.json")),
    "cursor": Assistant(lambda user, _: user / ".cursor" / "mcp.json"),
    "vscode": Assistant(_application("Code/User", "mcp.json"), "servers"),
    "codex": Assistant(
        lambda user, environ: Path(environ.get("CODEX_HOME") or user / ".codex") / "config.toml", ""
    ),
}


@dataclass(frozen=True)
class Change:
    """A change of a file: its text before and after; None: there is no file."""

    path: Path
    before: str | None
    after: str | None

    def apply(self) -> None:
        """Write or remove the file. Raises `UsageError` if that fails."""
        path = self.path.resolve()
        try:
            if self.after is None:
                path.unlink(missing_ok=True)
            elif self.after != self.before:
                path.parent.mkdir(parents=True, exist_ok=True)
                with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}-", delete=False) as file:
                    file.write(self.after.encode())
                if path.exists():
                    shutil.copymode(path, file.name)
                Path(file.name).replace(path)
        except OSError as error:
            raise UsageError(
                f"{self.path} cannot be written: {error.strerror}.", "Check its permissions."
            ) from error

    @property
    def lines(self) -> list[str]:
        """The removed (`-`) and added (`+`) lines, without the unchanged rest."""
        old, new = self.before or "", self.after or ""
        start = _shared(old, new)
        end = _shared(old[start:][::-1], new[start:][::-1])
        parts = (("-", old[start : len(old) - end]), ("+", new[start : len(new) - end]))
        return [f"{sign} {line}" for sign, text in parts for line in text.splitlines() if line.strip()]


def _shared(one: str, other: str) -> int:
    """The length of the common prefix."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def installed(name: str, command: Sequence[str], user: Path, environ: Mapping[str, str]) -> Change:
    """Add an entry that runs the command to an assistant's file. Raises `UsageError` if it is damaged."""
    without = removed(name, user, environ)
    path, section, text = without.path, ASSISTANTS[name].section, without.after
    entry: Json = {"command": command[0], "args": [*command[1:]]}
    if not section:
        return Change(path, without.before, _with_toml(text, entry))
    if not (text or "").strip():
        return Change(path, without.before, _fresh(section, entry))
    return Change(path, without.before, _with_json(path, text or "", section, entry))


def removed(name: str, user: Path, environ: Mapping[str, str]) -> Change:
    """Remove the entry from an assistant's file; a file that `installed` created is removed."""
    path, section, before = _found(name, user, environ)
    if before is None:
        return Change(path, None, None)
    if not section:
        after = _removed(path, section, before)
        return Change(path, before, None if not after and before.startswith(TOML) else after)
    entry = (_parsed(path, before, section).get(section) or {}).get(NAME) if before.strip() else None
    if entry is not None and before == _fresh(section, entry):
        return Change(path, before, None)
    return Change(path, before, _removed(path, section, before))


def _found(name: str, user: Path, environ: Mapping[str, str]) -> tuple[Path, str, str | None]:
    assistant = ASSISTANTS[name]
    path = assistant.file(user, environ)
    try:
        before = path.read_bytes().decode() if path.exists() else None
    except (OSError, UnicodeDecodeError) as error:
        raise _unusable(path) from error
    return path, assistant.section, before


def _unusable(path: Path) -> UsageError:
    return UsageError(f"{path} cannot be read.", "Repair it, or add the server by hand: docs/agents.md.")


# -- TOML ------------------------------------------------------------------------------------------------


def _with_toml(text: str | None, entry: Json) -> str:
    """Append a table to the text, after a line break."""
    table = f"{TOML}\ncommand = {json.dumps(entry['command'])}\nargs = {json.dumps(entry['args'])}\n"
    return table if text is None else f"{text}\n{table}"


def _removed(path: Path, section: str, text: str) -> str:
    if section:
        return _without_json(path, text, section) if text.strip() else text
    try:
        known = tomllib.loads(text).get("mcp_servers", {})
        rest = OWN_TOML.sub("", text, count=1)
        left = tomllib.loads(rest).get("mcp_servers", {})
    except tomllib.TOMLDecodeError as error:
        raise _unusable(path) from error
    if left != {key: value for key, value in known.items() if key != NAME}:
        raise _unusable(path)
    return rest


# -- JSON ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Member:
    start: int  # of its key
    value: int
    end: int


def _members(text: str, at: int) -> dict[str, _Member]:
    """The members of the JSON object that begins at `at`; comments are allowed."""
    found: dict[str, _Member] = {}
    depth = 0
    tokens: list[re.Match[str]] = []
    for token in TOKEN.finditer(text, at):
        word = token[0]
        if word.startswith(("//", "/*")):
            continue
        if depth == 1 and word in ",}":
            if len(tokens) > 2 and tokens[1][0] == ":":
                found[json.loads(tokens[0][0])] = _Member(
                    tokens[0].start(), tokens[2].start(), tokens[-1].end()
                )
            tokens = []
        elif depth:
            tokens.append(token)
        depth += (word in "{[") - (word in "}]")
        if not depth:
            break
    return found


def _top(text: str) -> int:
    """The position of the first opening brace; -1 if there is none."""
    return next((one.start() for one in TOKEN.finditer(text) if one[0] == "{"), -1)


def _parsed(path: Path, text: str, section: str) -> Json:
    """Parse JSON with comments and trailing commas."""
    words = [one[0] for one in TOKEN.finditer(text) if not one[0].startswith(("//", "/*"))]
    last = [
        word for word, after in zip(words, [*words[1:], ""], strict=True) if word != "," or after not in "}]"
    ]
    try:
        found = json.loads("".join(last))
    except ValueError as error:
        raise _unusable(path) from error
    if not isinstance(found, dict) or not isinstance(found.get(section) or {}, dict):
        raise _unusable(path)
    return found


def _fresh(section: str, entry: Json) -> str:
    """The text of a new file with the entry."""
    return json.dumps({section: {NAME: entry}}, indent=2) + "\n"


def _with_json(path: Path, text: str, section: str, entry: Json) -> str:
    """Add the entry as first member of the section; a new section is written on one line."""
    top = _top(text)
    members = _members(text, top)
    if section in members:
        at = members[section].value
        if text[at : at + 1] != "{":
            raise _unusable(path)
        inside = _members(text, at)
        piece = f"\n    {json.dumps(NAME)}: {json.dumps(entry)}{',' if inside else ''}"
    else:
        at = top
        piece = f'\n  "{section}": {{{json.dumps(NAME)}: {json.dumps(entry)}}}{"," if members else ""}'
    after = f"{text[: at + 1]}{piece}{text[at + 1 :]}"
    rest = _parsed(path, text, section)
    if _parsed(path, after, section) != {**rest, section: {NAME: entry, **rest.get(section, {})}}:
        raise _unusable(path)
    return after


def _without_json(path: Path, text: str, section: str) -> str:
    """Remove the entry, and the section if `_with_json` created it."""
    rest = _parsed(path, text, section)
    if NAME not in (rest.get(section) or {}):
        return text
    top = _top(text)
    outer = _members(text, top)
    at = outer[section].value
    inner = _members(text, at)
    if [*inner] == [NAME] and text[at : inner[NAME].start] == "{" and text[inner[NAME].end] == "}":
        return _cut(text, top, outer[section], [*outer.values()])
    return _cut(text, at, inner[NAME], [*inner.values()])


def _cut(text: str, at: int, member: _Member, members: Sequence[_Member]) -> str:
    """Remove a member of the object at `at` with its separating comma."""
    place = members.index(member)
    if place:
        return text[: members[place - 1].end] + text[member.end :]
    end = member.end
    if len(members) > 1:
        end = next(one.end() for one in TOKEN.finditer(text, end) if one[0] == ",")
    return text[: at + 1] + text[end:]
