"""The command line, the HTTP server and the MCP server, fuzzed as they are used: argv, a socket, a pipe."""

from __future__ import annotations

import json
import os
import re
import select
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from queue import Queue
from random import Random
from threading import Thread
from typing import Any
from urllib.request import Request, urlopen
from uuid import uuid4

from ark_tui.interfaces.cli import app
from ark_tui.interfaces.cli.diagnostics import ExitCode
from tests.fuzz.homes import HERE, indexed
from tests.home.conftest import process_of

SERVERS: list[int] = []  # processes that were begun here
PATIENCE = 20.0  # seconds that an answer may take
STARTING = 60.0  # seconds that the first one may take
MANY = 100  # frames that count as one input: each takes some milliseconds
STARTS = 5  # calls of each tool before the first that counts
MORE = 0.3  # seconds after which a server that says nothing more is waiting for us
REACH = {
    *("serve", "mcp", "index", "restore", "backup", "ingest-file", "ingest-url", "import-curation"),
    *("models", "config", "note", "eval", "completion"),
}  # commands that wait for others, or whose arguments are files of anybody's
OPTIONS = ("--export", "--home", "--corpus")  # likewise


def servers() -> list[int]:
    """The processes whose time and size count as ours: those begun here, and the home process."""
    with suppress(OSError, ValueError):
        return [*SERVERS, process_of(HERE)]
    return SERVERS


def command(data: bytes) -> None:
    """A command line, an argument a line: done or refused with an exit code that means something."""
    _commanding()
    arguments = [os.fsdecode(line) for line in data.split(b"\n")]
    if not arguments[0] or arguments[0] in REACH or arguments[0].startswith("-"):
        return
    if any(one.startswith(OPTIONS) or "/" in one or "\0" in one for one in arguments):
        return
    assert app.run(arguments) in set(ExitCode)


@cache
def _commanding() -> None:
    os.environ["ARK_HOME"] = str(indexed())
    os.environ["ARK_DEBUG"] = "1"  # a fault of ours is raised as it is
    assert app.run(["search", "gap"]) == ExitCode.DONE  # the first search pays for imports


# -- HTTP --------------------------------------------------------------------------------------------


def http(data: bytes) -> None:
    """Bytes on a connection; `@len@` stands for the length of the body. No answer of the 500s; it goes on."""
    process, port = _serving()
    head, gap, body = data.partition(b"\r\n\r\n")
    answer = _spoken(
        port, head.replace(b"@len@", b"%d" % len(body)).replace(b"@port@", b"%d" % port) + gap + body
    )
    assert not re.match(rb"HTTP/1\.[01] 5\d\d", answer), answer[:500]
    assert b"Traceback" not in answer
    assert process.poll() is None
    with urlopen(f"http://127.0.0.1:{port}/health", timeout=PATIENCE) as good:
        assert good.status == 200


def _spoken(port: int, data: bytes) -> bytes:
    """What the server says to these bytes, until it or we have nothing more to say."""
    parts = []
    over = suppress(ConnectionResetError, BrokenPipeError, TimeoutError)  # it has said what it thinks
    with over, socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
        connection.sendall(data)
        ready = select.select([connection], [], [], MORE)[0]
        while ready and (part := connection.recv(1 << 16)):
            parts.append(part)
            ready = select.select([connection], [], [], MORE)[0]
    return b"".join(parts)


@cache
def _serving() -> tuple[subprocess.Popen[bytes], int]:
    process = _begun("serve", "--port", "0", "--json")
    assert process.stdout is not None
    said = b""
    while not said.endswith(b"}\n"):
        said += process.stdout.readline()
    url = json.loads(said)["url"]
    searched = Request(f"{url}/search", b'{"query": "gap"}', {"Content-Type": "application/json"})
    with urlopen(searched, timeout=STARTING) as answer:  # the first search pays for imports
        assert answer.status == 200
    return process, int(url.rpartition(":")[2])


# -- MCP ---------------------------------------------------------------------------------------------


def frames(data: bytes) -> None:
    """Lines on the server's stdin; it answers a ping after them."""
    _assistant().send(b"".join(data.splitlines(keepends=True)[:MANY]))


def tool(data: bytes) -> None:
    """A call of a tool, drawn by the input: parameters of its schema with values that fit, or do not."""
    assistant = _assistant()
    random = Random(data)
    *_, answer = assistant.ask("tools/call", _drawn(random.choice(assistant.tools), random))
    assert "result" in answer or answer["error"]["code"] == -32602, answer
    assert "Error executing tool" not in json.dumps(answer), answer  # an exception that is none of ours


def _drawn(offered: dict[str, Any], random: Random) -> dict[str, object]:
    """A call of a tool."""
    given = {
        name: _value(schema, random)
        for name, schema in offered["inputSchema"]["properties"].items()
        if random.random() < 0.6 or name in offered["inputSchema"].get("required", ())
    }
    return {"name": offered["name"], "arguments": given}


VALUES: tuple[object, ...] = (
    *("", "gap", "tea.md", "#3fa9c1", "-1", "2026-13-45", "last week", "x" * 5000, "\0", '"', "(" * 99),
    *(0, -1, 1, 3, 10**9, -(10**400), 1.5, -0.0, 1e308, float("nan"), float("inf"), True, False, None),
    *([], {}, [[]], ["a", 1], {"a": {"b": []}}, ["x"] * 999, [None]),
)


def _value(schema: dict[str, Any], random: Random) -> object:
    kinds = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list, "object": dict}
    named = [one.get("type") for one in (schema, *schema.get("anyOf", ()))]
    fitting = [value for value in VALUES if any(type(value) is kinds.get(str(name)) for name in named)]
    if schema.get("enum") and random.random() < 0.7:
        return random.choice(schema["enum"])
    return random.choice(fitting if fitting and random.random() < 0.8 else VALUES)


class _Assistant:
    """A client that keeps to no rules."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._lines: Queue[bytes] = Queue()
        Thread(target=self._listen, daemon=True).start()
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "x", "version": "1"},
        }
        self.ask("initialize", hello)
        self._write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        (listed,) = self.ask("tools/list", {})
        self.tools: Sequence[dict[str, Any]] = listed["result"]["tools"]
        for offered in self.tools:  # the first calls of each pay for imports
            for number in range(STARTS):
                self.ask("tools/call", _drawn(offered, Random(number)))

    def send(self, data: bytes) -> list[dict[str, Any]]:
        """All that is answered to these lines, up to the answer to a ping after them."""
        self._write(data)
        answers = self.ask("ping", {})
        assert answers.pop()["result"] == {}
        return answers

    def ask(self, method: str, params: object) -> list[dict[str, Any]]:
        number = str(uuid4())
        self._write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode())
        answers: list[dict[str, Any]] = []
        while not answers or answers[-1].get("id") != number:
            line = self._lines.get(timeout=PATIENCE)
            assert line, "the server has ended"
            answers.append(json.loads(line))
            assert "Traceback" not in line.decode()
        return answers

    def _write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        while line := self._process.stdout.readline():
            self._lines.put(line)
        self._lines.put(b"")


@cache
def _assistant() -> _Assistant:
    return _Assistant(_begun("mcp", "--tools", "ark,ralph,kadi"))


def _begun(*words: str) -> subprocess.Popen[bytes]:
    """A server over the home, in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ark_tui", "--home", str(indexed()), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    SERVERS.append(process.pid)
    return process
