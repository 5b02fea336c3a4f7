"""ark-tui beside its peers over the same notes: `NOTES=FOLDER PEERS=FOLDER python -m benchmarks peers`.

The peers are taken from the path, or from the folder that `PEERS` names: npm's `node_modules/.bin`
(`@tobilu/qmd`, `ralph-hero-knowledge-index`, and `node` 24 for them) and a virtual environment `venv`
(`chromadb`). One that is not there, or cannot load its model, is not at hand, and said to be. Every tool has
its turn in each of `ROUNDS` rounds, with a home of its own each time; medians are compared with their goals.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks import corpus
from benchmarks.measure import Figure, percentile, rounded, tell
from benchmarks.stdio import Server, without_ours

ROUNDS = int(os.environ.get("ROUNDS", "3"))
PAGES = 1_925
CALLS = 60  # over MCP, in each round
ONE_SHOTS = 5  # commands, in each round
CHROMA = Path(__file__).with_name("peer_chroma.py")

Figures = dict[str, float]


@dataclass(frozen=True, slots=True)
class Tool:
    """A peer, or ark-tui: its commands; `{home}`, `{notes}` and `{query}` stand for what they say.

    `mcp` is its server with the tool that searches and what that is given. `failed`: what its output has
    where it goes on without the model it needs.
    """

    name: str
    index: Sequence[str]
    searches: Mapping[str, Sequence[str]]
    mcp: tuple[Sequence[str], str, Callable[[str], dict[str, object]]] | None = None
    again: Sequence[str] = ()
    failed: str = ""


OURS = str(Path(sys.executable).with_name("ark-tui"))
TOOLS = (
    Tool(
        "ark-tui", (OURS, "index", "{notes}"),
        {"keyword": (OURS, "search", "--mode", "keyword", "{query}"), "default": (OURS, "search", "{query}")},
        ((OURS, "mcp"), "search", lambda query: {"query": query, "limit": 10}),
    ),
    Tool(
        "qmd", ("qmd", "collection", "add", "{notes}", "--name", "notes"),
        {"keyword": ("qmd", "search", "{query}")},
        (("qmd", "mcp"), "query",
         lambda query: {"searches": [{"type": "lex", "query": query}], "rerank": False, "limit": 10}),
        again=("qmd", "update"),
    ),
    Tool(
        "ralph", ("ralph-reindex", "{notes}", "{home}/ralph.db", "--no-generate"), {},
        (("ralph-hero-knowledge-index",), "knowledge_search", lambda query: {"query": query, "limit": 10}),
        failed="embedChunks",
    ),
    Tool(
        "chroma", ("chroma-python", str(CHROMA), "index", "{home}", "{notes}"),
        {"default": ("chroma-python", str(CHROMA), "search", "{home}", "{query}")},
    ),
    Tool("ripgrep", (), {"keyword": ("rg", "--ignore-case", "--count-matches", "{words}", "{notes}")}),
)  # fmt: skip

GOALS = (
    ("cold index", "ark-tui", ("qmd",), 1.5),
    ("unchanged", "ark-tui", ("qmd", "ralph"), 1.0),
    ("keyword", "ark-tui", ("qmd",), 1.2),
    ("default", "ark-tui", ("qmd keyword",), 2.0),
    ("warm keyword", "ark-tui", ("ripgrep keyword",), 3.0),
    ("warm default", "ark-tui", ("ripgrep keyword",), 3.0),
    ("MCP p50", "ark-tui", ("qmd", "ralph"), 1.0),
    ("MCP ready", "ark-tui", ("qmd", "ralph"), 1.2),
)
"""What of ours, against the quickest of which peers, and at most how many times that."""
FIRST_ANSWER = 0.060  # seconds, at most
HOME = 4.0  # times the text alone, at most


def main() -> None:
    named = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("NOTES", "")
    notes = Path(named).resolve() if named else corpus.pages(PAGES)
    queries = _queries(notes)
    found: dict[str, list[Figures]] = {}
    away: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for turn in range(ROUNDS):
            for tool in [one for one in TOOLS if one.name not in away]:
                home = Path(scratch) / f"{tool.name}-{turn}"
                home.mkdir()
                try:
                    found.setdefault(tool.name, []).append(dict(_measured(tool, home, notes, queries)))
                except (OSError, RuntimeError) as error:
                    found.pop(tool.name, None)
                    away[tool.name] = " ".join(str(error).split())[:120]
                shutil.rmtree(home)
    _tell(notes, {name: _medians(rounds) for name, rounds in found.items()}, away)


def _tell(notes: Path, tools: dict[str, Figures], away: dict[str, str]) -> None:
    text = sum(path.stat().st_size for path in notes.rglob("*.md"))
    rows = [*_rows(tools, text)]
    for name, why in away.items():
        sys.stderr.write(f"{name} is not at hand: {why}\n")
    for what in dict.fromkeys(what for figures in tools.values() for what in figures):
        cells = (f"{name} {figures[what]:,.3g}" for name, figures in tools.items() if what in figures)
        sys.stderr.write(f"{what:22} {'  '.join(cells)}\n")
    for what, ratio, goal in rows:
        sys.stderr.write(f"{'met   ' if ratio <= goal else 'MISSED'} {what}: {ratio:.2f} (≤ {goal:g})\n")
    worst = max(ratio / goal for _, ratio, goal in rows)
    beside = ", ".join(name for name in tools if name != "ark-tui") or "nobody: no peer is at hand"
    tell(
        Figure("peers", round(worst, 3), "≤ 1", rounded(**{what: ratio for what, ratio, _ in rows})),
        f"Beside {beside}, over {text / 1e6:.1f} MB: "
        + "; ".join(f"{what} {ratio:.2f} (≤ {goal:g})" for what, ratio, goal in rows),
    )


def _rows(tools: dict[str, Figures], text: int) -> Iterator[tuple[str, float, float]]:
    """What is compared, by how much we take of the quickest peer, and the goal."""
    ours = tools["ark-tui"]
    for what, _, peers, goal in GOALS:
        theirs = [
            tools[name][of or what]
            for name, _, of in (peer.partition(" ") for peer in peers)
            if (of or what) in tools.get(name, {})
        ]
        if what in ours and theirs:
            yield f"{what} against {' or '.join(peers)}", ours[what] / min(theirs), goal
    yield "first answer over MCP, in parts of 60 ms", ours["MCP first answer"] / FIRST_ANSWER, 1.0
    yield "home against the text alone", ours["home, MB"] * 1e6 / text, HOME


def _measured(tool: Tool, home: Path, notes: Path, queries: Sequence[str]) -> Iterator[tuple[str, float]]:
    """One turn of a tool: seconds, MB of memory and of disk, by what was done."""
    environment = _environment(home)
    given = {"home": str(home), "notes": str(notes)}
    if tool.index:
        took, peak = _run(_filled(tool.index, given), environment, tool.failed)
        yield "cold index", took
        yield "peak of indexing, MB", peak
        yield "home, MB", sum(path.stat().st_size for path in home.rglob("*") if path.is_file()) / 1e6
        yield "unchanged", _run(_filled(tool.again or tool.index, given), environment)[0]
    for mode, command in tool.searches.items():
        yield mode, _one_shots(command, given, environment, queries)
    if tool.name == "ark-tui":
        yield from _warm(tool, given, environment | {"ARK_WARM": "1"}, queries)
    if tool.mcp:
        yield from _served(tool, environment, queries)


def _warm(
    tool: Tool, given: dict[str, str], environment: dict[str, str], queries: Sequence[str]
) -> Iterator[tuple[str, float]]:
    """The same commands, answered by a process that keeps the home open."""
    _run((OURS, "warm"), environment)
    try:
        for mode, command in tool.searches.items():
            yield f"warm {mode}", _one_shots(command, given, environment, queries)
    finally:
        _run((OURS, "warm", "--stop"), environment)


def _served(tool: Tool, environment: dict[str, str], queries: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Until a server is ready, until its first answer, and what each of the others takes."""
    assert tool.mcp
    command, name, arguments = tool.mcp
    began = time.perf_counter()
    with Server(_found(command, environment), environment, Path(environment["HOME"])) as server:
        server.hello()
        yield "MCP ready", time.perf_counter() - began
        took = []
        for turn in range(CALLS + 1):
            began = time.perf_counter()
            server.ask("tools/call", {"name": name, "arguments": arguments(queries[turn % len(queries)])})
            took.append(time.perf_counter() - began)
    yield "MCP first answer", took[0]
    yield "MCP p50", statistics.median(took[1:])
    yield "MCP p95", percentile(took[1:], 0.95)


