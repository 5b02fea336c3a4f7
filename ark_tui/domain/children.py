"""Start child processes, both Python modules of this package and the user's programs.

All processes are started here. A Python child never imports from the current folder, since an untrusted
`json.py` there would run. `-P` keeps the folder off `sys.path`, PYTHONSAFEPATH does so for grandchildren, and
only absolute folders of PYTHONPATH are passed on, since an empty or relative one means the current folder.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
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
from typing import IO, Any, Protocol, TypeVar

__all__ = [
    "DEVNULL",
    "PIPE",
    "CompletedProcess",
    "Popen",
    "SubprocessError",
    "TimeoutExpired",
    "environment",
    "run_program",
    "start_program",
    "start_python",
]


def start_python(
    module: str, *arguments: str, defaults: Mapping[str, str] | None = None, **options: Any
) -> Popen[bytes]:
    """Start a module of this package in a new process. `options`: those of `Popen`.

    `defaults`: environment variables, unless already set.
    """
    words = [sys.executable, "-P", "-m", module, *arguments]
    return Popen(words, env=dict(defaults or {}) | environment(), **options)


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


class HasFile(Protocol):
    """A pipe or a socket."""

    def fileno(self) -> int: ...


File = TypeVar("File", bound=HasFile)


def readable(files: Iterable[File], seconds: float | None) -> list[File]:
    """Wait until some files are readable or at their end, and return them; None: without a timeout."""
    with DefaultSelector() as selector:
        known = {selector.register(file, EVENT_READ).fd: file for file in files}
        return [known[key.fd] for key, _ in selector.select(seconds)]


IDLE = 60.0  # seconds without a message until a child of `serve` exits


class Child:
    """A Python process that answers messages with `serve`, started on first use. Not thread-safe."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._child: Popen[bytes] | None = None
        self._used = 0.0  # time of the last message

    def exchange(self, message: bytes, seconds: float) -> bytes:
        """Send a message and return the answer. Raises `OSError` or `EOFError` if there is none.

        Call `end` then: a late answer would be taken for that of the next message.
        """
        if self._child is not None and (
            self._child.poll() is not None or time.monotonic() - self._used > IDLE / 2
        ):
            self.end()  # it has exited, or might do so now
        child = self._child = self._child or self._started()
        assert child.stdin
        assert child.stdout
        try:
            _write(child.stdin, message)
            if not readable([child.stdout], seconds):
                raise TimeoutError
            return _read(child.stdout)
        finally:
            self._used = time.monotonic()

    def kill(self) -> None:
        """Kill the process, without cleaning up: call `end` afterwards."""
        if (child := self._child) is not None:
            child.kill()

    def end(self, patience: float = 0.0) -> int:
        """Kill the process if it does not exit in time, and close its pipes; return its exit code."""
        child, self._child = self._child, None
        if child is None:
            return 0
        with suppress(TimeoutExpired):
            child.wait(patience)
        child.kill()
        with suppress(OSError), child:  # closes its pipes
            pass
        return child.returncode

    def _started(self) -> Popen[bytes]:
        return start_python(self._module, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, start_new_session=True)


def serve(memory: int, answer: Callable[[bytes], bytes]) -> None:
    """In a child: answer messages until the input ends or stays idle, with at most `memory` bytes of data."""
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers, sys.stdout = sys.stdout.buffer, sys.stderr  # keeps library output off the pipe
    while readable([sys.stdin.buffer], IDLE):
        try:
            message = _read(sys.stdin.buffer)
        except EOFError:
            return
        _write(answers, answer(message))


def _write(to: IO[bytes], message: bytes) -> None:
    to.write(len(message).to_bytes(8, "big") + message)
    to.flush()


def _read(source: IO[bytes]) -> bytes:
    """Read one length-prefixed message. Raises `EOFError` if it is missing or incomplete."""
    head = source.read(8)
    size = int.from_bytes(head, "big")
    message = source.read(size) if len(head) == 8 else b""
    if len(head) != 8 or len(message) != size:
        raise EOFError
    return message
