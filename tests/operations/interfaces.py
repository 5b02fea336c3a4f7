"""The same operation asked in each way: as a function, a command, a route."""

from __future__ import annotations

import asyncio
import io
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from ark_tui import settings
from ark_tui.domain.errors import ArkError
from ark_tui.engine import Engine
from ark_tui.interfaces.calls.state import state_for
from ark_tui.interfaces.cli.app import run
from ark_tui.interfaces.http.made import BARE
from ark_tui.operations.call import Call
from ark_tui.operations.catalog import shipped
from ark_tui.operations.operation import Operation, Parameter, answer
from tests.connect.serving import TOKEN, serving
from tests.http.conftest import app_at

CATALOG = shipped()
Given = Mapping[str, Any]


@dataclass(frozen=True)
class Told:
    """What an interface answered: JSON, or a refusal with its error and hint."""

    json: Any
    refused: bool = False


class Direct:
    """Called as a function."""

    name = "function"

    def __init__(self, home: Path) -> None:
        self.engine = Engine(settings.load(home))

    def ask(self, operation: Operation, given: Given) -> Told:
        try:
            return Told(
                json.loads(json.dumps(answer(operation, operation(Call(self.engine, person=True), **given))))
            )
        except ArkError as error:
            return Told({"error": error.what, "hint": error.hint}, refused=True)

    def close(self) -> None:
        self.engine.close()


class Command:
    """Asked on the command line, with `--json`."""

    name = "command"

    def __init__(self, home: Path) -> None:
        self._home = home

    def where(self) -> list[str]:
        """What is typed before the command's name."""
        return ["--home", str(self._home)]

    def ask(self, operation: Operation, given: Given) -> Told:
        piped = next((str(given[one.name]) for one in operation.parameters if one.said.file), "")
        line = [*self.where(), *operation.path, "--json", *words(operation, given)]
        code, out, err = self.run(line, piped)
        if code:
            return Told(json.loads(err.splitlines()[-1]), refused=True)
        found = json.loads(out)
        several = operation.listed and "total" not in found and operation.listed in found
        single = several and not str(operation.result).startswith("tuple")
        return Told(found[operation.listed][0] if single else found)

    def run(self, line: Sequence[str], piped: str = "") -> tuple[int, str, str]:
        """How a command line ends, and what it writes; `piped` is its stdin."""
        kept = sys.stdin, sys.stdout, sys.stderr
        streams = [io.TextIOWrapper(io.BytesIO(told.encode()), "utf-8") for told in (piped, "", "")]
        sys.stdin, sys.stdout, sys.stderr = streams
        try:
            code = int(run(line))
            for stream in streams[1:]:
                stream.flush()
        finally:
            sys.stdin, sys.stdout, sys.stderr = kept
        out, err = (stream.buffer.getvalue().decode() for stream in streams[1:])
        return code, out, err

    def close(self) -> None:
        """Nothing is open."""


class Connected(Command):
    """Asked on the command line of another machine, which has no home."""

    name = "connected"

    def __init__(self, home: Path) -> None:
        super().__init__(home.with_name("elsewhere"))
        self.engine = Engine(settings.load(home))
        self._server = serving(self.engine)
        self._url = self._server.__enter__()

    def where(self) -> list[str]:
        return [*super().where(), "--connect", self._url, "--token", TOKEN]

    def close(self) -> None:
        self._server.__exit__(None, None, None)
        self.engine.close()


class Route:
    """Asked over HTTP."""

    name = "route"

    def __init__(self, home: Path) -> None:
        self.engine = Engine(settings.load(home))
        self._state = state_for(self.engine)
        self._app = app_at(self._state)

    def ask(self, operation: Operation, given: Given) -> Told:
        method, path = operation.route.split()
        wire = {one.wire: plain(given[one.name]) for one in operation.parameters if one.name in given}
        places = re.findall(r"{(\w+)}", path)
        for name in places:
            path = path.replace(f"{{{name}}}", quote(str(wire.pop(name)), safe=""))
        return asyncio.run(self._asked(operation, method, path, wire))

    async def _asked(self, operation: Operation, method: str, path: str, wire: dict[str, Any]) -> Told:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app=self._app), base_url="http://127.0.0.1:7070"
        ) as client:
            sent: dict[str, Any] = {"params": wire} if method in BARE else {"json": wire}
            said = await client.request(method, path, **sent)
            if operation.long and said.is_success:
                job = self._state.jobs.get(said.json()["job_id"])
                await asyncio.to_thread(job.over.wait)
                said = await client.get(f"/jobs/{job.id}")
                done = said.json()
                return Told(done["error"] or done["result"], refused=bool(done["error"]))
        return Told(said.json(), refused=not said.is_success)

    def close(self) -> None:
        self._state.jobs.close()
        self.engine.close()


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Path):
        return str(value)
    return [*map(plain, value)] if isinstance(value, tuple) else value


def words(operation: Operation, given: Given) -> list[str]:
    """Parameters as they are typed: options, then arguments."""
    options: list[str] = []
    arguments: list[str] = []
    for one in operation.parameters:
        if one.name in given and given[one.name] is not None:
            typed = [str(value) for value in _values(one, given[one.name])]
            if one.said.argument:
                arguments += typed
            else:
                options += _option(one, given[one.name], typed)
    return [*options, "--", *arguments] if arguments else options


def _values(one: Parameter, value: Any) -> Sequence[Any]:
    if isinstance(value, Mapping):
        return [json.dumps(value)]
    if one.said.file:
        return ["-"]
    if one.said.commas:
        return [",".join(value)]
    each = value if one.several else [value]
    return [json.dumps(part) if isinstance(part, Mapping) else part for part in each]


def _option(one: Parameter, value: Any, typed: list[str]) -> list[str]:
    name = one.said.option or f"--{one.name.rstrip('_').replace('_', '-')}"
    if one.type is bool:
        return [name] if value else [f"--no-{name[2:]}"] if one.optional else []
    return [part for text in typed for part in (name, text)]
