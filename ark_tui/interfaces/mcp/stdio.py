"""MCP on stdin and stdout for a home opened in this process, which has both streams to itself."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import anyio
from mcp.server.stdio import stdio_server

from ark_tui.engine import modules
from ark_tui.interfaces.mcp.protocol import Calls
from ark_tui.interfaces.mcp.server import Server
from ark_tui.interfaces.reports import faults

if TYPE_CHECKING:
    from ark_tui.engine import Engine


def serve(engine: Engine, families: Sequence[str]) -> None:
    """Serve until stdin ends."""
    faults.keep_in(engine.settings.home.logs)
    modules.open_all()
    server = Server(engine, families)
    calls = Calls(lambda _: server)
    try:
        anyio.run(_served, calls)
    finally:
        calls.close()


async def _served(calls: Calls) -> None:
    private = os.fdopen(os.dup(0), "r", encoding="utf-8", errors="replace")
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    sdk = calls.sdk()
    async with stdio_server(stdin=anyio.wrap_file(private)) as (read, write):
        await sdk.run(read, write, sdk.create_initialization_options())