def _one_shots(
    command: Sequence[str], given: dict[str, str], environment: dict[str, str], queries: Sequence[str]
) -> float:
    took = []
    for query in queries[:ONE_SHOTS]:
        filled = _filled(command, given | {"query": query, "words": query.replace(" ", "|")})
        took.append(_run(filled, environment, fine=(0, 1))[0])  # 1: nothing was found
    return statistics.median(took)


def _run(
    command: Sequence[str], environment: dict[str, str], failed: str = "", fine: Sequence[int] = (0,)
) -> tuple[float, float]:
    """Seconds of a command, and the most MB that it or a child of it had. Raises `RuntimeError`."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(
            _found(command, environment), env=environment, cwd=environment["HOME"],
            stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT,
        )  # fmt: skip
        _, status, used = os.wait4(child.pid, 0)
        took = time.perf_counter() - began
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        told = said.read().decode("utf-8", "replace")
    if child.returncode not in fine or (failed and failed in told):
        telling = (line for line in reversed(told.splitlines()) if line.strip() and failed in line)
        raise RuntimeError(next(telling, "") or f"{command[0]} ended with {child.returncode}")
    return took, _megabytes(used)


def _megabytes(used: resource.struct_rusage) -> float:
    return used.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def _environment(home: Path) -> dict[str, str]:
    """Nothing of this machine's own but the path; every tool writes below its home."""
    peers = Path(os.environ.get("PEERS", "/nowhere"))
    path = (str(peers / "node_modules" / ".bin"), str(peers / "venv" / "bin"), os.environ["PATH"])
    names = {"HOME": home, "ARK_HOME": home / "ark", "XDG_CACHE_HOME": home / "cache",
             "XDG_CONFIG_HOME": home / "config", "RALPH_KNOWLEDGE_DB": home / "ralph.db"}  # fmt: skip
    told = {name: str(place) for name, place in names.items()}
    return without_ours(**told, PATH=os.pathsep.join(path), ARK_WARM="0", NO_COLOR="1")


