"""External programs: desktop clipboard, editor, and viewer for PDF and office files."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ark_tui.domain import children
from ark_tui.domain.errors import ArkError, ConfigError
from ark_tui.interfaces.tui.state import addresses, strings

PROGRAMS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("WAYLAND_DISPLAY", ("wl-copy",)),
    ("DISPLAY", ("xclip", "-selection", "clipboard")),
    ("DISPLAY", ("xsel", "--clipboard", "--input")),
    ("", ("pbcopy",)),
)
"""The required environment variable and the command."""

PATIENCE = 1.0  # seconds


def clipboard_program(environ: Mapping[str, str] = os.environ) -> tuple[str, ...] | None:
    """The command that fills the desktop's clipboard. None over SSH or without a desktop."""
    if environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"):
        return None
    for variable, words in PROGRAMS:
        if (not variable or environ.get(variable)) and shutil.which(words[0]):
            return words
    return None


def tell_desktop(text: str) -> None:
    """Fill the desktop's clipboard if there is one. Failures are ignored, because OSC 52 was sent already."""
    words = clipboard_program()
    if words is None:
        return
    with suppress(OSError, children.TimeoutExpired):
        children.run_program(
            words, input=text.encode("utf-8", "replace"), timeout=PATIENCE,
            stdout=children.DEVNULL, stderr=children.DEVNULL,
        )  # fmt: skip


GOTO = {"code", "code-insiders", "codium", "cursor", "windsurf"}
"""Editors that take `--goto file:line` and return at once unless told to wait."""

COLON = {"hx", "helix", "subl", "zed"}
"""Editors that take `file:line`."""


def edit_command(editor: str, file: Path, line: int) -> list[str]:
    """The command that opens a file at a line (from 1). Raises `ConfigError` without an editor.

    Editors that are not listed get `+line file`, as vi, nano, emacs, micro and joe expect.
    """
    try:
        words = shlex.split(editor)
    except ValueError as error:
        raise ConfigError(
            strings.EDITOR_UNREADABLE.format(editor=editor, reason=error), strings.EDITOR_HINT
        ) from error
    if not words:
        raise ConfigError(strings.NO_EDITOR, strings.EDITOR_HINT)
    name = Path(words[0]).stem
    if name in GOTO:
        return [*words, *(() if "--wait" in words else ("--wait",)), "--goto", f"{file}:{line}"]
    if name in COLON:
        return [*words, f"{file}:{line}"]
    return [*words, f"+{line}", str(file)]


def run_editor(words: list[str]) -> None:
    """Run the editor in the terminal and wait for it. Raises `ArkError` if it does not start."""
    try:
        children.run_program(words)
    except OSError as error:
        raise ArkError(
            strings.PROGRAM_NOT_STARTED.format(program=words[0], reason=error.strerror or error),
            strings.EDITOR_HINT,
        ) from error


VIEWED = frozenset(
    f".{name}"
    for kinds in ("pdf epub rtf docx docm dotx pptx pptm ppsx", "xlsx xlsm xlsb xls ods odt ott odp otp")
    for name in kinds.split()
)
"""Suffixes that never go to an editor. All others never go to the desktop, which might execute them."""

SET_VIEWER = strings.VIEWER_HINT


def has_viewer(file: Path) -> bool:
    """Whether a file needs a viewer instead of an editor."""
    return file.suffix.lower() in VIEWED


def view_command(viewer: str, environ: Mapping[str, str], file: Path, place: str) -> list[str]:
    """The command that shows a file at a place such as `p. 3`: the configured one, or that of the desktop.

    It may contain `{file}` and `{page}`. Raises `ConfigError` if there is none.
    """
    try:
        words = shlex.split(viewer)
    except ValueError as error:
        raise ConfigError(
            strings.VIEWER_UNREADABLE.format(viewer=viewer, reason=error), SET_VIEWER
        ) from error
    if not words:
        opener = addresses.desktop(environ)
        if opener is None:
            raise ConfigError(strings.NO_VIEWER.format(file=file.name), SET_VIEWER)
        words = [opener]
    number = re.fullmatch(r"(?:p\.|slide) (\d+)", place)
    page = number[1] if number else "1"
    filled = [word.replace("{page}", page).replace("{file}", str(file)) for word in words]
    return filled if any("{file}" in word for word in words) else [*filled, str(file)]
