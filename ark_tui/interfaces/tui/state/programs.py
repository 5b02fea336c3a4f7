"""External programs: browser, editor, viewer for PDF and office files, desktop clipboard."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ark_tui.domain import children
from ark_tui.domain.errors import ArkError, ConfigError
from ark_tui.interfaces.tui.state import strings

WEB = ("http://", "https://", "mailto:")
"""Address schemes that may be opened in a browser."""

PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")
"""Suffixes of images. Links to images are not links to documents."""

OPENERS = ("open",) if sys.platform == "darwin" else ("xdg-open", "wslview")

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")


def is_elsewhere(target: str) -> bool:
    """Whether a link leads out of the corpus."""
    return _SCHEME.match(target) is not None


def is_picture(target: str) -> bool:
    """Whether a link leads to an image."""
    return target.partition("|")[0].partition("?")[0].strip().lower().endswith(PICTURES)


def can_be_opened(target: str) -> bool:
    return target.lower().startswith(WEB)


def program(environ: Mapping[str, str]) -> list[str] | None:
    """The command that opens an address: `$BROWSER`, else the desktop's opener, else None."""
    named = environ.get("BROWSER", "").split(":")[0]
    if named:
        try:
            return shlex.split(named)
        except ValueError:
            return None
    opener = desktop(environ)
    return [opener] if opener else None


def desktop(environ: Mapping[str, str]) -> str | None:
    """The desktop's command to open files and addresses; None without a desktop."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME")
    if environ.get("SSH_CONNECTION") or not (sys.platform == "darwin" or any(map(environ.get, screens))):
        return None
    return next((found for name in OPENERS if (found := shutil.which(name))), None)


def show(words: list[str], target: str) -> None:
    """Open an address in a browser without waiting. Raises `ArkError` if it does not start."""
    if not can_be_opened(target):
        raise ArkError(strings.ADDRESS_NOT_OPENED, strings.ADDRESS_NOT_OPENED_HINT)
    filled = [word.replace("%s", target) for word in words]
    if filled == words:
        filled.append(target)
    start(filled, strings.BROWSER_HINT)


def start(words: list[str], hint: str) -> None:
    """Start a program with its own window. Raises `ArkError` with a hint if it does not start."""
    try:
        program = children.start_program(
            words,
            stdin=children.DEVNULL,
            stdout=children.DEVNULL,
            stderr=children.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise _not_started(words, error, hint) from error
    threading.Thread(target=program.wait, daemon=True).start()  # until it ends, possibly after hours


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


def _words(command: str, unreadable: str, hint: str) -> list[str]:
    """The words of a configured command. Raises `ConfigError`."""
    try:
        return shlex.split(command)
    except ValueError as error:
        raise ConfigError(unreadable.format(command=command, reason=error), hint) from error


def edit_command(editor: str, file: Path, line: int) -> list[str]:
    """The command that opens a file at a line (from 1). Raises `ConfigError` without an editor.

    Editors that are not listed get `+line file`, as vi, nano, emacs, micro and joe expect.
    """
    words = _words(editor, strings.EDITOR_UNREADABLE, strings.EDITOR_HINT)
    if not words:
        raise ConfigError(strings.NO_EDITOR, strings.EDITOR_HINT)
    name = Path(words[0]).stem
    if name in GOTO:
        return [*words, *(() if "--wait" in words else ("--wait",)), "--goto", f"{file}:{line}"]
    if name in COLON:
        return [*words, f"{file}:{line}"]
    return [*words, f"+{line}", str(file)]


def run_editor(words: list[str]) -> ArkError | None:
    """Run the editor in the terminal and wait for it. Return the error if it does not start.

    It is not raised: Textual would not resume after an exception.
    """
    try:
        children.run_program(words)
    except OSError as error:
        return _not_started(words, error, strings.EDITOR_HINT)
    return None


def _not_started(words: list[str], error: OSError, hint: str) -> ArkError:
    what = strings.PROGRAM_NOT_STARTED.format(program=words[0], reason=error.strerror or error)
    return ArkError(what, hint)


VIEWED = frozenset(
    f".{name}"
    for kinds in ("pdf epub rtf docx docm dotx pptx pptm ppsx", "xlsx xlsm xlsb xls ods odt ott odp otp")
    for name in kinds.split()
)
"""Suffixes that never go to an editor. All others never go to the desktop, which might execute them."""


def has_viewer(file: Path) -> bool:
    """Whether a file needs a viewer instead of an editor."""
    return file.suffix.lower() in VIEWED


def view_command(viewer: str, environ: Mapping[str, str], file: Path, place: str) -> list[str]:
    """The command that shows a file at a place such as `p. 3`: the configured one, or that of the desktop.

    It may contain `{file}` and `{page}`. Raises `ConfigError` if there is none.
    """
    words = _words(viewer, strings.VIEWER_UNREADABLE, strings.VIEWER_HINT)
    if not words:
        opener = desktop(environ)
        if opener is None:
            raise ConfigError(strings.NO_VIEWER.format(file=file.name), strings.VIEWER_HINT)
        words = [opener]
    number = re.fullmatch(r"(?:p\.|slide) (\d+)", place)
    page = number[1] if number else "1"
    filled = [word.replace("{page}", page).replace("{file}", str(file)) for word in words]
    return filled if any("{file}" in word for word in words) else [*filled, str(file)]
