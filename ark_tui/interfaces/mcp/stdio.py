"""MCP on stdin and stdout: messages are bounded while they are read, stdout carries nothing else."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import anyio
from mcp.server.stdio import stdio_server

from ark_tui.domain.errors import ArkError
from ark_tui.interfaces.mcp.protocol import REFUSED, Calls
from ark_tui.interfaces.mcp.server import make
from ark_tui.interfaces.reports import faults
from ark_tui.interfaces.reports.shape import LARGEST, Shape, TooMuch

if TYPE_CHECKING:
    from ark_tui.engine import Engine

PIECE = 256 * 1024  # bytes checked at once
ENDS = 400  # bytes at either end of a message that is not read, in which its id is looked for
ID = re.compile(rb'"id"\s*:\s*(\d{1,18}|"[^"\\]{1,100}")')


def serve(engine: Engine, families: Sequence[str]) -> None:
    """Serve until stdin ends, over a home that is open in this process."""
    faults.keep_in(engine.settings.home.logs)
    server = make(engine, families)
    calls = Calls(lambda _: server)
    try:
        anyio.run(_served, calls)
    finally:
        calls.close()


async def _served(calls: Calls) -> None:
    sdk = calls.sdk()
    async with claimed() as (read, write):
        await sdk.run(read, write, sdk.create_initialization_options())


def claimed() -> Any:
    """The SDK's streams over stdin and stdout; nothing else in this process reads or writes those."""
    private = os.dup(0)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    return stdio_server(stdin=cast("Any", Lines(private)))


class Lines:
    """The lines of a file. One that is too large becomes a request that is refused, by the same id."""

    def __init__(self, file: int) -> None:
        self._file = os.fdopen(file, "rb")

    def __aiter__(self) -> Lines:
        return self

    async def __anext__(self) -> str:
        line = await anyio.to_thread.run_sync(self._next)
        if not line:
            raise StopAsyncIteration
        return line.decode("utf-8", "replace")

    def _next(self) -> bytes:
        if not (line := self._file.readline(LARGEST + 1)):
            return b""
        try:
            _check(line)
        except ArkError as error:
            return self._refused(line, error)
        return line

    def _refused(self, line: bytes, error: ArkError) -> bytes:
        start, end = line[:ENDS], line[-ENDS:]
        while not end.endswith(b"\n") and (more := self._file.readline(PIECE)):
            end = (end + more)[-ENDS:]
        found = ID.search(start) or ID.search(end)
        id_ = {"id": json.loads(found[1])} if found else {}
        request = {"jsonrpc": "2.0", **id_, "method": REFUSED, "params": {"message": error.told}}
        return json.dumps(request).encode() + b"\n"


def _check(line: bytes) -> None:
    """Raise `TooMuch` for a message that is longer, deeper or fuller than any call needs to be."""
    if len(line) > LARGEST:
        raise TooMuch(f"A message may have {LARGEST >> 20} MB.", "Send it in several parts.")
    shape = Shape()
    for at in range(0, len(line), PIECE):
        shape.feed(line[at : at + PIECE])
