"""A server that speaks JSON-RPC on its standard streams, asked one request at a time."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchmarks.measure import megabytes

HELLO: dict[str, object] = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "benchmarks", "version": "1"},
}


class Server:
    """A process for as long as the block lasts; it ends when its input does."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        self._child = subprocess.Popen(
            command, env=environment, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        self._number = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._child.communicate()
        else:
            self._child.kill()
            self._child.wait()

    @property
    def megabytes(self) -> float:
        """The resident memory of the server (Linux)."""
        return megabytes(self._child.pid)

    def hello(self) -> None:
        """The handshake of MCP."""
        self.ask("initialize", HELLO)
        self._send({"method": "notifications/initialized"})

    def ask(self, method: str, params: Mapping[str, object]) -> dict[str, Any]:
        """What it answers. Raises `RuntimeError` for an error, and where it has ended."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            line = self._child.stdout.readline() if self._child.stdout else ""
            if not line:
                raise RuntimeError(f"it has ended with {self._child.wait()}")
            told: dict[str, Any] = json.loads(line)
            if told.get("id") == self._number and ("result" in told or "error" in told):
                break
        if "error" in told or told["result"].get("isError"):
            raise RuntimeError(str(told)[:200])
        answer: dict[str, Any] = told["result"]
        return answer

    def _send(self, message: dict[str, object]) -> None:
        assert self._child.stdin
        self._child.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._child.stdin.flush()

    def ended(self) -> int:
        """Its exit code, after the block."""
        return self._child.returncode


def without_ours(**added: str) -> dict[str, str]:
    """The environment without what would tell ark-tui anything, and with what is given."""
    return {**{name: value for name, value in os.environ.items() if not name.startswith("ARK_")}, **added}
