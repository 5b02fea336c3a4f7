"""The processes of the campaign of many on one home: `python -m tests.soak.workers KIND HOME NAME SECONDS …`.

Each does one kind of thing, as often as it can, and prints `{count, worst_s, refused, kept}`: how often,
the longest it took once, what was refused, and the names of what it was told is kept.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from ark_tui.domain.errors import ArkError
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.settings import load
from benchmarks.corpus import Author
from tests.soak import audit

Act: TypeAlias = Callable[[int], object]


class Refused(Exception):
    """A command or a call that was answered with an error."""


class Worker:
    """Does something again and again and keeps count."""

    def __init__(self, home: Path, name: str, seconds: float) -> None:
        self.home = home
        self.name = name
        self._end = time.monotonic() + seconds
        self.count, self.worst = 0, 0.0
        self.refused: list[str] = []
        self.kept: list[str] = []

    def go_on(self) -> bool:
        return time.monotonic() < self._end or not self.count

    def told(self, began: float, refused: object = None) -> None:
        self.count += 1
        self.worst = max(self.worst, time.monotonic() - began)
        if refused is not None:
            self.refused.append(f"{self.name}: {refused}")

    def run(self, act: Act) -> None:
        while self.go_on():
            began = time.monotonic()
            try:
                act(self.count)
            except (ArkError, Refused) as error:
                self.told(began, error)
            else:
                self.told(began)

    async def arun(self, act: Callable[[int], Awaitable[object]]) -> None:
        while self.go_on():
            began = time.monotonic()
            try:
                await act(self.count)
            except (ArkError, Refused) as error:
                self.told(began, error)
            else:
                self.told(began)

    def command(self, *words: str) -> None:
        done = audit.run(self.home, *words)
        if done.returncode:
            raise Refused(f"{words[0]} ended with {done.returncode}: {done.stderr}")

    def keep(self, number: int, write: Callable[[str], object]) -> None:
        """Write something under a name of its own; acknowledged, it is to be there in the end."""
        name = f"{self.name}-{number}"
        write(name)
        self.kept.append(name)


def index(worker: Worker, folder: str) -> None:
    """Change files of a folder and index it."""
    random = Random(worker.name)
    with Engine(load(worker.home, environ={})) as engine:

        def once(_: int) -> None:
            audit.disturb(Path(folder), random)
            engine.index([Path(folder)])

        worker.run(once)


def search(worker: Worker) -> None:
    """Search with an engine that is held open, and now and then by a command."""
    author = Author(Random(worker.name).randrange(1 << 30))
    with Engine(load(worker.home, environ={})) as engine:
        worker.run(
            lambda number: (
                worker.command("search", author.query())
                if number % 10 == 0
                else engine.search(Request(author.query()))
            )
        )


def write(worker: Worker) -> None:
    """Add tasks, messages and values of the scratchpad, now and then by a command."""
    with Engine(load(worker.home, environ={})) as engine:
        memory, scope = engine.memory, engine.memory.scope()
        ways: list[Callable[[str], object]] = [
            lambda name: memory.tasks.add(scope, name, due="", tags=()),
            lambda name: memory.conversations.add(scope, "user", name),
            lambda name: memory.scratch.set(scope, name, "x"),
            lambda name: worker.command("tasks-add", name),
        ]
        worker.run(lambda number: worker.keep(number, ways[number % 4 if number % 20 < 4 else number % 3]))


def export(worker: Worker) -> None:
    """Write reports."""
    worker.run(lambda _: worker.command("--export", "-", "--report", "overview", "--report", "tasks"))


def mcp(worker: Worker) -> None:
    """Search and write as an assistant does."""
    asyncio.run(_mcp(worker))


async def _mcp(worker: Worker) -> None:
    from tests.mcp.conftest import by_stdio

    author = Author(7)
    async with by_stdio(worker.home) as assistant:

        async def call(tool: str, **arguments: object) -> None:
            answer = await assistant.call_tool(tool, arguments)
            if answer.is_error:
                raise Refused(f"{tool}: {answer}")

        async def once(number: int) -> None:
            if number % 3:
                return await call("search", query=author.query())
            await call("tasks", action="add", text=f"{worker.name}-{number}")
            worker.kept.append(f"{worker.name}-{number}")
            return None

        await worker.arun(once)


def http(worker: Worker) -> None:
    """Search and write as a program does."""
    import httpx

    from tests.http.conftest import served

    author = Author(8)
    with served(worker.home) as (url, _), httpx.Client(base_url=url, timeout=120) as client:

        def ask(method: str, path: str, body: dict[str, str]) -> None:
            answer = client.request(method, path, json=body)
            if answer.is_error:
                raise Refused(f"{method} {path}: {answer.status_code} {answer.text}")

        def once(number: int) -> None:
            if number % 3:
                ask("POST", "/search", {"query": author.query()})
            else:
                worker.keep(number, lambda name: ask("PUT", f"/scratch/{name}", {"value": "x"}))

        worker.run(once)


KINDS: dict[str, Callable[..., None]] = {
    "index": index, "search": search, "write": write, "export": export, "mcp": mcp, "http": http,
}  # fmt: skip


def start(kind: str, home: Path, name: str, seconds: float, *more: object) -> subprocess.Popen[str]:
    """A worker in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.soak.workers", kind, str(home), name, str(seconds), *map(str, more)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=audit.ROOT, env=audit.surroundings(),
    )  # fmt: skip


def ended(process: subprocess.Popen[str], within: float) -> dict[str, Any]:
    """What a worker says in the end."""
    said, complained = process.communicate(timeout=within)
    assert process.returncode == 0, complained
    found: dict[str, Any] = json.loads(said.splitlines()[-1])
    return found


if __name__ == "__main__":
    kind, home, name, seconds, *more = sys.argv[1:]
    worker = Worker(Path(home), name, float(seconds))
    KINDS[kind](worker, *more)
    sys.stdout.write(
        json.dumps(
            {"count": worker.count, "worst_s": worker.worst, "refused": worker.refused, "kept": worker.kept}
        )
        + "\n"
    )
