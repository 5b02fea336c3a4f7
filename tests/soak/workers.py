"""The clients of the campaign of many on one home: `python -m tests.soak.workers KIND HOME NAME SECONDS …`.

Each does one kind of thing, as often as it can, and prints `{count, worst_s, refused, kept}`: how often,
the longest it took once, what was refused, and the names of what it was told is kept.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any
from weakref import finalize

from ark_tui.domain.errors import ArkError
from ark_tui.interfaces.client.home import LocalHome
from ark_tui.interfaces.client.opening import caller
from ark_tui.operations import corpus, find, history, scratch, tasks
from ark_tui.operations.call import Call
from benchmarks.corpus import Author
from tests.soak import audit

if TYPE_CHECKING:
    from collections.abc import Iterator


class Refused(Exception):
    """A command or a call that was answered with an error."""


@dataclass(eq=False)
class Worker:
    """Does something again and again and keeps count."""

    home: Path
    name: str
    seconds: float
    count: int = 0
    worst_s: float = 0.0
    refused: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._end = time.monotonic() + self.seconds
        self.home.mkdir(mode=0o700, exist_ok=True)
        self._client = LocalHome(self.home, caller(self.name, os.environ))
        finalize(self, self._client.close)

    def turns(self) -> Iterator[int]:
        """The numbers of what is to be done, until the time is over."""
        while time.monotonic() < self._end or not self.count:
            yield self.count

    @contextmanager
    def timed(self) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        except (ArkError, Refused) as error:
            self.refused.append(f"{self.name}: {error}")
        self.count += 1
        self.worst_s = max(self.worst_s, time.monotonic() - began)

    def run(self, act: Callable[[int], object]) -> None:
        for number in self.turns():
            with self.timed():
                act(number)

    def ask(self, what: Any, *given: object, **named: object) -> Any:
        return self._client.ask(what, Call(self._client.engine, person=True), given, named)

    def command(self, *words: str) -> None:
        done = audit.run(self.home, *words, direct=False)
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

    def once(_: int) -> None:
        audit.disturb(Path(folder), random)
        worker.ask(corpus.index, roots=(Path(folder),))

    worker.run(once)


def search(worker: Worker) -> None:
    """Search with a client that stays, and now and then by a command."""
    author = Author(Random(worker.name).randrange(1 << 30))
    worker.run(
        lambda number: (
            worker.command("search", author.query())
            if number % 10 == 0
            else worker.ask(find.search, author.query())
        )
    )


def write(worker: Worker) -> None:
    """Add tasks, messages and values of the scratchpad, now and then by a command."""
    ways: list[Callable[[str], object]] = [
        lambda name: worker.ask(tasks.add, name),
        lambda name: worker.ask(history.add, "user", name),
        lambda name: worker.ask(scratch.set_, name, "x"),
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
        for number in worker.turns():
            name = f"{worker.name}-{number}"
            asked: tuple[str, dict[str, object]] = (
                ("search", {"query": author.query()})
                if number % 3
                else ("tasks", {"action": "add", "text": name})
            )
            with worker.timed():
                answer = await assistant.call_tool(*asked)
                if answer.is_error:
                    raise Refused(f"{asked}: {answer}")
                if not number % 3:
                    worker.kept.append(name)


def http(worker: Worker) -> None:
    """Search and write as a program does."""
    import httpx

    from tests.http.conftest import served

    author = Author(8)
    with served(worker.home, direct=False) as (url, _), httpx.Client(base_url=url, timeout=120) as client:

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
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=audit.ROOT,
        env=audit.surroundings(direct=False),
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
        json.dumps({name: getattr(worker, name) for name in ("count", "worst_s", "refused", "kept")}) + "\n"
    )
