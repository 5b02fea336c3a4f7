"""What adding something costs: a diff of so many files, applied to a copy of the program, which then has it.

`diffs/` keeps them; what `python -m` writes by itself is no cost.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DIFFS = Path(__file__).parent / "diffs"
COSTS = {"capability": 1, "memory": 2, "pane": 2, "signal": 1, "setting": 1, "format": 1, "vectors": 2}
"""Files that a person touches, by what is added."""

WRITERS = ("ark_tui.operations.catalog", "ark_tui.retrieval.signals")
FILE = re.compile(r"^--- (?P<old>\S+)\n\+\+\+ b/(?P<new>\S+)\n(?P<hunks>(?:(?!--- ).*\n)*)", re.MULTILINE)
HUNK = re.compile(r"^@@ .*\n((?:[ +-].*\n|\n)*)", re.MULTILINE)


def touched(diff: str) -> list[str]:
    """The files of a diff."""
    return [match["new"] for match in FILE.finditer(diff)]


def applied(diff: str, root: Path) -> None:
    """Change the files below a folder. Each hunk has to fit in one place, wherever that is by now."""
    for match in FILE.finditer(diff):
        path = root / match["new"]
        new = match["old"] == "/dev/null"
        assert path.exists() is not new, path
        text = "" if new else path.read_text("utf-8")
        for hunk in HUNK.findall(match["hunks"]):
            lines = hunk.splitlines(keepends=True)
            before = "".join(line[1:] for line in lines if line[0] != "+")
            after = "".join(line[1:] for line in lines if line[0] != "-")
            assert new or text.count(before) == 1, (path, before)
            text = after if new else text.replace(before, after)
        path.write_text(text, "utf-8")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What came of using all that was added, in a process of its own."""
    folder = tmp_path_factory.mktemp("adding")
    shutil.copytree(ROOT / "ark_tui", folder / "ark_tui")  # with what is compiled, by its time
    for name in COSTS:
        applied((DIFFS / f"{name}.diff").read_text("utf-8"), folder)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ARK_")}
    environment = kept | {"PYTHONPATH": f"{folder}:{ROOT}", "OLLAMA_HOST": "http://127.0.0.1:9"}

    def run(*words: str) -> str:
        line = [sys.executable, "-P", "-m", *words]
        done = subprocess.run(line, env=environment, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    for writer in WRITERS:
        run(writer)
    assert json.loads((folder / "ark_tui/operations/manifest.json").read_text())["labels list"]
    found: dict[str, Any] = json.loads(run("tests.adding.used", str(folder)).splitlines()[-1])
    return found


@pytest.mark.parametrize("name", COSTS)
def test_it_costs_so_many_files(name: str) -> None:
    files = touched((DIFFS / f"{name}.diff").read_text("utf-8"))
    assert len(files) == len(set(files)) == COSTS[name], files
    assert {path.name.removesuffix(".diff") for path in DIFFS.iterdir()} == COSTS.keys()


def test_a_capability_is_a_command_a_route_and_a_tool(told: dict[str, Any]) -> None:
    assert told["capability"] == [[[{"tag": "otter", "documents": 2}]] * 3, True]


def test_a_kind_of_memory_is_kept_found_edited_and_retired_everywhere(told: dict[str, Any]) -> None:
    assert told["memory"] == {
        "same": True, "found": True, "in context": True,
        "edited": [True, "The harbour crane is painted red."], "left": [[], [], []], "layer": 3,
    }  # fmt: skip


def test_a_pane_opens_by_its_digit(told: dict[str, Any]) -> None:
    title, line = told["pane"]
    assert "8 Labels" in title
    assert "documents to be labelled" in line


def test_a_signal_ranks(told: dict[str, Any]) -> None:
    plain, with_it, contribution = told["signal"]
    assert set(plain) == set(with_it)
    assert with_it[0] == "Swim"
    assert contribution == 9.0


def test_a_setting_is_set_checked_and_described(told: dict[str, Any]) -> None:
    assert told["setting"] == {
        "set": ["shelves", 6, "config"],
        "refused": "shelves must be a whole number from 1 to 12, not 60.",
        "read": 6,
        "variable": [7, "ARK_SHELVES"],
        "described": True,
    }


def test_a_format_is_read(told: dict[str, Any]) -> None:
    assert told["format"] == [1, ["Badgers"]]


def test_a_second_vector_engine_answers_searches(told: dict[str, Any]) -> None:
    assert told["vectors"] == ["Lists", True, ["Otters"], True]