def _found(command: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """The command with where its program is. Raises `RuntimeError` where it is not."""
    name, *rest = command
    if name == "chroma-python":
        chroma = shutil.which("chroma", path=environment["PATH"])
        name = str(Path(chroma).with_name("python")) if chroma else name
    if name == "ralph-reindex":
        server = shutil.which("ralph-hero-knowledge-index", path=environment["PATH"])
        name, rest = "node", [str(Path(server or "ralph").resolve().with_name("reindex.js")), *rest]
        if server is None:
            raise RuntimeError("ralph-hero-knowledge-index is not on the path, nor in PEERS")
    place = shutil.which(name, path=environment["PATH"])
    if place is None:
        raise RuntimeError(f"{name} is not on the path, nor in PEERS")
    return [place, *rest]


def _filled(command: Sequence[str], given: dict[str, str]) -> list[str]:
    """A command with what stands for something replaced; a query is as many words as it has."""
    found: list[str] = []
    for part in command:
        for name, value in given.items():
            part = part.replace(f"{{{name}}}", value)  # noqa: PLW2901
        found.append(part)
    return found


def _queries(notes: Path) -> list[str]:
    """Two or three words that stand beside each other in some note, the same ones every time."""
    random, found = Random(7), list[str]()
    paths = sorted(notes.rglob("*.md"))
    while len(found) < CALLS:
        with suppress(UnicodeDecodeError):
            words = re.findall(r"[a-z]{4,}", random.choice(paths).read_text("utf-8"))
            start = random.randrange(max(1, len(words) - 3))
            found.append(" ".join(words[start : start + random.randint(2, 3)]) or "notes")
    return found


def _medians(rounds: Sequence[Figures]) -> Figures:
    return {what: statistics.median(one[what] for one in rounds) for what in rounds[0]}


if __name__ == "__main__":
    main()
