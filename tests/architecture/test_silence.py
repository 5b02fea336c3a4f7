"""No telemetry: nothing is connected to but a model server on this machine (requirement E4)."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

STRACE = shutil.which("strace")
MODEL_SERVER = {("127.0.0.1", 9)}  # where the tests say that Ollama listens

WATCHED = """
import json, sys
seen = []
def hook(event, given):
    if event == "socket.connect" and isinstance(given[1], tuple):
        seen.append(given[1][:2])
    elif event == "socket.getaddrinfo":
        seen.append(given[:2])
sys.addaudithook(hook)
"""
AT_WORK = """
import threading
from pathlib import Path
home, notes = map(Path, sys.argv[1:])
from ark_tui.interfaces.cli.app import run
at = ["--home", str(home)]
report = str(home / "report.html")
for line in (["index", str(notes)], ["search", "flour"], ["status"], ["analyze"], ["doctor"], ["models"],
             ["--export", report], ["context", "flour"], ["think", "flour"], ["mcp", "--check"]):
    assert run([*at, *line]) in (0, 1), line
from ark_tui import settings
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.interfaces.http import connection
from ark_tui.interfaces.http.app import bare
from ark_tui.interfaces.calls.state import state_for
import lancedb
with Engine(settings.load(home)) as engine:
    bare(state_for(engine))
    engine.search(Request("water"))
"""
TOLD = "\nsys.__stderr__.write('\\n' + json.dumps(seen) + '\\n')\n"


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts") / "notes"
    folder.mkdir()
    for number in range(12):
        (folder / f"bread{number}.md").write_text(f"# Bread {number}\n\nFlour and water, see [[bread1]].\n")
    return folder


def environment() -> dict[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("ARK_") or name == "ARK_DIRECT"
    }


@pytest.fixture(scope="module")
def worked(notes: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """What a process at all this work told, and the calls of it that strace saw, where there is one."""
    folder = tmp_path_factory.mktemp("silence")
    log = folder / "calls"
    calls = "trace=connect,sendto,sendmsg"
    strace = ["strace", "-f", "--seccomp-bpf", "-qq", "-e", calls, "-o", str(log)] if STRACE else []
    told = subprocess.run(
        [*strace, sys.executable, "-c", WATCHED + AT_WORK + TOLD, str(folder / "home"), str(notes)],
        capture_output=True, text=True, check=True, env=environment(),
    )  # fmt: skip
    return told.stderr.splitlines()[-1], log.read_text() if STRACE else ""


def test_the_program_connects_to_nothing_but_a_model_server(worked: tuple[str, str]) -> None:
    seen = {tuple(one) for one in json.loads(worked[0])}
    assert seen <= MODEL_SERVER


@pytest.mark.skipif(not STRACE, reason="strace looks at what native code connects to")
def test_native_code_connects_to_nothing_either(worked: tuple[str, str]) -> None:
    calls = worked[1]
    found = re.findall(r'connect\(.*?sa_family=AF_INET6?, sin6?_port=htons\((\d+)\).*?"([^"]+)"', calls)
    assert {(address, int(port)) for port, address in found} <= MODEL_SERVER
    assert "AF_INET" not in "".join(line for line in calls.splitlines() if " connect(" not in line)
