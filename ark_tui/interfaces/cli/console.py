"""The streams that a command writes to, and whether somebody sits there."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO


@dataclass(frozen=True, slots=True)
class Console:
    """Two streams of bytes, and what may be done on them."""

    out: BinaryIO
    err: BinaryIO
    colour: bool  # whether `out` may have colour: a terminal that can, and nobody said no
    err_is_terminal: bool


COMPLETION = "_ARK_TUI_COMPLETE"
"""The variable by which a shell asks for completions."""


def on_terminal() -> bool:
    """Whether there is a terminal on which one can be asked, and a workbench be opened."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def console() -> Console:
    """Where the command writes."""
    return Console(
        sys.stdout.buffer, sys.stderr.buffer, coloured(sys.stdout.isatty(), os.environ), sys.stderr.isatty()
    )


def coloured(terminal: bool, environ: Mapping[str, str]) -> bool:
    """Whether a stream may have colour: a terminal that can, and nobody said no."""
    return terminal and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
