"""The workbench's end of a working process: orders are given, what it says is handed on from a thread."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ark_tui.interfaces.tui.work.child import MODULE

LAST_WORDS = 400
"""Characters of what a process said of its own end that are passed on."""


class Process:
    """One working process. `heard` is called from a thread, with an event; the last is `gone`."""

    def __init__(self, home: Path, heard: Callable[[dict[str, Any]], object]) -> None:
        self._heard = heard
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by the thread, at the process's end
        self._process = subprocess.Popen(
            [sys.executable, "-m", MODULE, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self._errors, start_new_session=True,
        )  # fmt: skip
        self._listening = threading.Thread(target=self._listen, name="long work", daemon=True)
        self._listening.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def order(self, number: int, do: str, **more: str) -> None:
        """Give an order. One that has just died is heard to be gone."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError, ValueError):
            self._process.stdin.write(json.dumps({"number": number, "do": do, **more}).encode() + b"\n")
            self._process.stdin.flush()

    def close(self) -> None:
        """Let it end: at once where it does nothing, else at the next safe point."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()

    def kill(self) -> None:
        """End it where it stands: nothing is lost but the batch at hand."""
        self._process.kill()

    def wait(self) -> None:
        """Until it has ended and all it said was heard."""
        self._listening.join()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as said:
            for line in said:
                if event := parsed(line):
                    self._heard(event)
        code = self._process.wait()
        self.close()
        self._errors.seek(0)
        words = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        self._errors.close()
        self._heard({"event": "gone", "code": code, "said": words[-1][:LAST_WORDS] if words else ""})


def parsed(line: bytes) -> dict[str, Any]:
    """A line of the stream; what is no event counts as an empty one."""
    try:
        read = json.loads(line)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}
