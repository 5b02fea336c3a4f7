"""`ark-tui mcp --install`: adds an entry to the configuration of an assistant, and removes it."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import UsageError

if TYPE_CHECKING:
    from ark_tui.operations.encoding import Json

NAME = "ark-tui"


@dataclass(frozen=True)
class Assistant:
    """A program that can use the tools. `section`: the key of its servers in its file (JSON or TOML)."""

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
        lambda user, environ: Path(environ.get("CODEX_HOME") or user / ".codex") / "config.toml",
        "mcp_servers",
    ),
}


@dataclass(frozen=True)
class Change:
    """A change of a file: its text afterwards, and the removed (`-`) and added (`+`) lines of the entry.

    Without lines, nothing changes.
    """

    path: Path
    after: str
    lines: tuple[str, ...]

    def apply(self) -> None:
        """Write the file. Raises `UsageError` if that fails."""
        try:
            path = self.path.resolve()
            path.parent.mkdir(parents=True, exist_ok=True)
            beside = path.with_name(f"{path.name}.new")
            beside.write_text(self.after, "utf-8")
            if path.exists():
                shutil.copymode(path, beside)
            beside.replace(path)
        except OSError as error:
            raise UsageError(
                f"{self.path} cannot be written: {error.strerror}.", "Check its permissions."
            ) from error


def change(name: str, command: Sequence[str], user: Path, environ: Mapping[str, str]) -> Change:
    """Set the entry of an assistant's file to this command; without a command, remove it.

    All other settings stay; a JSON file is laid out anew. Raises `UsageError` for a file that is not plain
    JSON or TOML.
    """
    assistant = ASSISTANTS[name]
    path, section = assistant.file(user, environ), assistant.section
    try:
        text = path.read_text("utf-8") if path.exists() else ""
        document, dumped = _read(path, text)
        servers = document.setdefault(section, {})
        old = servers.pop(NAME, None)
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise UsageError(
            f"{path} cannot be read.", "Repair it, or add the server by hand: docs/agents.md."
        ) from error
    entry = {"command": command[0], "args": [*command[1:]]} if command else None
    if old == entry:
        return Change(path, text, ())
    if entry:
        servers[NAME] = entry
    elif not servers:
        del document[section]
    return Change(path, dumped(document), (*_lines("-", old), *_lines("+", entry)))


def _read(path: Path, text: str) -> tuple[Any, Callable[[Any], str]]:
    """The settings in a file, and the function that writes them. Raises `ValueError`."""
    if path.suffix == ".toml":
        import tomlkit

        return tomlkit.parse(text), tomlkit.dumps
    return json.loads(
        text or "{}"
    ), lambda document: json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _lines(sign: str, entry: Json | None) -> list[str]:
    text = json.dumps({NAME: entry}, indent=2) if entry else ""
    return [f"{sign} {line}" for line in text.splitlines()[1:-1]]
