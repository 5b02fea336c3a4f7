"""The one place that starts other processes: our own Python modules, and programs of the user's.

A Python child never imports from the current folder: the folder may be anybody's, and a `json.py` in it would
run. `-P` keeps it off `sys.path`, PYTHONSAFEPATH does so for what the child starts in turn, and of PYTHONPATH
only absolute folders are handed on, since an empty or relative one means the current folder.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from subprocess import (
    DEVNULL,
    PIPE,
    CompletedProcess,
    Popen,
    SubprocessError,
    TimeoutExpired,
    run,
)
from typing import Any, Protocol, TypeVar

__all__ = [
    "DEVNULL",
    "PIPE",
    "CompletedProcess",
    "Popen",
    "SubprocessError",
    "TimeoutExpired",
    "environment",
    "run_program",
    "run_python",
    "start_program",
    "start_python",
]


def start_python(
    module: str, *arguments: str, defaults: Mapping[str, str] | None = None, **options: Any
) -> Popen[bytes]:
    """Start a module of ours in a process. `options`: those of `Popen`.

    `defaults`: environment variables, where the user has not set them.
    """
    return Popen(_python(module, arguments), env=dict(defaults or {}) | environment(), **options)


def run_python(module: str, *arguments: str, **options: Any) -> CompletedProcess[str]:
    """Run a module of ours in a process until it ends. `options`: those of `subprocess.run`."""
    return run(_python(module, arguments), env=environment(), text=True, check=False, **options)


def start_program(words: Sequence[str], **options: Any) -> Popen[bytes]:
    """Start a program of the user's, such as a browser. Raises `OSError` where it does not start."""
    return Popen(words, **options)


def run_program(
    words: Sequence[str], *, check: bool = False, env: Mapping[str, str] | None = None, **options: Any
) -> CompletedProcess[bytes]:
    """Run a program of the user's, such as an editor, until it ends.

    `env`: variables that are set besides; `options`: those of `subprocess.run`. Raises `OSError` where it
    does not start.
    """
    return run(words, env=os.environ | dict(env or {}), check=check, **options)


def environment() -> dict[str, str]:
    """Ours, in which no Python imports from the current folder."""
    folders = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    kept = os.pathsep.join(folder for folder in folders if Path(folder).is_absolute())
    found = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return found | {"PYTHONSAFEPATH": "1"} | ({"PYTHONPATH": kept} if kept else {})


def _python(module: str, arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-P", "-m", module, *arguments]


class HasFile(Protocol):
    """A pipe or a socket."""

    def fileno(self) -> int: ...


File = TypeVar("File", bound=HasFile)


def readable(files: Iterable[File], seconds: float | None) -> list[File]:
    """Those that have something to read, or have ended, by then; None waits for as long as it takes."""
    with DefaultSelector() as selector:
        known = {selector.register(file, EVENT_READ).fd: file for file in files}
        return [known[key.fd] for key, _ in selector.select(seconds)]
