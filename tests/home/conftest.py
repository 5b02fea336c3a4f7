from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from ark_tui.interfaces.client import local
from ark_tui.interfaces.client.home import LocalHome
from ark_tui.interfaces.client.opening import caller
from ark_tui.operations.call import Call
from tests.support import until

LONGEST_S = 120.0


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str


def ark(home: Path, *arguments: str | Path, **environ: str) -> Done:
    """Run a command in a process of its own, as a person does."""
    command = [sys.executable, "-P", "-m", "ark_tui", *map(str, arguments)]
    env = os.environ | {"ARK_HOME": str(home)} | environ
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=LONGEST_S, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


def process_of(home: Path) -> int:
    """The number of the home process, by its lock file."""
    return int((home / local.LOCK).read_text() or 0)


def processes(home: Path) -> list[bytes]:
    """The home processes of a folder."""
    command = ["pgrep", "-f", f"{local.MODULE} {home}$"]
    return subprocess.run(command, capture_output=True, check=False).stdout.split()


def kill(home: Path) -> None:
    """End the home process as a power cut does."""
    os.kill(process_of(home), signal.SIGKILL)
    until(lambda: not local.running(home))


class Client:
    """A client in this process."""

    made: ClassVar[list[Client]] = []

    def __init__(self, home: Path, **environ: str) -> None:
        home.mkdir(mode=0o700, exist_ok=True)
        self.home = LocalHome(home, caller("test", {**os.environ, **environ}))
        self.made.append(self)

    def ask(self, what: Any, *given: Any, **about: Any) -> Any:
        return self.home.ask(what, Call(self.home.engine, person=True, **about), given)


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Home processes are started."""
    monkeypatch.delenv("ARK_DIRECT")
    yield
    while Client.made:
        Client.made.pop().home.close()


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "gap.md").write_text("# Spectral gaps\n\nA spectral gap bounds the mixing time.\n")
    return folder


@pytest.fixture
def homes() -> Iterator[Callable[[Path], Path]]:
    """Homes whose processes end with the test."""
    known: list[Path] = []

    def made(path: Path) -> Path:
        known.append(path)
        return path

    yield made
    for path in known:
        with suppress(Exception):
            local.stop(path)
        with suppress(Exception):
            os.kill(process_of(path), signal.SIGKILL)


@pytest.fixture(scope="module")
def open_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home whose process lives as long as the module, for tests that do not end it or count its tasks."""
    path = tmp_path_factory.mktemp("open") / "home"
    yield path
    local.stop(path)


@pytest.fixture
def home(tmp_path: Path, homes: Callable[[Path], Path]) -> Path:
    return homes(tmp_path / "home")
