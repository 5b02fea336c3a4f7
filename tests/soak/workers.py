"""The clients of the campaign of many on one home: `python -m tests.soak.workers KIND HOME NAME SECONDS …`.

Each does one kind of thing, as often as it can, and prints `{count, longest_s, refused, acknowledged}`: how
often, the longest wait for one answer, what was refused, and the names of the changes that were acknowledged.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any
from weakref import finalize

from mcp.shared.exceptions import MCPError

from ark_tui.domain.errors import ArkError, Cancelled
from ark_tui.domain.query import Request
from ark_tui.interfaces.client.home import LocalHome
from ark_tui.interfaces.client.opening import caller
from ark_tui.operations import (
    corpus,
    curation,
    history,
    knowledge,
    library,
    memories,
    scratch,
    tasks,
    workbench,
)
from ark_tui.operations.call import Call
from benchmarks.corpus import Author
from tests.soak import audit

if TYPE_CHECKING:
    from collections.abc import Iterator


NAME = re.compile(r"(of )?\w+-\d+")  # of a change


class Refused(Exception):
    """A command or a call that was answered with an error."""


@dataclass(eq=False)
class Worker:
    """Does something again and again and keeps count."""

    home: Path
    name: str
    seconds: float = 0.0
    count: int = 0
    longest_s: float = 0.0
    refused: list[str] = field(default_factory=list)
    acknowledged: list[str] = field(default_factory=list)

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
        except (ArkError, MCPError, Refused) as error:
            self.refused.append(f"{self.name}: {error}")
        self.count += 1
        self.longest_s = max(self.longest_s, time.monotonic() - began)

    def run(self, act: Callable[[int], object]) -> None:
        for number in self.turns():
            with self.timed():
                act(number)

    def ask(self, what: Any, *given: object, **named: object) -> Any:
        return self._client.ask(what, Call(self._client.engine, person=True), given, named)

    def listen(self, stop: threading.Event) -> None:
        """Hear the news of the home until `stop` is set."""
        with suppress(Cancelled):
            for _ in self._client.ask(workbench.subscribe, Call(self._client.engine, person=True, stop=stop)):
                pass

    def command(self, *words: str) -> None:
        done = audit.run(self.home, *words, direct=False)
        if done.returncode:
            raise Refused(f"{words[0]} ended with {done.returncode}: {done.stderr}")

    def megabytes(self) -> int:
        """The memory of the home process."""
        return int(self.ask("process.status")["memory"]) >> 20

    def change(self, number: int) -> None:
        """Change something under a name of its own; acknowledged, it must be there in the end."""
        name = f"{self.name}-{number}"
        CHANGES[number % len(CHANGES)](self, name)
        self.acknowledged.append(name)

    def ingest(self, name: str) -> str:
        return str(self.ask(corpus.ingest, f"{name} is a text", title=name).id)

    def tag(self, name: str) -> None:
        tagged = self.ingest(f"of {name}")
        self.acknowledged.append(f"of {name}")
        self.ask(curation.tag, (name,), (tagged,))

    def names(self) -> list[str]:
        """The names of all changes that are in the home; messages are numbered without gaps."""
        found = [one.text for one in self._all(tasks.list_)]
        messages = [*self._all(history.list_)]
        assert sorted(one.sequence for one in messages) == [*range(1, len(messages) + 1)]
        found += [one.content for one in messages]
        found += [one.key for one in self._all(scratch.list_)]
        found += [one.text for one in self._all(knowledge.list_facts)]
        found += [one.name for one in self._all(library.tags)]
        titles = [one.title for one in self._all(library.documents)]
        found += [title for title in titles if title not in {*found}]  # facts are documents, too
        return [name for name in found if NAME.fullmatch(name)]  # files have titles and tags, too

    def _all(self, what: Any) -> Iterator[Any]:
        offset = 0
        while page := self.ask(what, limit=1000, offset=offset).items:
            yield from page
            offset += len(page)


CHANGES: list[Callable[[Worker, str], object]] = [
    lambda worker, name: worker.ask(tasks.add, name),
    lambda worker, name: worker.ask(history.add, "user", name),
    lambda worker, name: worker.ask(scratch.set_, name, "x"),
    lambda worker, name: worker.ask(knowledge.add_fact, name),
    Worker.ingest,
    Worker.tag,
]


def index(worker: Worker, folder: str) -> None:
    """Change files of a folder and index it by a command."""
    random = Random(worker.name)

    def once(_: int) -> None:
        audit.disturb(Path(folder), random)
        worker.command("index", folder)

    worker.run(once)


def search(worker: Worker) -> None:
    """Search in stages and listen for news, as a workbench does."""
    author, stop = Author(Random(worker.name).randrange(1 << 30)), threading.Event()
    listening = threading.Thread(target=worker.listen, args=(stop,))
    listening.start()
    worker.run(lambda _: list(worker.ask(workbench.search, Request(author.query(), limit=10))))
    stop.set()
    listening.join()


def write(worker: Worker) -> None:
    """Add tasks, messages, values, facts, texts and tags."""
    worker.run(worker.change)


def context(worker: Worker) -> None:
    """Ask for what an assistant is told at the start of a task."""
    author = Author(Random(worker.name).randrange(1 << 30))
    worker.run(lambda _: worker.ask(memories.context, author.query()))


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
                    worker.acknowledged.append(name)


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
                name = f"{worker.name}-{number}"
                ask("PUT", f"/scratch/{name}", {"value": "x"})
                worker.acknowledged.append(name)

        worker.run(once)


KINDS: dict[str, Callable[..., None]] = {
    "index": index, "search": search, "write": write, "context": context, "mcp": mcp, "http": http,
}  # fmt: skip


def start(kind: str, home: Path, name: str, seconds: float, *more: object) -> subprocess.Popen[str]:
    """A worker in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.soak.workers", kind, str(home), name, str(seconds), *map(str, more)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=audit.ROOT,
        env=audit.surroundings(direct=False),
    )  # fmt: skip


def ended(process: subprocess.Popen[str], within: float) -> dict[str, Any]:
    """What a worker prints in the end."""
    printed, complained = process.communicate(timeout=within)
    assert process.returncode == 0, complained
    found: dict[str, Any] = json.loads(printed.splitlines()[-1])
    return found


if __name__ == "__main__":
    kind, home, name, seconds, *more = sys.argv[1:]
    worker = Worker(Path(home), name, float(seconds))
    KINDS[kind](worker, *more)
    told = ("count", "longest_s", "refused", "acknowledged")
    sys.stdout.write(json.dumps({name: getattr(worker, name) for name in told}) + "\n")
