"""`ark-tui mcp` from its start to its greeting, and its first answer, against bare imports."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import corpus
from benchmarks.measure import Figure, middle, rounded, tell

ROUNDS = 11
SETTLED = 3.0  # seconds after the greeting in which the home is opened
BARE = "import click, json; input()"
GREETING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


class Assistant:
    """A server in a process of its own, asked line by line."""

    def __init__(self, home: Path) -> None:
        command = [sys.executable, "-m", "ark_tui", "mcp", "--home", str(home)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, method: str, **params: Any) -> float:
        """Milliseconds until the answer is there."""
        assert self._process.stdin
        assert self._process.stdout
        start = time.perf_counter()
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert "result" in answer, answer
        return (time.perf_counter() - start) * 1000

    def end(self) -> None:
        self._process.communicate()


def main() -> None:
    bare, ready, listed, at_once, later = (list[float]() for _ in range(5))
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / "home"
        index = [sys.executable, "-m", "ark_tui", "index", "--home", str(home), str(corpus.pages(2000))]
        subprocess.run(index, check=True, capture_output=True)
        for turn in range(ROUNDS):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", BARE], input=b"\n", check=True, capture_output=True)
            bare.append((time.perf_counter() - start) * 1000)
            start = time.perf_counter()
            assistant = Assistant(home)
            assistant.ask("initialize", **GREETING)
            ready.append((time.perf_counter() - start) * 1000)
            listed.append(assistant.ask("tools/list"))
            if turn % 2:
                time.sleep(SETTLED)
            search = assistant.ask("tools/call", name="search", arguments={"query": "spectral gap"})
            (later if turn % 2 else at_once).append(search)
            assistant.end()
    ratio = middle(later) / 60
    tell(
        Figure(
            "mcp_start", round(ratio, 3), "≤ 1",
            rounded(ready_ms=middle(ready), listed_ms=middle(listed), first_ms=middle(later),
                    first_at_once_ms=middle(at_once), bare_ms=middle(bare)),
        ),
        f"the MCP server greets after {middle(ready):.0f} ms (bare click: {middle(bare):.0f}); its first "
        f"answer takes {middle(later):.0f} ms, {middle(at_once):.0f} where it is asked for at once",
    )  # fmt: skip


if __name__ == "__main__":
    main()
