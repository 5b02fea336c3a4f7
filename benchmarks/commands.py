"""Commands and small changes of a home process over 100,000 chunks: `python -m benchmarks commands`.

A command with the home process there against a bare click command; the first one, which starts the process;
what a fact, a tag, a message, a task and a context take over the socket.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from ark_tui.interfaces.client import local
from ark_tui.interfaces.client.home import LocalHome
from ark_tui.interfaces.client.opening import caller
from ark_tui.operations import curation, find, history, knowledge, library, memories, tasks
from ark_tui.operations.call import Call
from benchmarks import corpus
from benchmarks.measure import Figure, in_turns, middle, milliseconds, percentile, rounded, tell

ROUNDS, STARTS, CHANGES = 15, 5, 100
CHUNKS = int(os.environ.get("BENCH_CHUNKS", str(corpus.CHUNKS)))
GOALS = {"warm": 3.0, "first": 1000, "fact": 15, "tag": 30, "message": 5, "task": 5, "context": 40}
"""Milliseconds; the first one a ratio."""
BARE = "import click\n@click.command()\n@click.argument('query')\ndef main(query): click.echo(query)\nmain()"


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch, "home")
        shutil.copytree(corpus.home(CHUNKS), home)
        bare, ours = [sys.executable, "-c", BARE, "gap"], str(Path(sys.executable).with_name("ark-tui"))
        search = [ours, "--home", str(home), "search", "spectral gap"]
        try:
            first = [_first(home, search) for _ in range(STARTS)]
            plain, warm = in_turns([partial(_run, bare), partial(_run, search)], ROUNDS)
            with closing(LocalHome(home, caller("benchmark", {}))) as client:
                changes, memory = _changes(partial(_ask, client)), _ask(client, "process.status")["memory"]
        finally:
            local.stop(home)
    found = {"warm": middle(warm) / middle(plain), "first": middle(first)} | changes
    worst = max(found[name] / goal for name, goal in GOALS.items())
    tell(
        Figure(
            "commands", round(worst, 3), "≤ 1",
            rounded(bare=middle(plain), memory_mb=memory / 2**20, **found),
        ),
        f"Over {CHUNKS:,} chunks a search by a command takes {middle(warm):.0f} ms, {found['warm']:.2f} × a "
        f"bare one, and {found['first']:.0f} ms where it starts the home process; over the socket a fact "
        f"{found['fact']:.1f} ms, a tag {found['tag']:.1f}, a message {found['message']:.1f}, a task "
        f"{found['task']:.1f}, a context {found['context']:.0f} (p99 {found['context_p99']:.0f}); the home "
        f"process has {memory / 2**20:.0f} MB",
    )  # fmt: skip


def _first(home: Path, command: list[str]) -> float:
    local.stop(home)
    return milliseconds(partial(_run, command))


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True)


def _ask(client: LocalHome, what: Any, *given: Any, **named: Any) -> Any:
    return client.ask(what, Call(client.engine, person=True), given, named)


def _changes(ask: Callable[..., Any]) -> dict[str, float]:
    number = count()
    documents = [one.id for one in ask(library.documents, limit=CHANGES + 2).items]
    works = {
        "fact": lambda: ask(knowledge.add_fact, f"Build {next(number)} takes four minutes"),
        "tag": lambda: ask(curation.tag, ("fresh",), (documents.pop(),)),
        "message": lambda: ask(history.add, "user", f"message {next(number)}"),
        "task": lambda: ask(tasks.add, f"task {next(number)}"),
        "context": lambda: ask(memories.context, "how long does the build take"),
        "search": lambda: ask(find.search, "spectral gap"),
    }
    times = dict(zip(works, in_turns([*works.values()], CHANGES), strict=True))
    return {name: middle(one) for name, one in times.items()} | {
        "context_p99": percentile(times["context"], 0.99)
    }


if __name__ == "__main__":
    main()
