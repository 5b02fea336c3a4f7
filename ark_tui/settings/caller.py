"""Whoever asks: the folder that relative paths start from, and the environment that settings are read from.

Both are this process's own, unless it answers for another one (the warm door of the command line): then they
are set for the thread that answers.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Caller:
    """A process that is answered for."""

    folder: Path
    environ: Mapping[str, str]


CALLER: ContextVar[Caller | None] = ContextVar("caller", default=None)


def folder() -> Path:
    """The folder that relative paths start from."""
    caller = CALLER.get()
    return caller.folder if caller else Path.cwd()


def environ() -> Mapping[str, str]:
    """The environment variables that settings are read from."""
    caller = CALLER.get()
    return caller.environ if caller else os.environ
