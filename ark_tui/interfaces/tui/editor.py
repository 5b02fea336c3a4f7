"""The person's own editor, at a line."""

from __future__ import annotations

import shlex
from pathlib import Path

from ark_tui.domain import children
from ark_tui.domain.errors import ArkError, ConfigError

GOTO = {"code", "code-insiders", "codium", "cursor", "windsurf"}
"""Editors that take `--goto file:line`, and return at once unless told to wait."""

COLON = {"hx", "helix", "subl", "zed"}
"""Editors that take `file:line`."""


def command(editor: str, file: Path, line: int) -> list[str]:
    """The command that opens a file at a line (from 1); raises `ConfigError` where there is no editor.

    Every editor not listed gets `+line file`, as vi, nano, emacs, micro and joe want it.
    """
    try:
        words = shlex.split(editor)
    except ValueError as error:
        raise ConfigError(
            f"The editor {editor!r} cannot be read: {error}.", "Set $VISUAL or $EDITOR anew."
        ) from error
    if not words:
        raise ConfigError("No editor is set.", "Set $VISUAL or $EDITOR, or `editor` in config.toml.")
    name = Path(words[0]).stem
    if name in GOTO:
        return [*words, *(() if "--wait" in words else ("--wait",)), "--goto", f"{file}:{line}"]
    if name in COLON:
        return [*words, f"{file}:{line}"]
    return [*words, f"+{line}", str(file)]


def run(words: list[str]) -> None:
    """Run the editor in the terminal and wait for it; raises `ArkError` where it does not start."""
    try:
        children.run_program(words)
    except OSError as error:
        raise ArkError(
            f"{words[0]} could not be started: {error.strerror or error}.",
            "Set $VISUAL or $EDITOR to another one.",
        ) from error
