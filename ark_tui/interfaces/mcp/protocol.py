"""The Model Context Protocol as far as a server of tools speaks it: messages in, messages out.

Of its two manners, the first message of a connection decides: the handshake of the versions until 2025-11-25
(`initialize`, then requests), or that of 2026-07-28, in which each request says what it is in its `_meta`.
See https://modelcontextprotocol.io/specification. The official library answers the same, after 0.6 s of
imports.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

from ark_tui.domain.errors import ArkError
from ark_tui.domain.protocols import OnProgress, Stop, ignore
from ark_tui.interfaces.mcp.offers import LASTING, MADE, STATIC
from ark_tui.operations.encoding import Json
from ark_tui.version import VERSION

HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"

ENVELOPE = "io.modelcontextprotocol/"
VERSION_KEY, CAPABILITIES_KEY, SERVER_KEY = (
    f"{ENVELOPE}{name}" for name in ("protocolVersion", "clientCapabilities", "serverInfo")
)

INVALID_REQUEST, NO_METHOD, INVALID_PARAMETERS, NO_VERSION = -32600, -32601, -32602, -32022
"""Codes of errors: of JSON-RPC 2.0, and one of the protocol."""

SERVER = {"name": "ark-tui", "version": VERSION}
CAPABILITIES = {
    "tools": {"listChanged": False}, "resources": {}, "prompts": {"listChanged": False}, "completions": {},
}  # fmt: skip
OFTEN = 0.1  # seconds between two messages on how far a call is


class Tools(Protocol):
    """What a connection is about."""

    about: str

    def listed(self) -> list[Json]:
        """Each tool as the protocol lists it."""

    def call(self, name: str, arguments: Json, stop: Stop, progress: OnProgress) -> Json:
        """The result of a call, be it an error. Takes as long as it takes, or until it is stopped."""

    def answer(self, method: str, params: Mapping[str, Any]) -> Json:
        """The result of a method of `offers.MADE`. Raises `ArkError`."""


class Refused(Exception):
    """A request that is answered by an error of the protocol."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message, **({} if data is None else {"data": data})}


Tell: TypeAlias = "Callable[[Json], object]"
Make: TypeAlias = "Callable[[Stop, OnProgress], Json]"
Answer: TypeAlias = "Json | Callable[..., Json] | None"
"""A message; what makes one, in its own time, telling on the way how far it is; or nothing."""


