from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ark_tui.engine import Engine
from ark_tui.interfaces.cli.app import run
from ark_tui.settings import load

COMMAND = [sys.executable, "-m", "ark_tui"]
LONGEST_S = 120.0  # after which a process that hangs is killed

NOTES = {
    "gap.md": "---\ntitle: Spectral gaps\ndate: 2025-11-02\ntags: [theory]\ntier: wiki\n---\n"
    "# Spectral gaps\n\nThe spectral gap of a reversible chain bounds its mixing time.\n",
    "krylov.md": "# Krylov subspaces\n\nLanczos restarts keep the spectral basis small.\n\nA paragraph.\n",
    "bread.md": "# Bread\n\nSourdough wants time, flour, water and salt.\n",
    "notes/japanese.md": "# 検索\n\n全文検索は文字の並びを索引にする。二文字ずつ索引に入れると、"
    "空白のない文章でも見つかる。\n",
    "evil.md": "# Evil \x1b]52;c;aGk=\x07 title\n\nspectral \x1b[2J [/] [@click=app.quit]x[/] "
    "\u202eesrever \x9b31m text\n",
    "empty.md": "",
    "picture.png": "\x89PNG\r\n\x1a\n\x00\x00",
}


@dataclass(frozen=True)
class Result:
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Ark = Callable[..., Result]


@pytest.fixture
def ark(capfdbinary: pytest.CaptureFixture[bytes]) -> Ark:
    """Runs a command line as `ark-tui` does."""

    def invoke(*arguments: str | Path) -> Result:
        code = run([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        return Result(int(code), out.decode(), err.decode())

    return invoke


@contextmanager
def running(*arguments: str | Path) -> Iterator[subprocess.Popen[bytes]]:
    """A command line in a process of its own, which does not outlive the test."""
    command = [*COMMAND, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        deadline = threading.Timer(LONGEST_S, process.kill)
        deadline.start()
        try:
            yield process
        finally:
            deadline.cancel()
            process.kill()


def on_a_terminal(arguments: list[str], environ: dict[str, str]) -> bytes:
    """What a command writes to a terminal."""
    main, other = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdin=other, stdout=other, stderr=subprocess.DEVNULL, env=os.environ | environ
    )
    os.close(other)
    written = b""
    while chunk := _read(main):
        written += chunk
    os.close(main)
    assert process.wait(timeout=60) == 0
    return written.replace(b"\r\n", b"\n")


def _read(file: int) -> bytes:
    try:
        return os.read(file, 65536)
    except OSError:  # the other side has closed
        return b""


def write(folder: Path) -> Path:
    for name, text in NOTES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("latin-1" if name.endswith(".png") else "utf-8"))
    return folder


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of a few notes, an empty file and a picture."""
    return write(tmp_path / "notes")


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that holds the notes; only for tests that change nothing."""
    folder = tmp_path_factory.mktemp("indexed")
    with Engine(load(folder / "home", environ={})) as engine:
        engine.index([write(folder / "notes")])
    return folder / "home"
