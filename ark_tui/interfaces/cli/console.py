"""The output streams of a command, and whether they are terminals."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO


@dataclass(frozen=True, slots=True)
class Console:
    """The output streams and their capabilities."""

    out: BinaryIO
    err: BinaryIO
    colour: bool  # whether `out` may have color: a capable terminal, not disabled by the user
    err_is_terminal: bool


COMPLETION = "_ARK_TUI_COMPLETE"
"""The environment variable by which a shell requests completions."""


def on_terminal() -> bool:
    """Whether there is an interactive terminal for questions and the workbench."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def console() -> Console:
    """The streams of this command."""
    return Console(
        sys.stdout.buffer, sys.stderr.buffer, coloured(sys.stdout.isatty(), os.environ), sys.stderr.isatty()
    )


def coloured(terminal: bool, environ: Mapping[str, str]) -> bool:
    """Whether a stream may have color: a capable terminal, not disabled by the user."""
    return terminal and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
