"""docs/agents.md is true: its scripts are run as they stand there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from ark_tui import settings
from ark_tui.engine import Engine
from ark_tui.interfaces.mcp import server
from ark_tui.interfaces.mcp.install import ASSISTANTS
from tests.http.conftest import served

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "agents.md").read_text("utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", PAGE, re.DOTALL)
TITLE = "Spectral gaps and mixing"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("page")
    with Engine(settings.load(folder / ".ark")) as engine:
        engine.ingest_text("The spectral gap bounds the mixing time.", title=TITLE)
    yield folder / ".ark"
    shell("ark-tui stop", folder / ".ark")


def shell(command: str, home: Path) -> str:
    """What a line of the page prints, where `ark-tui` is on the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "HOME": str(home.parent), "ARK_HOME": str(home), "PATH": path}
    del environment["ARK_DIRECT"]
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


def test_the_agent_and_the_ten_requests_over_http(home: Path, tmp_path: Path) -> None:
    with served(home, direct=False) as (url, _):
        (tmp_path / "agent.py").write_text(script("urlopen").replace("http://127.0.0.1:7070", url), "utf-8")
        assert TITLE in shell(f"{sys.executable} {tmp_path / 'agent.py'}", home)
        lines = script("curl -s 127.0.0.1:7070/health").replace("127.0.0.1:7070", url).splitlines()
        answers = [json.loads(shell(line, home)) for line in lines]
        assert len(answers) == 10
        assert [one for one in answers if "error" in one] == []
        health, _, search, fact, context, task, done, *_, history = answers
        assert health["status"] == "ok"
        assert search["hits"][0]["document"]["title"] == "Otters"
        assert fact["text"] in context["text"]
        assert json.loads(shell(lines[5], home))["id"] == task["id"], "its key makes it once"
        assert (done["id"], done["state"]) == (task["id"], "done")
        assert history["messages"][0]["content"] == "Where were we?"


def test_the_script_over_the_command_line(home: Path) -> None:
    assert TITLE in shell(script("--json |"), home)


def test_the_configuration_starts_a_command_that_there_is(home: Path) -> None:
    (entry,) = json.loads(script('"command"'))["mcpServers"].values()
    assert "10 tools: search, read" in shell(" ".join([entry["command"], *entry["args"], "--check"]), home)
    assert script("--install").splitlines() == ["ark-tui mcp --install claude-code"]
    assert re.findall(r"^\| `([a-z-]+)` \| `[^|]*(?:json|toml)`", PAGE, re.MULTILINE) == [*ASSISTANTS]


def test_every_tool_is_on_the_page() -> None:
    names = [tool["name"] for tool in server.Server(cast("Engine", None), [*server.FAMILIES]).listed()]
    assert [name for name in names if f"`{name}`" not in PAGE] == []
