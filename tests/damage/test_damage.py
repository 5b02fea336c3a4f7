"""Whatever file of a home is damaged: a sentence or a repair, no traceback, no other answer in silence.

The suite has a small part of the matrix, the soak the whole of it. `DAMAGE_MINUTES=10` ends after some cells,
which are a spread of all.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from itertools import cycle, product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.damage import campaign, places
from tests.soak import figures

FEW = (
    *("ark.duckdb", "config.toml", "session.json", "home.lock", "words/mark.json"),
    *("words/texts/*.idx", "words/texts/meta.json", "messages/texts/*.term", "vectors/static*/mark.json"),
    *("vectors/static*/data/*.lance", "vectors/static*/seals.json", "vectors/ollama*/data/*.lance"),
)
FOUND = (
    ("vectors/static*/data/*.lance", "unreadable", "think"),
    ("vectors/ollama*/_versions/*.manifest", "unreadable", "search"),
    ("ark.duckdb", "replaced", "recall"),
)
"""What the whole matrix has found: answers that did not say what they were made without, a traceback."""

ASKED = ("search", campaign.REPAIR, "status", "history-search", "tasks-add")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which everything was used once; only to be copied."""
    folder = tmp_path_factory.mktemp("place")
    subprocess.run(
        [sys.executable, "-m", "tests.damage.places", str(folder)], check=True, capture_output=True
    )
    return folder


def judged(
    place: Path, cells: Iterable[tuple[str, str, str]], processes: int = 1, minutes: float = math.inf
) -> list[dict[str, Any]]:
    """What came of each cell, or of those that there was time for, judged by processes that can be forked."""
    cells, running, reports = list(cells), [], []
    for number in range(processes):
        asked, report = place / f"cells-{number}.json", place / f"report-{number}.jsonl"
        asked.write_text(json.dumps(cells[number::processes]))
        command = [sys.executable, "-m", "tests.damage.campaign", *map(str, (place, asked, report, minutes))]
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


CORE = ("search", campaign.REPAIR, "status", "tasks-add")
EACH = 6  # damaged homes that every other command meets


@pytest.mark.soak
def test_every_kind_of_file_damaged_in_every_way_is_reported_or_repaired(place: Path) -> None:
    passed = figures.begin("Every kind of file of a home damaged in ten ways, then asked")
    files = [names[-1] for names in campaign.kinds(place / "home").values()]
    damaged = list(product(files, campaign.DAMAGES))
    others = [name for name in places.commands(place) if name not in CORE]
    cells = [(file, kind, question) for question in CORE for file, kind in damaged]
    cells += [
        (*damaged[(number * EACH + at) * 37 % len(damaged)], question)
        for number, question in enumerate(others)
        for at in range(EACH)
    ]
    Random(1).shuffle(cells)
    found = judged(place, cells, processes=2, minutes=float(os.environ.get("DAMAGE_MINUTES", "inf")))
    assert [one for one in found if one["fault"]] == []
    outcomes = Counter(one["outcome"] for one in found)
    told = ", ".join(f"{count:,} {name}" for name, count in outcomes.most_common())
    passed(
        f"{len(found):,} of {len(cells):,} cells of {len(files)} kinds of files × {len(campaign.DAMAGES)} "
        f"damages and {len(CORE) + len(others)} commands: 0 tracebacks, 0 silent wrong answers ({told})"
    )
