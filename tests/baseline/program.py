"""Where today's program is found: the one module of this folder that names modules of ark-tui.

Everything else here speaks to it from outside: by command lines, HTTP and MCP.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from ark_tui import settings as settings_
from ark_tui.interfaces.cli.app import cli, run
from ark_tui.interfaces.cli.diagnostics import ExitCode
from ark_tui.interfaces.tui.app import ArkApp
from ark_tui.interfaces.tui.screens.palette import ACTION, Commands
from ark_tui.interfaces.tui.state.actions import ACTIONS
from ark_tui.interfaces.tui.state.keymap import made as make_keymap
from ark_tui.interfaces.tui.state.session import load as load_session
from ark_tui.retrieval.signals import SIGNALS
from ark_tui.settings import ranking
from ark_tui.settings.config import OPTIONS, default

ROOT = Path(__file__).parents[2]
PRODUCT = ROOT / "ark_tui"
NOW = "2026-11-20T12:00:00Z"
NOBODY = "http://127.0.0.1:9"  # where no model server listens
OWN = ("ARK_", "RALPH_", "OLLAMA_", "OPENROUTER_", "OPENAI_", "EMBEDDING_")

PATIENT = {"ARK_QUERY_BUDGET": "60", "ARK_EXPAND_BUDGET": "60", "ARK_LEASE_TIMEOUT": "60"}
"""So that a busy machine answers as a quiet one."""

Json = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """How a command line ended, and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def command() -> click.Group:
    """The command line as click knows it."""
    assert isinstance(cli, click.Group)
    return cli


def ark(*arguments: object, text: str = "") -> Answer:
    """Run a command line within this process; `text` is its stdin."""
    kept = sys.stdin, sys.stdout, sys.stderr
    streams = [io.TextIOWrapper(io.BytesIO(given), "utf-8") for given in (text.encode(), b"", b"")]
    sys.stdin, sys.stdout, sys.stderr = streams
    try:
        code = int(run([str(one) for one in arguments]))
        for stream in streams[1:]:
            stream.flush()
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept
    out, err = (stream.buffer.getvalue().decode() for stream in streams[1:])
    return Answer(code, out, err)


@contextmanager
def environment(home: Path, **more: str) -> Iterator[None]:
    """A home, a clock that stands still, no model server, and nothing of the developer's own settings."""
    before = dict(os.environ)
    for name in [name for name in os.environ if name.startswith(OWN)]:
        del os.environ[name]
    os.environ.update(
        {"ARK_HOME": str(home), "ARK_NOW": NOW, "OLLAMA_HOST": NOBODY, "TZ": "UTC", **PATIENT, **more}
    )
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def served() -> Iterator[tuple[str, Json]]:
    """`ark-tui serve` in a process of its own: its address, and what it said of itself."""
    line = [sys.executable, "-m", "ark_tui", "serve", "--json", "--port", "0"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            said = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
            yield said["url"], said
        finally:
            process.kill()


def session(home: Path) -> tuple[Json, str]:
    """How the workbench of a home was left, and what is wrong with that."""
    found, fault = load_session(home)
    return asdict(found), fault


def keymap(wanted: Mapping[str, str]) -> dict[str, str]:
    """What a keymap changes."""
    made = make_keymap(wanted)
    assert not made.troubles
    return made.changed()


def keys() -> dict[str, Json]:
    """The actions of the workbench with their keys."""
    return {
        action.id: {
            "keys": list(action.all_keys),
            "scope": action.scope,
            "label": action.label,
            "help": action.help,
            "priority": action.priority,
        }
        for action in ACTIONS
    }


async def workbench() -> list[str]:
    """Open the workbench, look into its palette, change the theme and leave; what the palette offers."""
    app = ArkApp(settings_.load())
    try:
        async with app.run_test(size=(120, 34)) as pilot:
            app.theme = "nord"
            await pilot.press(*"gap", "alt+2")
            await pilot.pause()
            known = Commands(app.context, ()).known
            offered = [one.label for one in known if one.name.startswith(ACTION)]
            await pilot.press("ctrl+q")
    finally:
        app.context.opening.close()
    return offered


def settings() -> dict[str, Json]:
    """The settings, what they are by themselves, and the variables that set them."""
    return {
        name: {
            "type": type(default(name)).__name__,
            "default": default(name),
            "variables": list(option.variables),
            "about": option.about,
        }
        for name, option in OPTIONS.items()
    }


def profiles() -> Mapping[str, Json]:
    """The ranking profiles that are shipped, with every number."""
    return {name: asdict(profile) for name, profile in ranking.shipped().items()}


def signals() -> dict[str, Json]:
    """The signals with their names, letters and families."""
    return {
        info.name: {"letter": info.letter, "family": info.family, "about": info.about}
        for info in (signal.info for signal in SIGNALS)
    }


def exits() -> dict[str, Json]:
    """The exit codes by name."""
    return {code.name.lower(): {"code": int(code)} for code in ExitCode}
