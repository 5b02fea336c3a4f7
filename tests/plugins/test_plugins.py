"""A package from outside adds one of each: operation, signal, format, pane, embedding; installed for real."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ark_tui.settings.ranking import shipped

EXAMPLE = Path(__file__).parent / "example"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the example is installed."""
    folder = tmp_path_factory.mktemp("plugins")
    source = shutil.copytree(EXAMPLE, folder / "source")
    line = ["install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--no-compile"]
    subprocess.run(
        [sys.executable, "-m", "pip", *line, "--target", str(folder / "site"), str(source)], check=True
    )
    return folder / "site"


class Installed:
    """`ark-tui` in a process of its own, where the example is installed."""

    def __init__(self, place: Path, home: Path) -> None:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("ARK_") or name == "ARK_DIRECT"
        }
        self._environment = kept | {
            "PYTHONPATH": str(place), "ARK_HOME": str(home), "OLLAMA_HOST": "http://127.0.0.1:9"
        }  # fmt: skip

    def __call__(self, *words: str, code: int = 0) -> str:
        line = [sys.executable, "-m", "ark_tui", *words]
        done = subprocess.run(line, env=self._environment, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        return done.stderr if code else done.stdout

    def json(self, *words: str, code: int = 0) -> Any:
        line = [sys.executable, "-m", "ark_tui", *words, "--json"]
        done = subprocess.run(line, env=self._environment, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)


@pytest.fixture
def ark(place: Path, tmp_path: Path) -> Installed:
    return Installed(place, tmp_path / "home")


def test_doctor_checks_every_plugin_and_says_why_one_fails(ark: Installed) -> None:
    ark("tasks", "add", "begin a home")
    found = {one["name"].removeprefix("plugin "): one for one in ark.json("doctor", code=1)["checks"]}
    assert {name: found[name]["ok"] for name in ("tasks.shuffle", "brief", "rst", "counting", "letters")} == {
        "tasks.shuffle": True, "brief": True, "rst": True, "counting": True, "letters": True,
    }  # fmt: skip
    assert found["brief"]["detail"] == "signals, ark-example 1.2.3"
    assert found["broken"]["ok"] is False
    assert "No module named 'ark_example.missing'" in found["broken"]["detail"]


def test_an_operation_of_a_plugin_is_a_command_and_one_that_fails_says_why(ark: Installed) -> None:
    ark("tasks", "add", "short")
    ark("tasks", "add", "a longer task")
    assert [one["text"] for one in ark.json("tasks", "shuffle")["tasks"]] == ["a longer task", "short"]
    assert "tasks shuffle" in ark("tasks", "shuffle", "--help")
    assert "broken" in ark("--help").split()
    assert "ark-example 1.2.3 cannot be loaded" in ark("broken", code=1)


def test_a_format_of_a_plugin_reads_files(ark: Installed, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.rst").write_text("Otters\n======\n\nThey sleep in rivers.\n", "utf-8")
    assert ark.json("index", str(folder))["added"] == 1
    assert ark.json("search", "otters")["hits"][0]["document"]["title"] == "Otters"


def test_a_signal_of_a_plugin_ranks_and_one_that_fails_says_why(ark: Installed) -> None:
    ark("ingest", "Otters sleep in rivers, on their backs, and hold hands.", "--title", "Long")
    ark("ingest", "Otters swim.", "--title", "Short")
    asked = ("--set", "weight.brief=5", "--set", "weight.lost=1", "--explain", "--below")
    found = ark.json("search", "otters", *asked)
    assert [hit["document"]["title"] for hit in found["hits"]] == ["Short", "Long"]
    parts = {part["name"]: part for part in found["hits"][0]["signals"]}
    weights = {**shipped()["default"].weights, "brief": 5.0}
    whole = sum(weights[name] for name in parts)
    assert parts["brief"]["contribution"] == pytest.approx(5.0 / whole), "its share of the weights in force"
    assert parts["brief"]["reasons"][0]["says"].endswith("” in the text")
    lamps = {lamp["signal"]: lamp for lamp in found["lamps"]}
    assert lamps["brief"]["state"] == "on"
    assert (lamps["lost"]["state"], "cannot be loaded" in lamps["lost"]["reason"]) == ("off", True)
    assert "brief" in ark("search", "otters", "--set", "weight.brief=5", "--explain")
    assert "brief" in ark("search", "otters", "--set", "weight.bried=5", code=2)


def test_a_pane_of_a_plugin_stands_last_and_opens_by_its_digit(place: Path, tmp_path: Path) -> None:
    script = """
import asyncio, sys
from ark_tui.interfaces.tui.app import ArkApp
from ark_tui.settings import load

async def main():
    app = ArkApp(load(sys.argv[1]))
    async with app.run_test(size=(120, 34)) as pilot:
        await pilot.press("alt+8")
        for _ in range(200):
            await pilot.pause(0.05)
            lines = ["".join(piece.text for piece in line) for line in app.screen._compositor.render_strips()]
            if any("0 counted by a plugin" in line for line in lines):
                print(lines[0])
                return
        sys.exit("\\n".join(lines))

asyncio.run(main())
"""
    environment = os.environ | {"PYTHONPATH": str(place), "OLLAMA_HOST": "http://127.0.0.1:9"}
    line = [sys.executable, "-c", script, str(tmp_path / "home")]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "8 Counting" in done.stdout


def test_an_embedding_provider_of_a_plugin_embeds(ark: Installed) -> None:
    ark("ingest", "zzzz buzz", "--title", "Z")
    ark("ingest", "eee tree", "--title", "E")
    ark("models", "--use", "letters:plain")
    assert ark.json("status")["embedding"]["provider"] == "letters"
    hits = ark.json("search", "zz", "--below")["hits"]
    assert hits[0]["document"]["title"] == "Z"


def test_what_is_not_used_is_not_imported(place: Path, tmp_path: Path) -> None:
    script = (
        "import sys; from ark_tui.interfaces.cli.app import run; run(['tasks', 'add', 'x']);"
        "sys.exit(any(name.startswith('ark_example') for name in sys.modules))"
    )
    environment = os.environ | {"PYTHONPATH": str(place), "ARK_HOME": str(tmp_path / "home")}
    assert subprocess.run([sys.executable, "-c", script], env=environment, check=False).returncode == 0
