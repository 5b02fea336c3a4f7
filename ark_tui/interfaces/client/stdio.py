"""`ark-tui mcp` for a home that another process serves: forwards stdin and writes answers to stdout."""

from __future__ import annotations

import json
import sys
import threading
import uuid
from base64 import b64encode
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO

from ark_tui.domain.errors import ArkError, Cancelled
from ark_tui.domain.protocols import NEVER, Stop
from ark_tui.interfaces.client.home import Disconnected, Home, LocalHome, SessionGone
from ark_tui.operations import corpus, wire
from ark_tui.operations.call import Call

AT_ONCE = 8  # concurrent requests; further ones wait
LARGEST = 16 << 20  # bytes of a message
ACCEPT = "application/json, text/event-stream"
PROTOCOL = "2025-06-18"
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
PARSE_ERROR, INTERNAL_ERROR = -32700, -32603

Json = dict[str, Any]


def _key(id_: object) -> str:
    """A message id as a key that distinguishes types: 1 and "1" differ."""
    return json.dumps(id_, sort_keys=True)


class Forwarder:
    """Forwards the MCP messages of an assistant. `tools`: comma-separated tool families to offer."""

    def __init__(self, home: Home, tools: str, out: BinaryIO | None = None) -> None:
        self._home = home
        self._out = out or sys.stdout.buffer
        self._hold = threading.Lock()
        self._stops: dict[str, threading.Event] = {}  # by ids of active requests, as JSON
        self._first = b""  # the `initialize` message of the session
        self._headers = {
            "accept": ACCEPT,
            "content-type": "application/json",
            "ark-caller": b64encode(wire.dumps(home.caller).encode()).decode(),
        }
        if tools:
            self._headers["ark-tools"] = tools

    def serve(self, source: BinaryIO | None = None) -> None:
        """Forward messages until the input ends and all are answered."""
        stream = source or sys.stdin.buffer
        with ThreadPoolExecutor(AT_ONCE, "assistant") as threads:
            while line := stream.readline(LARGEST + 1):
                self._hear(line.strip(), threads)

    def _hear(self, line: bytes, threads: ThreadPoolExecutor) -> None:
        if not line:
            return
        try:
            message = json.loads(line) if len(line) <= LARGEST else None
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            self._fail(None, PARSE_ERROR, "This is not JSON, or a message of more than 16 MB.")
            return
        if message.get("method") == "notifications/cancelled":
            self._cancel(line, message.get("params"))
        elif message.get("method") == "initialize":
            self._first = line
            self._answer(message.get("id"), line, NEVER)
        else:
            stop = self._stops[_key(message.get("id"))] = threading.Event()
            threads.submit(self._answer, message.get("id"), line, stop)

    def _cancel(self, line: bytes, params: object) -> None:
        """Cancel a call here and in the home, where it would continue without its connection."""
        stop = self._stops.get(_key(params.get("requestId"))) if isinstance(params, dict) else None
        if stop is not None:
            stop.set()
            self._answer(None, line, NEVER)

    def _answer(self, id_: object, line: bytes, stop: Stop) -> None:
        try:
            for told in self.ask(line, stop):
                self._write(told)
        except Cancelled:
            pass  # the client cancelled it
        except ArkError as error:
            if id_ is not None:
                self._fail(id_, INTERNAL_ERROR, error.told)
        except Exception as error:  # noqa: BLE001 - whoever asks is to hear of it
            self._fail(id_, INTERNAL_ERROR, f"{type(error).__name__}: {error}")
        finally:
            if self._stops.get(_key(id_)) is stop:
                del self._stops[_key(id_)]

    def ask(self, line: bytes, stop: Stop = NEVER) -> Iterator[bytes]:
        """The answers to a message, retried with the same key if the home process has ended."""
        key = uuid.uuid4().hex
        for again in (True, True, False):
            try:
                yield from self._asked(line, stop, key)
            except Disconnected:
                if not again or stop.is_set():
                    raise
            else:
                return

    def _asked(self, line: bytes, stop: Stop, key: str) -> Iterator[bytes]:
        """Forward a message; start a new session if the home does not know this one."""
        if isinstance(self._home, LocalHome):
            self._home.reach()
        try:
            yield from self._sent(line, stop, key)
        except SessionGone:
            self._headers.pop("mcp-session-id", None)
            if line != self._first and self._first:
                list(self._sent(self._first, stop))
                list(self._sent(INITIALIZED, stop))
            yield from self._sent(line, stop, key)

    def begin(self) -> None:
        """Start a session, as an assistant does."""
        about = {
            "protocolVersion": PROTOCOL,
            "capabilities": {},
            "clientInfo": {"name": "check", "version": "1"},
        }
        first = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}
        self._first = json.dumps(first).encode()
        list(self.ask(self._first))
        list(self.ask(INITIALIZED))

    def _sent(self, line: bytes, stop: Stop, key: str = "") -> Iterator[bytes]:
        headers = self._headers | ({"idempotency-key": key} if key else {})
        for piece in self._home.forward(line, headers, stop, self._note):
            told = piece.removeprefix(b"data: ").strip()
            if told.startswith(b"{"):
                if line == self._first:
                    result = json.loads(told).get("result") or {}
                    if version := result.get("protocolVersion"):
                        self._headers["mcp-protocol-version"] = version
                yield told

    def _note(self, headers: Mapping[str, str]) -> None:
        """Remember the session id of the home."""
        if session := headers.get("mcp-session-id"):
            self._headers["mcp-session-id"] = session

    def _fail(self, id_: object, code: int, why: str) -> None:
        error = {"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": why}}
        self._write(json.dumps(error).encode())

    def _write(self, line: bytes) -> None:
        with self._hold:
            self._out.write(line + b"\n")
            self._out.flush()


def checked(home: Home, tools: str) -> Json:
    """Check the tools: their names and the number of documents. Raises the errors of the home."""
    forwarder = Forwarder(home, tools)
    forwarder.begin()
    *_, answer = forwarder.ask(b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}')
    documents = home.ask(corpus.status, Call(home.engine)).documents
    return {"tools": [tool["name"] for tool in json.loads(answer)["result"]["tools"]], "documents": documents}
