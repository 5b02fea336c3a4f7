"""External addresses: which links are external, and the browser that opens web addresses."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import threading
from collections.abc import Mapping

from ark_tui.domain import children
from ark_tui.domain.errors import ArkError
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
        raise ArkError(
            strings.PROGRAM_NOT_STARTED.format(program=words[0], reason=error.strerror or error), hint
        ) from error
    threading.Thread(target=program.wait, daemon=True).start()  # until it ends, possibly after hours
