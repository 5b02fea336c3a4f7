"""Whatever file of a home is damaged: a sentence or a repair, no traceback, no other answer in silence.

A small part of the matrix; `tests/soak/test_damage.py` has the whole of it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from ark_tui import settings
from ark_tui.engine import Engine
from ark_tui.interfaces.calls.state import state_for
from ark_tui.interfaces.cli.group import COMMANDS
from ark_tui.interfaces.http.app import make
from ark_tui.interfaces.http.gate import Rules
from tests.damage import campaign, places

FEW = (
    *("ark.duckdb", "config.toml", "session.json", "home.lock", "words/mark.json"),
    *("words/texts/*.idx", "words/texts/meta.json", "messages/texts/*.term", "vectors/static*/mark.json"),
    *("vectors/static*/data/*.lance", "vectors/static*/seals.json", "vectors/ollama*/data/*.lance"),
)
FOUND = (
    ("vectors/static*/data/*.lance", "unreadable", "think"),
    ("vectors/ollama*/_versions/*.manifest", "unreadable", "tool search-query"),
    ("ark.duckdb", "replaced", "tool knowledge_recall"),
)
"""What the whole matrix has found: answers that did not say what they were made without, a traceback."""

ASKED = ("search", campaign.REPAIR, "status", "history-search", "tasks-add")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which everything was used once; only to be copied."""
    return built(tmp_path_factory.mktemp("place"))


def built(folder: Path) -> Path:
    subprocess.run(
        [sys.executable, "-m", "tests.damage.places", str(folder)], check=True, capture_output=True
    )
    return folder


def judged(place: Path, cells: Iterable[tuple[str, str, str]], processes: int = 1) -> list[dict[str, Any]]:
    """What came of each cell, judged by processes that can be forked."""
    cells, running, reports = list(cells), [], []
    for number in range(processes):
        asked, report = place / f"cells-{number}.json", place / f"report-{number}.jsonl"
        asked.write_text(json.dumps(cells[number::processes]))
        command = [sys.executable, "-m", "tests.damage.campaign", str(place), str(asked), str(report)]
        running.append(subprocess.Popen(command))
        reports.append(report)
    assert [process.wait() for process in running] == [0] * processes
    return [json.loads(line) for report in reports for line in report.read_text().splitlines()]


def test_a_damaged_home_answers_as_ever_or_says_what_is_wrong(place: Path) -> None:
    home = place / "home"
    files = [str(max(home.glob(name)).relative_to(home)) for name in FEW]
    cells = list(
        zip(files, cycle(("halved", "flipped in the middle", "not UTF-8")), cycle(ASKED), strict=False)
    )
    cells += [(str(max(home.glob(name)).relative_to(home)), kind, question) for name, kind, question in FOUND]
    found = judged(place, cells)
    assert [one for one in found if one["fault"]] == []
    assert len(found) == len(FEW) + len(FOUND)


def test_every_command_and_every_route_is_in_the_matrix(place: Path) -> None:
    assert set(places.commands(place)) | set(places.ELSEWHERE) == set(COMMANDS)
    with Engine(settings.load(place / "home")) as engine:
        served = state_for(engine)
        paths = make(served, Rules()).app.openapi()["paths"]  # type: ignore[attr-defined]  # behind the gate
        served.jobs.close()
    asked = [route.partition("?")[0] for route in places.ROUTES]
    routes = [re.sub(r"\{\w+\}", "[^/]+", path) for path, kinds in paths.items() if "get" in kinds]
    left = [one for one in routes if not any(re.fullmatch(one, path) for path in asked)]
    assert left == ["/jobs/[^/]+"]  # the commands are in the matrix
