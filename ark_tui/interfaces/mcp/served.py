"""The tools over a home that another machine serves: calls go there, answers come back as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from ark_tui.domain.errors import ArkError, UsageError
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, ignore
from ark_tui.domain.work import Progress
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

EVENTS = "application/json, text/event-stream"


class Served(Server):
    """Those tools. Raises `UsageError` for an unknown family."""

    def __init__(self, home: Home, families: Sequence[str] = DEFAULT) -> None:
        super().__init__(self._nothing, families)
        self._home = home
        self._offered = ALL if ALL in families else ",".join(self._families)

    def call(self, name: str, arguments: Json, stop: Stop = NEVER, progress: OnProgress = ignore) -> Json:
        """The result of a call, which is carried out there, or until it is stopped."""

        def told(at: Json) -> None:
            progress(Progress(at["message"], at["progress"], at.get("total")))

        try:
            return self.answer("tools/call", {"name": name, "arguments": arguments}, stop, told)
        except ArkError as error:
            from ark_tui.interfaces.mcp import tool

            return tool.failed(name, error)

    def answer(
        self,
        method: str,
        params: Mapping[str, Any],
        stop: Stop = NEVER,
        told: Callable[[Json], object] = ignore,
    ) -> Json:
        """The result of a request, which is answered there.

        As events: so a server at work gives signs of life, and hears when it is to stop.
        """
        about = {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}, "progressToken": 1}
        asked = {name: value for name, value in params.items() if name != "_meta"}
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**asked, "_meta": about}}
        headers = {"mcp-protocol-version": MODERN, "ark-tools": self._offered, "accept": EVENTS}
        answer = self._home.hear(message, headers, stop, told)
        if "error" in answer:
            raise UsageError(answer["error"]["message"])
        beside = ("resultType", "_meta", "ttlMs", "cacheScope")
        found: Json = {key: one for key, one in answer["result"].items() if key not in beside}
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
