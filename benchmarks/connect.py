"""What a connection adds on loopback: to a search with its stages, and to a key that searches.

A search is asked of an engine here and of `ark-tui serve` in another process, in turns, over the same home.
Keys are typed into a workbench over that home, and into one that is connected with the server.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import cycle
from pathlib import Path

from ark_tui import settings
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.interfaces.client.home import ServedHome
from ark_tui.operations import workbench
from ark_tui.operations.call import Call
from ark_tui.settings import secrets
from ark_tui.settings.caller import Caller
from benchmarks import corpus
from benchmarks.key_echo import echoes
from benchmarks.measure import Figure, in_turns, middle, rounded, tell
from benchmarks.terminal import Terminal, environment

ROUNDS = 100
SEARCH, KEY = 5.0, 16.0  # ms that may be added
QUESTIONS = ("spectral gap", "index of words", "how does a lease work", "neighbours of a chunk")
KEYS = "ЖΨЩΩЯΞФΔЭΦДΛБΠЮΣ"  # letters that nothing else on the screen has
APART = 0.3  # seconds between two keys


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / "home"
        command = [sys.executable, "-m", "ark_tui", "index", "--home", str(home), str(corpus.pages(2000))]
        subprocess.run(command, check=True, capture_output=True)
        with served(home) as (url, server):
            token = secrets.key("ARK_TOKEN", settings.load(home).home)
            (here, there, nothing), worked = _searches(home, url, token, server)
            local = _echoes(home, [])
            connected = _echoes(home.with_name("none"), ["--connect", url, "--token", token])
    search, key = middle(there) - middle(here), middle(connected) - middle(local)
    tell(
        Figure(
            "connect", round(max(search / SEARCH, key / KEY), 3), "≤ 1",
            rounded(search_here_ms=middle(here), search_connected_ms=middle(there), search_added_ms=search,
                    search_added_processor_ms=worked, call_ms=middle(nothing),
                    key_here_ms=middle(local), key_connected_ms=middle(connected), key_added_ms=key),
        ),
        f"Over a connection on loopback a search takes {search:.1f} ms more (p50, of {middle(here):.1f}; "
        f"≤ {SEARCH:.0f}; {worked:.1f} ms of processor time) and a "
        f"key {key:.1f} ms more (of {middle(local):.1f}; ≤ {KEY:.0f}); a call that "
        f"looks at two numbers {middle(nothing):.1f} ms",
    )  # fmt: skip


@contextmanager
def served(home: Path) -> Iterator[tuple[str, int]]:
    """The address of a server with a token, in a process of its own, and the number of that."""
    command = [
        sys.executable,
        "-m",
        "ark_tui",
        "serve",
        "--home",
        str(home),
        "--port",
        "0",
        "--token",
        "--json",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            lines = []
            while (line := process.stdout.readline()) not in {"}\n", ""}:
                lines.append(line)
            yield str(json.loads("".join(lines) + "}")["url"]), process.pid
        finally:
            process.terminate()


def _searches(home: Path, url: str, token: str, server: int) -> tuple[list[list[float]], float]:
    """Milliseconds of searches here and there, and of the smallest call; of processor time that are added."""
    questions = cycle(one for one in QUESTIONS for _ in range(2))  # each asked here, then there

    def asked() -> Request:
        return Request(next(questions), limit=50, typing=True, expand=False, unlogged=True)

    with Engine(settings.load(home)) as engine, closing(ServedHome(url, token, Caller(Path.cwd()))) as away:
        call = Call(away.engine, person=True)
        works: list[Callable[[], object]] = [
            lambda: [*workbench.search(Call(engine, person=True), asked())],
            lambda: [*away.ask(workbench.search, call, (asked(),))],
            lambda: away.ask(workbench.news, call),
        ]
        times = in_turns(works, ROUNDS, warm=10)
        local, connected = (_worked(work, server) for work in works[:2])
        return times, connected - local


def _worked(work: Callable[[], object], server: int) -> float:
    """Milliseconds of processor time of both processes for one piece of work."""

    def so_far() -> float:
        ticks = Path(f"/proc/{server}/stat").read_text().rpartition(")")[2].split()[11:13]
        return time.process_time() + sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")

    before = so_far()
    for _ in range(ROUNDS):
        work()
    return (so_far() - before) * 1000 / ROUNDS


def _echoes(home: Path, options: list[str]) -> list[float]:
    """Milliseconds from a key to its character, each key searching."""
    with Terminal([sys.executable, "-m", "ark_tui", *options], environment(home)) as terminal:
        terminal.until("documents to search")
        terminal.press("spectral ")
        terminal.settle(3.0)
        return echoes(terminal, KEYS, APART)


if __name__ == "__main__":
    main()
