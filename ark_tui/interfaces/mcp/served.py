"""The tools over a home that another machine serves: calls go there, answers come back as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from ark_tui.domain.errors import ArkError, UsageError
from ark_tui.interfaces.mcp import frames
from ark_tui.interfaces.mcp.protocol import CAPABILITIES_KEY, MODERN, VERSION_KEY
from ark_tui.interfaces.mcp.server import ALL, DEFAULT, Server
from ark_tui.interfaces.reports import faults
from ark_tui.operations import corpus
from ark_tui.operations.call import Call
from ark_tui.operations.encoding import Json

if TYPE_CHECKING:
    from pathlib import Path

    from ark_tui.interfaces.remote.home import Home


class Served(Server):
    """Those tools. Raises `UsageError` for an unknown family."""

    def __init__(self, home: Home, families: Sequence[str] = DEFAULT) -> None:
        super().__init__(self._nothing, families)
        self._home = home

    def call(self, name: str, arguments: Json) -> Json:
        """The result of a call, which is carried out there."""
        about = {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}
        message = {
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": name, "arguments": arguments, "_meta": about},
        }  # fmt: skip
        try:
            told = self._home.hear(message, {"mcp-protocol-version": MODERN, "ark-tools": ALL})
        except ArkError as error:
            from ark_tui.interfaces.mcp import tool

            return tool.failed(name, error)
        found: Json = {key: one for key, one in told["result"].items() if key not in ("resultType", "_meta")}
        return found

    def warm(self) -> None:
        """The server has opened its home."""

    def checked(self) -> Json:
        """The names of the tools, and how many documents there are. Raises what the server says instead."""
        documents = self._home.ask(corpus.status, Call(self._home.engine)).documents
        return {"tools": [tool["name"] for tool in self.listed()], "documents": documents}

    @staticmethod
    def _nothing() -> NoReturn:
        raise UsageError("The home is elsewhere.")


def serve(home: Home, families: Sequence[str], logs: Path) -> None:
    """Serve on stdin and stdout until stdin ends; `logs`: where faults of this process are kept."""
    faults.keep_in(logs)
    frames.serve(Served(home, families), lambda: None)
