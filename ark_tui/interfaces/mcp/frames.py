"""The messages of an assistant, one a line of stdin: bounded while they are read, refused by an answer."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Coroutine
from typing import IO, TYPE_CHECKING, Any, cast

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, ErrorData, JSONRPCError

from ark_tui.domain.errors import ArkError
from ark_tui.interfaces.reports.shape import LARGEST, Shape, TooMuch

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

PIECE = 256 * 1024  # bytes looked at at once
ENDS = 400  # bytes at either end of a message that is not read, in which its id is looked for
ID = re.compile(rb'"id"\s*:\s*(\d{1,18}|"[^"\\]{1,100}")')


async def serve(server: MCPServer[None]) -> None:
    """Serve on stdin and stdout until stdin ends."""
    private = os.dup(0)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)  # what else runs in this process reads no messages
    os.close(nowhere)
    frames = Frames(private)
    async with stdio_server(stdin=anyio.wrap_file(cast("IO[str]", frames))) as (read, write):
        frames.tell = write.send
        low = server._lowlevel_server  # noqa: SLF001 - `run_stdio_async` takes no stream of ours
        await low.run(read, write, low.create_initialization_options())


class Frames:
    """A file of lines, of which those that are too large are answered here, and never read as a whole."""

    def __init__(self, descriptor: int) -> None:
        self._file = os.fdopen(descriptor, "rb")
        self.tell: Callable[[SessionMessage], Coroutine[Any, Any, None]] | None = None

    def readline(self) -> str:
        """The next message; empty at the end. Runs in a thread of anyio's."""
        while True:
            line = self._file.readline(LARGEST + 1)
            try:
                _check(line)
            except ArkError as error:
                self._refuse(line, error)
            else:
                return line.decode("utf-8", "replace")

    def _refuse(self, line: bytes, error: ArkError) -> None:
        start, end = line[:ENDS], line[-ENDS:]
        while not end.endswith(b"\n") and (more := self._file.readline(PIECE)):
            end = (end + more)[-ENDS:]
        found = ID.search(start) or ID.search(end)
        data = ErrorData(code=INVALID_REQUEST, message=error.told)
        told = JSONRPCError(jsonrpc="2.0", id=json.loads(found[1]) if found else None, error=data)
        assert self.tell is not None
        anyio.from_thread.run(self.tell, SessionMessage(told))


def _check(line: bytes) -> None:
    """Raise for a message that is longer, deeper or fuller than any call needs to be."""
    if len(line) > LARGEST:
        raise TooMuch(f"A message may have {LARGEST >> 20} MB.", "Send it in several parts.")
    shape = Shape()
    for at in range(0, len(line), PIECE):
        shape.feed(line[at : at + PIECE])
