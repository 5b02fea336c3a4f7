"""A regression guard of some minutes: what commands do, counted, against what they were kept to do.

`make bench-quick` compares with `benchmarks/kept.toml` and fails with a table of what grew; where something
shrank, or was meant to grow, `make bench-quick RENEW=1` keeps today's counts. Times are not looked at: counts
are the same on a loaded machine. Those of other systems and versions of Python are not compared.
"""

from __future__ import annotations

import compileall
import json
import os
import platform
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.corpus import Author
from benchmarks.stdio import Server, without_ours

KEPT = Path(__file__).with_name("kept.toml")
PROGRAM = KEPT.parent.parent / "ark_tui"
NOTES = 120
EDITED = 10
WORDS = ("spectral", "gap", "mixing")
MESSAGES = 3
MACHINE = f"{platform.system()}, Python {sys.version_info.major}.{sys.version_info.minor}"

Counts = dict[str, int]

TOLERANCE = {
    "modules": 0.0,
    "notes opened": 0.0,
    "statements": 0.02,
    "rows read": 0.02,
    "Python calls": 0.05,
    "bytes written": 0.1,
    "home, bytes a chunk": 0.05,
}
"""By what share a count may move; `ELSE` for those that are not named."""
ELSE = 0.02
SLACK = {"bytes written": 5 * 32_768, "modules": 3}
"""By how much a count may move anyway, but where it may not move at all; some blocks of the store."""
FEW = 10
"""The same for those that are not named."""
FOLLOWED = {
    "leases to read": 0.6,
    "leases to write": 0.6,
    "statements": 0.6,
    "rows read": 0.6,
    "files of the home opened": 0.6,
    "files published": 0.6,
    "bytes written": 0.6,
    "home, bytes a chunk": 0.1,
}
"""The same where indexes follow beside the reading: how often they do depends on the machine."""
SERVED = {"modules": 0.001}
"""The same of a server, which gets ready beside its answers: it may be left before it is."""


@dataclass(frozen=True, slots=True)
class Step:
    """One command: its name and arguments, what is done before it, and what a server is asked."""

    name: str
    arguments: tuple[str, ...]
    before: Callable[[Path], object] = lambda _: None
    asked: tuple[dict[str, str], ...] | None = None
    follows: bool = False  # indexes follow while it reads


def steps(notes: Path) -> Iterator[Step]:
    """The commands, each in the state that the one before it leaves."""
    yield Step("cold index", ("index", str(notes)), _write, follows=True)
    yield Step("unchanged index", ("index", str(notes)))
    yield Step("index of ten edits", ("index", str(notes)), _edit, follows=True)
    yield Step("keyword search", ("search", "--mode", "keyword", *WORDS))
    yield Step("semantic search", ("search", "--mode", "semantic", *WORDS))
    yield Step("default search", ("search", *WORDS))
    yield Step("status", ("status", "--json"))
    yield Step("context", ("context", *WORDS))
    for number in range(MESSAGES):
        yield Step(f"message {number + 1}", ("history", "add", "user", "where", "do", "otters", str(number)))
    yield Step("list of messages", ("history", "list"))
    yield Step("search of messages", ("history", "search", "otters"))
    yield Step("MCP handshake", ("mcp",), asked=())
    yield Step("MCP search", ("mcp",), asked=({"query": " ".join(WORDS)},))


def main() -> int:
    compileall.compile_dir(PROGRAM, quiet=2)  # by the first command otherwise, which would count it
    with tempfile.TemporaryDirectory() as scratch:
        found = {step.name: _counted(step, Path(scratch)) for step in steps(Path(scratch) / "notes")}
        found["cold index"]["home, bytes a chunk"] = _bytes_a_chunk(Path(scratch))
    if os.environ.get("RENEW"):
        KEPT.write_text(_page(found), "utf-8")
        sys.stdout.write(f"Kept what {len(found)} commands do.\n")
        return 0
    return _compared(found, tomllib.loads(KEPT.read_text("utf-8")))


