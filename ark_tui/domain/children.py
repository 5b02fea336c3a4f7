"""Start child processes, both Python modules of this package and the user's programs.

All processes are started here. A Python child never imports from the current folder, since an untrusted
`json.py` there would run. `-P` keeps the folder off `sys.path`, PYTHONSAFEPATH does so for grandchildren, and
only absolute folders of PYTHONPATH are passed on, since an empty or relative one means the current folder.
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
    """Start a module of this package in a new process. `options`: those of `Popen`.

    `defaults`: environment variables, unless already set.
    """
    return Popen(_python(module, arguments), env=dict(defaults or {}) | environment(), **options)


def run_python(module: str, *arguments: str, **options: Any) -> CompletedProcess[str]:
    """Run a module of this package in a new process until it ends. `options`: those of `subprocess.run`."""
    return run(_python(module, arguments), env=environment(), text=True, check=False, **options)


def start_program(words: Sequence[str], **options: Any) -> Popen[bytes]:
    """Start a program of the user, such as a browser. Raises `OSError` if it does not start."""
    return Popen(words, **options)


def run_program(
    words: Sequence[str], *, check: bool = False, env: Mapping[str, str] | None = None, **options: Any
) -> CompletedProcess[bytes]:
    """Run a program of the user, such as an editor, until it ends.

    `env`: additional variables; `options`: those of `subprocess.run`. Raises `OSError` if it does not start.
    """
    return run(words, env=os.environ | dict(env or {}), check=check, **options)


def environment() -> dict[str, str]:
    """The environment for children: ours, with imports from the current folder disabled."""
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
    """Wait until some files are readable or at their end, and return them; None: without a timeout."""
    with DefaultSelector() as selector:
        known = {selector.register(file, EVENT_READ).fd: file for file in files}
        return [known[key.fd] for key, _ in selector.select(seconds)]
