"""Copying: the terminal is asked by OSC 52, and a local desktop's clipboard is told too."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress

from ark_tui.domain import children

PROGRAMS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("WAYLAND_DISPLAY", ("wl-copy",)),
    ("DISPLAY", ("xclip", "-selection", "clipboard")),
    ("DISPLAY", ("xsel", "--clipboard", "--input")),
    ("", ("pbcopy",)),
)
"""The variable that must be set, and the command."""

PATIENCE = 1.0  # seconds


def program(environ: Mapping[str, str] = os.environ) -> tuple[str, ...] | None:
    """The command that fills the desktop's clipboard; None over SSH or where there is none."""
    if environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"):
        return None
    for variable, words in PROGRAMS:
        if (not variable or environ.get(variable)) and shutil.which(words[0]):
            return words
    return None


def tell_desktop(text: str) -> None:
    """Fill the desktop's clipboard, if there is one; OSC 52 has been sent already, so failing is no error."""
    words = program()
    if words is None:
        return
    with suppress(OSError, children.TimeoutExpired):
        children.run_program(
            words, input=text.encode("utf-8", "replace"), timeout=PATIENCE,
            stdout=children.DEVNULL, stderr=children.DEVNULL,
        )  # fmt: skip
