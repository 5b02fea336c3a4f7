"""The streams that a command writes to: those of this process, or of another one that it is run for."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import BinaryIO


@dataclass(frozen=True, slots=True)
class Console:
    """Two streams of bytes, and what may be done on them."""

    out: BinaryIO
    err: BinaryIO
    colour: bool  # whether `out` may have colour: a terminal that can, and nobody said no
    err_is_terminal: bool


CONSOLE: ContextVar[Console | None] = ContextVar("console", default=None)
"""That of another process, set for the thread that answers it."""


def console() -> Console:
    """Where the command at hand writes."""
    return CONSOLE.get() or Console(
        sys.stdout.buffer, sys.stderr.buffer, coloured(sys.stdout.isatty(), os.environ), sys.stderr.isatty()
    )


def coloured(terminal: bool, environ: Mapping[str, str]) -> bool:
    """Whether a stream may have colour: a terminal that can, and nobody said no."""
    return terminal and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
