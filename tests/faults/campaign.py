"""Runs operations under faults and audits every home afterwards: `python -m tests.faults.campaign --help`.

One process imports everything and opens nothing. For each trial it copies a small home, forks a child that
arms the shim and performs one operation, and then another that looks at what is there.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib import import_module
from itertools import product, zip_longest
from pathlib import Path
from pkgutil import walk_packages
from random import Random
from typing import Any

from ark_tui.settings import load
from tests.faults.operations import MODEL, OPERATIONS, STARTS, Operation, Place
from tests.faults.shim import CONCERNS, DEADLY, Kind, Shim, compiled

LIMIT = 300  # seconds for one operation, also on a busy machine
NUMBERS = re.compile(r"(?=[\w-]*\d)[0-9a-f-]{6,}|\d+")  # in names of files, which differ from run to run
ANNOUNCED = re.compile(r"The vectors of .* everything is searchable meanwhile\.")  # before it is done
LEFT_BY_WRITERS = re.compile(r"(\.new|\.tmp|/tmp[^/]*|\.\d+)$")
DOUBTS = (
    "may be kept or not",  # the one true answer where the disk fails at undoing, too
    "It is deleted, but its text is still in files",
    "is complete, but was not flushed to disk",
)
"""What a refusal says that is true whether it is there or not."""
EVERY = 50  # trials between two signs of progress


@dataclass
class Trial:
    """One fault in one operation: which call it hit, what was answered, and what was wrong afterwards."""

    operation: str
    kind: str
    at: int
    call: str = ""
    hit: bool = False
    answer: str = ""  # done, refused, killed or hung
    said: str = ""  # the sentence
    wrong: list[str] = field(default_factory=list)
    seen: str = ""  # what the audit printed, where something was wrong


def kept(folder: Path) -> Iterator[Trial]:
    """The trials that were written to files of a folder."""
    for report in sorted(folder.glob("trials-*.jsonl")):
        yield from (Trial(**json.loads(line)) for line in report.read_text("utf-8").splitlines())


class Campaign:
    """The trials of one process, in a scratch folder."""

    def __init__(self, scratch: Path, library: Path, server: str) -> None:
        self._scratch = scratch
        self._shim = Shim(library)
        self._place = Place(scratch / "trial", server)
        self._shadow = scratch / "shadow"
        _import_everything()

    def calls(self, operation: Operation) -> list[str]:
        """The calls of an operation that nothing happens to."""
        self._begin(operation)
        self._shim.aim(self._place.path, Kind.COUNT, 0)
        answer = self._forked(lambda: self._act(operation))
        assert answer.get("code") == 0, (operation.name, answer)
        return [self._shim.what(number) for number in range(1, self._shim.calls + 1)]

    def trial(self, operation: Operation, kind: Kind, at: int, only: str = "") -> Trial:
        """One fault, and the audit after it. `only`: calls with this in their name or path count."""
        result = Trial(operation.name, kind.name, at)
        self._begin(operation, shadowed=kind == Kind.CUT)
        self._shim.aim(self._place.path, kind, at, self._shadow if kind == Kind.CUT else None, only)
        answer = self._forked(lambda: self._act(operation))
        result.call, result.hit = self._shim.what(at), bool(self._shim.hits)
        if not result.hit:
            return result
        result.answer = answer.get("answer", "done" if answer.get("code") == 0 else "refused")
        result.said = answer.get("said", "")
        if result.answer == "killed" and ANNOUNCED.sub("", result.said):
            result.answer = "done"  # it had said so
        if kind == Kind.CUT:
            self._cut_power()
        result.wrong = [*_badly_said(answer)]
        seen = self._forked(
            lambda: {"wrong": list(_audit(operation, self._place, result.answer, result.said))}
        )
        result.wrong += seen.get("wrong", [f"the audit {seen.get('answer')}"])
        result.seen = seen.get("said", "")[-2000:] if result.wrong else ""
        return result

    def _act(self, operation: Operation) -> dict[str, Any]:
        self._shim.arm()
        return {"code": operation.act(self._place)}

    def _begin(self, operation: Operation, *, shadowed: bool = False) -> None:
        start = self._scratch / operation.start
        if not start.exists():
            place = self._place  # paths in the store are those of the trials
            shutil.rmtree(place.path, ignore_errors=True)
            made = self._forked(lambda: {"code": STARTS[operation.start](place)})
            assert "code" in made, made
            place.path.rename(start)
        shutil.rmtree(self._place.path, ignore_errors=True)
        shutil.copytree(start, self._place.path)
        shutil.rmtree(self._shadow, ignore_errors=True)
        if shadowed:
            self._shadow.mkdir()
            for path in _files(self._place.path):
                original = start / path.relative_to(self._place.path)
                os.link(original, self._shadow / str(path.stat().st_ino))

    def _cut_power(self) -> None:
        """What was not synced is lost: each file is as it was when it last was, or empty; names are kept."""
        for path in _files(self._place.path):
            synced = self._shadow / str(path.stat().st_ino)
            path.write_bytes(synced.read_bytes() if synced.exists() else b"")

    def _forked(self, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """What a child of this process answers; what it prints is in `said`."""
        sys.stdout.flush()
        output = self._scratch / "output"
        output.unlink(missing_ok=True)
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            _answer(work, output, writing)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            data = pipe.read()
        status = os.waitpid(child, 0)[1]
        said = output.read_text("utf-8", "replace").strip()
        if data:
            return {**json.loads(data), "said": said}
        ended = {signal.SIGKILL: "killed", signal.SIGALRM: "hung"}.get(os.WTERMSIG(status), "crashed")  # type: ignore[call-overload]
        return {"answer": ended, "said": said}


def _answer(work: Callable[[], dict[str, Any]], output: Path, pipe: int) -> None:
    """In the child: do it, tell the parent, end."""
    signal.alarm(LIMIT)
    file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(file, 1)
    os.dup2(file, 2)
    try:
        answer = work()
    except BaseException as error:  # noqa: BLE001  whatever it is, it is the finding
        answer = {"answer": "crashed", "trace": f"{error!r} at {_where(error)}"}
        sys.stderr.write(traceback.format_exc())
    sys.stdout.flush()
    sys.stderr.flush()
    os.write(pipe, json.dumps(answer).encode())
    os._exit(0)


def _where(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames[-3:]))


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def _import_everything() -> None:
    """All that an operation imports; nothing is opened, so that a child begins like a new process."""
    import ark_tui
    from ark_tui.embedding import ollama, static

    ollama.HOST = "http://127.0.0.1:9"  # nobody's
    os.environ.pop("OLLAMA_HOST", None)  # the homes name a server of their own
    os.environ["ARK_DIRECT"] = "1"  # the calls are those of the process that has the shim
    os.umask(0o077)  # as the command itself sets it
    ours = [name for _, name, _ in walk_packages(ark_tui.__path__, "ark_tui.")]
    for name in ("duckdb", "lancedb", "pyarrow", "pyarrow.dataset", "tantivy", *ours):
        if not name.endswith("__main__"):
            import_module(name)
    static.tokenizer()
    static.table()
    warnings.filterwarnings("ignore", message="lancedb fork support")


# -- the audit -----------------------------------------------------------------------------------------


def _badly_said(answer: dict[str, Any]) -> Iterator[str]:
    said = answer.get("said", "")
    if answer.get("answer") in ("hung", "crashed"):
        yield f"{answer['answer']}: {answer.get('trace', said[-300:])}"
    if any(word in said for word in ("Something unexpected", "Traceback", "panicked", "lance error")):
        yield f"no sentence for people: {said[-300:]}"
    if answer.get("code", 0) and "nothing was changed" not in said and not said:
        yield "refused without a word"


def _audit(operation: Operation, place: Place, answer: str, said: str) -> Iterator[str]:
    """What is wrong with a home after a fault, one sentence each."""
    there = operation.look(place) if (place.home / "ark.duckdb").exists() else 0.0
    yield from _judged(operation, answer, said, there)
    yield from _doctored(place)
    if not (there == 1 and (answer == "done" or not operation.again)):
        if operation.act(place):
            yield "refused when it is done once more"
        elif (there := operation.look(place)) != 1:
            yield f"done once more, {there:g} of it is there"
    if operation.gone:
        yield from _traces(operation.gone, place)
    yield from _works(place)
    yield from (f"left behind: {path.relative_to(place.path)}" for path in _leftovers(place))


def _judged(operation: Operation, answer: str, said: str, there: float) -> Iterator[str]:
    if answer == "done" and there != 1:
        yield f"untrue: done, and {there:g} of it is there"
    if answer == "refused" and there and not (operation.steps or _in_doubt(said)):
        yield f"untrue: refused, and {there:g} of it is there"
    if there not in (0, 1) and not (operation.steps and 0 < there < 1):
        yield f"half-done: {there:g} of it is there"


def _in_doubt(said: str) -> bool:
    return any(words in said for words in DOUBTS)


def _doctored(place: Place) -> Iterator[str]:
    from ark_tui.engine import Engine

    with Engine(load(place.home, environ={})) as engine:
        checks = engine.doctor(repair=True)
        again = engine.doctor() if any(check.repaired for check in checks) else ()
    yield from (f"doctor: {one.name}: {one.detail}" for one in (*checks, *again) if one.ok is False)


def _traces(text: str, place: Place) -> Iterator[str]:
    needle = text.encode()
    for path in _files(place.home):
        if "backups" not in path.parts and needle in path.read_bytes():
            yield f"resurrected: the text is in {path.relative_to(place.home)}"


def _works(place: Place) -> Iterator[str]:
    """Later reads and writes."""
    for words in (("scratch-set", "afterwards", "works"), ("ingest", "afterwards"), ("search", "otters")):
        if place.run(*words):
            yield f"{words[0]} fails afterwards"


def _leftovers(place: Place) -> list[Path]:
    return [path for path in place.home.rglob("*") if LEFT_BY_WRITERS.search(str(path))]


# -- the command ---------------------------------------------------------------------------------------


def planned(
    calls: dict[str, list[str]], kinds: Sequence[Kind], share: tuple[int, int]
) -> list[tuple[str, Kind, int, str]]:
    """At each call of each operation a kill and a failure, whose kinds take turns, as do the operations."""
    number, count = share
    rows = zip_longest(*(_mixed(name, listed, kinds) for name, listed in calls.items()))
    return [one for row in rows for one in row if one][number::count]


def _mixed(name: str, calls: Sequence[str], kinds: Sequence[Kind]) -> list[tuple[str, Kind, int, str]]:
    """The trials of an operation. The first of each kind of call to each kind of file come first."""
    first: list[tuple[str, Kind, int, str]] = []
    rest: list[tuple[str, Kind, int, str]] = []
    seen: set[tuple[bool, str]] = set()
    for (at, what), deadly in product(enumerate(calls, 1), (True, False)):
        if fitting := [kind for kind in kinds if _fits(kind, what) and (kind in DEADLY) == deadly]:
            like = (deadly, NUMBERS.sub("#", what.rpartition(" ")[0]))
            (rest if like in seen else first).append((name, fitting[at % len(fitting)], at, ""))
            seen.add(like)
    for part in (first, rest):
        Random(1).shuffle(part)
    return first + rest


def _fits(kind: Kind, what: str) -> bool:
    name = what.split(maxsplit=1)[0]
    return name in CONCERNS.get(kind, {name})


def chosen(wanted: Sequence[str]) -> Iterator[tuple[str, Kind, int, str]]:
    """Trials that are named: `operation:KIND:part:2` is the second call with this part in name or path."""
    for line in wanted:
        name, kind, part, *at = line.split(":")
        yield name, Kind[kind], int(*at or ["1"]), part


@contextmanager
def _model_server() -> Iterator[str]:
    """The address of a server of models, in a process of its own: this one is forked."""
    words = [sys.executable, "-m", "tests.ollama_server", MODEL]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as serving:
        assert serving.stdout
        yield serving.stdout.readline().strip()
        assert serving.stdin
        serving.stdin.close()


def _operations(names: str) -> list[Operation]:
    wanted = set(names.split(",")) if names else {operation.name for operation in OPERATIONS}
    return [operation for operation in OPERATIONS if operation.name in wanted]


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operations", default="", help="names, separated by commas; all by default")
    parser.add_argument("--kinds", default=",".join(kind.name for kind in Kind if kind), help="of faults")
    parser.add_argument("--minutes", type=float, default=math.inf, help="end after so many")
    parser.add_argument("--share", default="0/1", help="which share of them: 0/2 and 1/2 are all")
    parser.add_argument("--trial", action="append", default=[], help="operation:KIND:part of a call")
    parser.add_argument("--shim", type=Path, help="the compiled library")
    parser.add_argument("--report", type=Path, required=True, help="what trials are appended to")
    given = parser.parse_args(arguments)
    folder = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=folder, prefix="ark-faults-") as scratch, _model_server() as server:
        library = given.shim or compiled(Path(scratch))
        if library is None:
            parser.exit(3)
        campaign = Campaign(Path(scratch), library, server)
        names = ",".join(line.partition(":")[0] for line in given.trial) or given.operations
        operations = {operation.name: operation for operation in _operations(names)}
        calls = {} if given.trial else {name: campaign.calls(one) for name, one in operations.items()}
        kinds = [Kind[name] for name in given.kinds.split(",")]
        number, _, count = given.share.partition("/")
        share = (int(number), int(count))
        tried = {(trial.operation, trial.kind, trial.at) for trial in kept(given.report.parent)}
        left = (one for one in planned(calls, kinds, share) if (one[0], one[1].name, one[2]) not in tried)
        trials = list(chosen(given.trial) if given.trial else left)
        began, wrong = time.monotonic(), 0
        for done, (name, kind, at, only) in enumerate(trials, 1):
            trial = campaign.trial(operations[name], kind, at, only)
            wrong += bool(trial.wrong)
            with given.report.open("a", encoding="utf-8") as report:
                report.write(f"{json.dumps(asdict(trial))}\n")
            seconds = time.monotonic() - began
            if done % EVERY == 0:
                sys.stderr.write(f"{done:,} of {len(trials):,} trials, {seconds:.0f} s, {wrong} wrong\n")
            if seconds > given.minutes * 60:
                break


if __name__ == "__main__":
    main()