class Connection:
    """What one assistant has said so far. Messages come one after the other, on one thread."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._modern: bool | None = None  # until the first request
        self._agreed = False
        self._stops: dict[object, threading.Event] = {}  # by the ids of what is being made

    def cancel(self, id_: object) -> None:
        """Whoever has asked waits no more for the answer to a request."""
        if isinstance(id_, int | str) and (stop := self._stops.get(id_)):
            stop.set()

    def hear(self, message: object) -> Answer:
        """The answer to a message; what is no request has none."""
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return None
        id_, method, given = message.get("id"), message.get("method"), message.get("params")
        if method == "notifications/cancelled" and isinstance(given, dict):
            self.cancel(given.get("requestId"))
        if not isinstance(method, str) or type(id_) not in (int, str):
            return None
        params = given if isinstance(given, dict) else {}
        try:
            found = self._asked(method, params)
        except Refused as refused:
            return {"jsonrpc": "2.0", "id": id_, "error": refused.error}
        if not callable(found):
            return self._result(id_, found)
        named, stop = token(message), threading.Event()
        self._stops[id_] = stop

        def make(tell: Tell = ignore) -> Json:
            try:
                return self._result(id_, found(stop, ignore if named is None else Told(named, tell)))
            except Refused as refused:
                return {"jsonrpc": "2.0", "id": id_, "error": refused.error}
            finally:
                self._stops.pop(id_, None)

        return make

    def _result(self, id_: object, result: Json) -> Json:
        if self._modern:
            result = {**result, "resultType": "complete", "_meta": {SERVER_KEY: SERVER}}
        return {"jsonrpc": "2.0", "id": id_, "result": result}

    def _asked(self, method: str, params: Json) -> Json | Make:
        meta = params.get("_meta")
        meta = meta if isinstance(meta, dict) else {}
        if self._modern is None:
            self._modern = VERSION_KEY in meta and method != "initialize"
        if self._modern:
            _check(method, params, meta)
            return self._offered(method, params, {"ttlMs": 0, "cacheScope": "private"})
        if method == "initialize":
            return self._welcome(params)
        if method == "ping":
            return {}
        if VERSION_KEY in meta:
            raise Refused(INVALID_REQUEST, f"This connection began with a handshake, not as of {MODERN}.")
        if not self._agreed:
            raise Refused(INVALID_PARAMETERS, "A connection begins with initialize.")
        return self._offered(method, params, {})

    def _offered(self, method: str, params: Json, lasting: Json) -> Json | Make:
        """What there is in either manner; `lasting`: for how long and for whom a list holds."""
        kept = lasting if method in LASTING else {}
        if method == "tools/call":
            return self._call(params)
        if method == "tools/list":
            return {"tools": self._tools.listed(), **lasting}
        if method in STATIC:
            return {**STATIC[method], **kept}
        if method in MADE:
            return lambda *_: {**self._made(method, params), **kept}
        if method == "server/discover" and self._modern:
            about = {"supportedVersions": [MODERN], "capabilities": CAPABILITIES}
            return {**about, "instructions": self._tools.about, **lasting}
        raise Refused(NO_METHOD, "Method not found", method)

    def _welcome(self, params: Json) -> Json:
        wanted = params.get("protocolVersion")
        self._agreed = True
        return {
            "protocolVersion": wanted if wanted in HANDSHAKES else HANDSHAKES[-1],
            "capabilities": CAPABILITIES,
            "serverInfo": SERVER,
            "instructions": self._tools.about,
        }

    def _made(self, method: str, params: Json) -> Json:
        try:
            return self._tools.answer(method, params)
        except ArkError as error:
            raise Refused(INVALID_PARAMETERS, error.told) from error

    def _call(self, params: Json) -> Make:
        name, arguments = params.get("name"), params.get("arguments")
        arguments = {} if arguments is None else arguments
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise Refused(INVALID_PARAMETERS, "A call has a name, and arguments by their names.")
        return lambda stop, progress: self._tools.call(name, arguments, stop, progress)


class Told:
    """Tells how far a call is: ever larger numbers, though its work has several stages."""

    def __init__(self, token: int | str, tell: Tell) -> None:
        self._token = token
        self._tell = tell
        self._before, self._stage, self._last, self._at = 0, "", -1, 0.0

    def __call__(self, progress: Any) -> None:
        """One more step; what comes too often is passed over."""
        if progress.stage != self._stage:
            self._before, self._stage, self._at = self._last + 1, progress.stage, 0.0
        now, done = time.monotonic(), self._before + progress.done
        if done <= self._last or now - self._at < OFTEN:
            return
        self._last, self._at = done, now
        total = {} if progress.total is None else {"total": self._before + progress.total}
        params = {"progressToken": self._token, "progress": done, **total, "message": progress.stage}
        self._tell({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})


def token(message: Json) -> int | str | None:
    """What messages on how far a request is are to be named by; None: nothing is to be told."""
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    named = meta.get("progressToken") if isinstance(meta, dict) else None
    return named if isinstance(named, int | str) else None


def _check(method: str, params: Json, meta: Json) -> None:
    """Raise for a request of a modern connection that is not as it has to be."""
    if method == "initialize":
        supported = {"supported": [MODERN], "requested": params.get("protocolVersion")}
        raise Refused(NO_VERSION, f"This connection began as of {MODERN}, without a handshake.", supported)
    version = meta.get(VERSION_KEY)
    if not isinstance(version, str) or not isinstance(meta.get(CAPABILITIES_KEY), dict):
        raise Refused(INVALID_PARAMETERS, f"_meta holds {VERSION_KEY} and {CAPABILITIES_KEY}.")
    if version != MODERN:
        supported = {"supported": [MODERN], "requested": version}
        raise Refused(NO_VERSION, "Unsupported protocol version", supported)
