"""docs/agents.md is true: its scripts are run as they stand there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ark_tui import settings
from ark_tui.engine import Engine
from ark_tui.interfaces.mcp import server
from tests.http.conftest import served

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "agents.md").read_text("utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", PAGE, re.DOTALL)
TITLE = "Spectral gaps and mixing"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    with Engine(settings.load(folder / ".ark")) as engine:
        engine.ingest_text("The spectral gap bounds the mixing time.", title=TITLE)
    return folder / ".ark"


def shell(command: str, home: Path) -> str:
    """What a line of the page prints, where `ark-tui` is on the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "HOME": str(home.parent), "ARK_HOME": str(home), "PATH": path}
    run = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=False, env=environment, timeout=120
    )
    assert not run.returncode, run.stderr
    return run.stdout


def script(mark: str) -> str:
    (found,) = [text for _, text in BLOCKS if mark in text]
    return str(found)


def test_the_agent_over_mcp(home: Path, tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(script("anyio.run"), "utf-8")
    assert TITLE in shell(f"{sys.executable} {tmp_path / 'agent.py'}", home)


def test_the_agent_over_http(home: Path, tmp_path: Path) -> None:
    with served(home) as (url, _):
        (tmp_path / "agent.py").write_text(script("urlopen").replace("http://127.0.0.1:7070", url), "utf-8")
        assert TITLE in shell(f"{sys.executable} {tmp_path / 'agent.py'}", home)
        line = script("/messages").replace("127.0.0.1:7070", url)
        assert shell(line, home) == ""
        again = script("Idempotency-Key").replace("127.0.0.1:7070", url)
        assert shell(again, home) == shell(again, home)
    assert len(json.loads(shell("ark-tui tasks-list --json", home))["tasks"]) == 1
    assert "Where were we?" in shell("ark-tui history-list --json", home)


def test_the_script_over_the_command_line(home: Path) -> None:
    assert TITLE in shell(script("--json |"), home)


def test_the_configuration_starts_a_command_that_there_is(home: Path) -> None:
    (told,) = json.loads(script('"command"'))["mcpServers"].values()
    assert "knowledge_search" in shell(" ".join([told["command"], *told["args"], "--check"]), home)


def test_every_tool_is_on_the_page(home: Path) -> None:
    with Engine(settings.load(home)) as engine:
        names = [tool["name"] for tool in server.make(engine, ["all"]).listed()]
    for name in names:
        short = re.sub(r"^(knowledge|search(?=-))", "", name)
        family = f"{name.partition('_')[0]}_…"
        assert any(mark in PAGE for mark in (f"`{name}`", f"`{short}`", f"`{family}`")), name
