"""A server over the sample of a few notes, called without a socket; and one in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from copy import copy
from functools import cache
from pathlib import Path
from typing import cast

import httpx
import pytest
from fastapi import FastAPI
from starlette.datastructures import State

from ark_tui import settings
from ark_tui.engine import Engine
from ark_tui.interfaces.calls.state import ServerState, state_for
from ark_tui.interfaces.http.app import bare
from ark_tui.interfaces.http.gate import Gate, Rules

NOTES = {
    "gap.md": "---\ntags: [theory]\n---\n# Spectral gaps\n\nThe spectral gap bounds the mixing time.\n",
    "tea.md": "# Tea\n\nGreen tea is steeped at eighty degrees. See [[gap]].\n",
    "rye.md": "# Rye bread\n\nA sourdough of rye rests for a night.\n",
}


@pytest.fixture(scope="session")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts") / "notes"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture(scope="session")
def indexed(notes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home over them: to be copied."""
    home = tmp_path_factory.mktemp("indexed") / "home"
    with Engine(settings.load(home)) as engine:
        engine.index([notes])
    return home


@pytest.fixture(scope="module")
def engine(indexed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with Engine(settings.load(shutil.copytree(indexed, tmp_path_factory.mktemp("http") / "home"))) as engine:
        yield engine


@pytest.fixture
def home(indexed: Path, tmp_path: Path) -> Iterator[Engine]:
    """What `engine` is, of one test alone."""
    with Engine(settings.load(shutil.copytree(indexed, tmp_path / "home"))) as engine:
        yield engine


@pytest.fixture
def counter(engine: Engine) -> Iterator[ServerState]:
    made = state_for(engine, searches=2)
    yield made
    made.jobs.close()


@pytest.fixture
async def client(counter: ServerState) -> AsyncIterator[httpx.AsyncClient]:
    async with calling(counter, Rules()) as client:
        yield client


@cache
def routes() -> FastAPI:
    """The routes without a desk; their document is made at the first look and kept."""
    return bare(cast("ServerState", None))


def app_at(counter: ServerState) -> FastAPI:
    """The routes at this desk: made once, as a desk is nothing to them but a part of the app's state."""
    app = copy(routes())
    app.state = State({"server": counter})
    return app


def calling(counter: ServerState, rules: Rules) -> httpx.AsyncClient:
    app = Gate(app_at(counter), rules)
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:7070")


@contextmanager
def served(home: Path, *options: str, direct: bool = True) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`ark-tui serve` on a free port; its address, and the process."""
    ours = [sys.executable, "-m", "ark_tui"]
    command = [*ours, "serve", "--json", "--port", "0", "--home", str(home), *options]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ARK_")}
    if direct:
        environment["ARK_DIRECT"] = "1"  # so that it ends with this process
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            lines = []
            while (line := process.stdout.readline()) not in {"}\n", ""}:
                lines.append(line)
            yield str(json.loads("".join(lines) + "}")["url"]), process
        finally:
            process.kill()
