"""`search` over MCP stdio on 2,000 Markdown files: what the protocol adds to the engine."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from ark_tui import settings
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.interfaces.client import local
from benchmarks import corpus
from benchmarks.measure import Figure, middle, percentile, rounded, tell

ROUNDS = 200
QUESTIONS = (
    "spectral gap",
    "index of words",
    "how does a lease work",
    "neighbours of a chunk",
    "tea and bread",
)


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / "home"
        command = [sys.executable, "-m", "ark_tui", "index", "--home", str(home), str(corpus.pages(2000))]
        subprocess.run(command, check=True, capture_output=True)
        over, empty = anyio.run(_asked, home)
        local.stop(home)
        own = _own(home)
    added = middle(empty)
    tell(
        Figure(
            "mcp_search", round(added, 3), "≤ 3",
            rounded(mcp_p50_ms=middle(over), mcp_p95_ms=percentile(over, 0.95), engine_p50_ms=middle(own),
                    engine_p95_ms=percentile(own, 0.95), protocol_p50_ms=added,
                    protocol_p95_ms=percentile(empty, 0.95)),
        ),
        f"search over MCP: p50 {middle(over):.1f} ms, p95 {percentile(over, 0.95):.1f} ms, of "
        f"which the engine {middle(own):.1f} ms; a tool that does nothing costs {added:.1f} ms",
    )  # fmt: skip


async def _asked(home: Path) -> tuple[list[float], list[float]]:
    """Milliseconds of searches, and of calls that look at one small file."""
    command = ["-m", "ark_tui", "mcp", "--home", str(home)]
    async with Client(stdio_client(StdioServerParameters(command=sys.executable, args=command))) as client:
        searches, others = list[float](), list[float]()
        for turn in range(ROUNDS):
            question = QUESTIONS[turn % len(QUESTIONS)]
            searches.append(await _timed(client, "search", {"query": question, "limit": 10}))
            others.append(await _timed(client, "read", {"id": ""}))
    return searches[20:], others[20:]


async def _timed(client: Client, tool: str, arguments: dict[str, object]) -> float:
    start = time.perf_counter()
    await client.call_tool(tool, arguments)
    return (time.perf_counter() - start) * 1000


def _own(home: Path) -> list[float]:
    with Engine(settings.load(home)) as engine:
        engine.warm()
        times = []
        for turn in range(ROUNDS):
            start = time.perf_counter()
            engine.search(Request(QUESTIONS[turn % len(QUESTIONS)], limit=10))
            times.append((time.perf_counter() - start) * 1000)
    return times[20:]


if __name__ == "__main__":
    main()
