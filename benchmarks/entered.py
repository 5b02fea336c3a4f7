"""Files of the program that one call enters in the home process: a hybrid search, a tag, a fact.

Search and fact come over MCP, the tag as a command sends it. Each call is made once before, so that what is
imported or opened once does not count. Nor does the work of threads that no caller waits for.
Figure: the worst of the three in parts of its goal.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import ark_tui
from ark_tui.domain import children
from ark_tui.interfaces.client import local
from ark_tui.interfaces.client.home import LocalHome
from ark_tui.interfaces.client.opening import caller
from ark_tui.interfaces.client.stdio import Forwarder
from ark_tui.operations import corpus, curation
from ark_tui.operations.call import Call
from benchmarks.corpus import SAMPLE
from benchmarks.measure import Figure, rounded, tell

ROOT = Path(ark_tui.__file__).parent
GOALS = {"search": 60, "tag": 60, "fact": 80}
NOTE = "entered.json"
"""The file that the home process writes when it gets SIGUSR1: what it has entered since the last time."""
BACKGROUND = {"followers", "change feed", "messages", "background", "searches"}
"""Names of threads whose work no caller waits for."""


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch, "home")
        home.mkdir(mode=0o700)
        process = children.start_python("benchmarks.entered", str(home), cwd=str(ROOT.parent))
        try:
            entered = _asked(home, process.pid)
        finally:
            local.stop(home)
    counts = {name: len(files) for name, files in entered.items()}
    layers = {name: Counter(_layer(file) for file in files) for name, files in entered.items()}
    worst = max(count / GOALS[name] for name, count in counts.items())
    sentence = "; ".join(
        f"{name} {counts[name]} files ({', '.join(f'{layer} {n}' for layer, n in of.most_common())})"
        for name, of in layers.items()
    )
    tell(Figure("entered", round(worst, 2), "≤ 1", rounded(**counts)), sentence)


def _asked(home: Path, process: int) -> dict[str, list[str]]:
    while not local.reachable(home):
        time.sleep(0.01)
    client = LocalHome(home, caller("benchmark", {}))
    call = Call(client.engine, person=True)
    client.ask(corpus.index, call, ((SAMPLE,),))
    assistant = Forwarder(client, "")
    assistant.begin()
    document = next(path.name for path in sorted(SAMPLE.rglob("*.md")))
    calls: dict[str, Callable[[int], object]] = {
        "search": lambda n: _tool(assistant, "search", query=f"why does a spectral gap bound mixing {n}"),
        "tag": lambda n: client.ask(curation.tag, call, ((f"tag{n}",), (document,))),
        "fact": lambda n: _tool(assistant, "remember", kind="fact", text=f"Fact {n} has a text."),
    }
    found = {}
    for name, act in calls.items():
        act(0)
        client.ask("workbench.catch_up", call)
        _noted(home, process)
        act(1)
        found[name] = _noted(home, process)
    return found


def _tool(assistant: Forwarder, name: str, **arguments: object) -> None:
    message = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments},
    }
    *_, answer = assistant.ask(json.dumps(message).encode())
    assert not json.loads(answer)["result"].get("isError"), answer


def _noted(home: Path, process: int) -> list[str]:
    """The files that the home process has entered since this was asked last."""
    note = home / NOTE
    os.kill(process, signal.SIGUSR1)
    while not note.exists():
        time.sleep(0.01)
    found: list[str] = json.loads(note.read_text())
    note.unlink()
    return found


def _layer(file: str) -> str:
    parts = Path(file).relative_to(ROOT).parts
    return "/".join(parts[: 2 if parts[0] == "interfaces" else 1]).removesuffix(".py")


def serve(home: Path) -> None:
    """Run a home process that notes which files it enters."""
    entered = dict[str, None]()
    ours = str(ROOT)

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and threading.current_thread().name not in BACKGROUND:
            file = frame.f_code.co_filename
            if file.startswith(ours):
                entered[file] = None

    def write(*_: object) -> None:
        part = home / f"{NOTE}.part"
        part.write_text(json.dumps([*entered]))
        entered.clear()
        part.rename(home / NOTE)

    signal.signal(signal.SIGUSR1, write)
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        runpy.run_module(local.MODULE, run_name="__main__")
    finally:
        sys.setprofile(None)


if __name__ == "__main__":
    serve(Path(sys.argv[1])) if sys.argv[1:] else main()