def _compared(found: dict[str, Counts], kept: dict[str, Any]) -> int:
    """Print what has moved beyond its tolerance; 1 where anything has."""
    if kept["machine"] != MACHINE:
        sys.stdout.write(f"Kept on {kept['machine']}; this is {MACHINE}: nothing to compare.\n")
        return 0
    if not (rows := moved(found, kept)):
        sys.stdout.write(f"{len(found)} commands do what they are kept to do.\n")
        return 0
    for step, what, before, now in rows:
        sign = "MORE" if now > before else "less"
        sys.stdout.write(f"{sign}  {step:20} {what:26} {before:>12,} → {now:>12,}\n")
    sys.stdout.write("Mend what grew; if it is meant, or shrank: make bench-quick RENEW=1\n")
    return 1


def moved(found: dict[str, Counts], kept: dict[str, Any]) -> list[tuple[str, str, int, int]]:
    """What is beyond its tolerance: the command, what was counted, the count as it was kept, and today's."""
    return [
        (step.name, what, before, now)
        for step in steps(Path())
        for what in {**kept.get(step.name, {}), **found[step.name]}
        if beyond(
            before := kept.get(step.name, {}).get(what, 0),
            now := found[step.name].get(what, 0),
            tolerance(what, step),
            SLACK.get(what, FEW),
        )
    ]


def tolerance(name: str, step: Step) -> float:
    """By what share a count of a command may move."""
    followed = FOLLOWED.get(name, 0.0) if step.follows else 0.0
    served = SERVED.get(name, 0.0) if step.asked is not None else 0.0
    return max(TOLERANCE.get(name, ELSE), followed, served)


def beyond(before: int, now: int, share: float, slack: int) -> bool:
    """Whether a count has moved by more than this share, and by more than a second look or two cost."""
    return abs(now - before) > max(slack if share else 0, share * before)


def _counted(step: Step, scratch: Path) -> Counts:
    """What a command does in a process of its own."""
    step.before(scratch / "notes")
    told = scratch / "counts.json"
    told.unlink(missing_ok=True)
    environment = without_ours(
        ARK_HOME=str(scratch / "home"), ARK_WARM="0", PYTHONHASHSEED="0", NO_COLOR="1", COLUMNS="100",
        OLLAMA_HOST="127.0.0.1:9",
    )  # fmt: skip
    command = [sys.executable, "-m", "benchmarks.counting", str(told), *step.arguments]
    with Server(command, environment, PROGRAM.parent) as child:
        if step.asked is not None:
            child.hello()
            for arguments in step.asked:
                child.ask("tools/call", {"name": "knowledge_search", "arguments": arguments})
    if code := child.ended():
        raise SystemExit(f"{step.name} ended with {code}")
    counts: Counts = json.loads(told.read_text("utf-8"))
    return dict(sorted(counts.items()))


def _write(notes: Path) -> None:
    author = Author(3)
    notes.mkdir()
    for number in range(NOTES):
        _written(notes / f"{number:03}.md", author.page(number))


def _edit(notes: Path) -> None:
    for number in range(EDITED):
        note = notes / f"{number:03}.md"
        _written(note, note.read_text("utf-8") + "\nA line about a spectral gap that was not there before.\n")


def _written(note: Path, text: str) -> None:
    """Write a note as if an hour ago: what was saved just before it was indexed is read again to be sure."""
    note.write_text(text, "utf-8")
    then = time.time() - 3600
    os.utime(note, (then, then))


def _bytes_a_chunk(scratch: Path) -> int:
    """What the home takes on disk, but for its log files, by chunk."""
    from ark_tui.engine import Engine
    from ark_tui.settings import load

    home = scratch / "home"
    size = sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
    with Engine(load(home, environ={})) as engine:
        return size // engine.status().chunks


def _page(found: dict[str, Counts]) -> str:
    """The counts as TOML."""
    lines = ["# What commands do, kept by `make bench-quick RENEW=1`.", "", f'machine = "{MACHINE}"']
    for name, counts in found.items():
        lines += ["", f'["{name}"]', *(f'"{what}" = {count}' for what, count in counts.items())]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
