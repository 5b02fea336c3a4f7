"""The damage matrix: each kind of file × each damage, asked; and each command over a part of them."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from tests.damage import campaign, places
from tests.damage.test_damage import built, judged
from tests.soak import figures

pytestmark = pytest.mark.soak

CORE = ("search", campaign.REPAIR, "status", "tasks-add")
EACH = 6  # damaged homes that every other command, route and tool meets


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("place"))


@pytest.mark.parametrize("asked", ["what most people do", "every other command, route and tool"])
def test_whatever_is_damaged_is_said_or_mended(place: Path, asked: str) -> None:
    passed = figures.begin(f"Every kind of file of a home damaged in ten ways, then asked: {asked}")
    files = [names[-1] for names in campaign.kinds(place / "home").values()]
    damaged = list(product(files, campaign.DAMAGES))
    others = [
        *(name for name in places.commands(place) if name not in CORE),
        *(f"GET {route}" for route in places.ROUTES),
        *(f"tool {name}" for name in places.TOOLS),
    ]
    if asked.startswith("every other"):
        questions = others
        cells = [
            (*damaged[(number * EACH + at) * 37 % len(damaged)], question)
            for number, question in enumerate(others)
            for at in range(EACH)
        ]
    else:
        questions = list(CORE)
        cells = [(file, kind, question) for question in CORE for file, kind in damaged]
    found = judged(place, cells, processes=2)
    assert [one for one in found if one["fault"]] == []
    outcomes = Counter(one["outcome"] for one in found)
    told = ", ".join(f"{count:,} {name}" for name, count in outcomes.most_common())
    passed(
        f"{len(found):,} cells of {len(files)} kinds of files × {len(campaign.DAMAGES)} damages and "
        f"{len(questions)} commands, routes and tools: 0 tracebacks, 0 silent wrong answers ({told})"
    )
