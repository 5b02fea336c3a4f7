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


def test_whatever_is_damaged_is_said_or_mended(tmp_path: Path) -> None:
    passed = figures.begin("Every kind of file of a home damaged in ten ways, then asked")
    place = built(tmp_path)
    files = [names[-1] for names in campaign.kinds(place / "home").values()]
    damaged = list(product(files, campaign.DAMAGES))
    questions = [
        *places.commands(place),
        *(f"GET {route}" for route in places.ROUTES),
        *(f"tool {name}" for name in places.TOOLS),
    ]
    cells = [(file, kind, question) for question in CORE for file, kind in damaged]
    for number, question in enumerate(name for name in questions if name not in CORE):
        some = (damaged[(number * EACH + at) * 37 % len(damaged)] for at in range(EACH))
        cells += [(file, kind, question) for file, kind in some]
    found = judged(place, cells, processes=2)
    assert [one for one in found if one["fault"]] == []
    outcomes = Counter(one["outcome"] for one in found)
    told = ", ".join(f"{count:,} {name}" for name, count in outcomes.most_common())
    passed(
        f"{len(found):,} cells of {len(files)} kinds of files × {len(campaign.DAMAGES)} damages and "
        f"{len(questions)} commands, routes and tools: 0 tracebacks, 0 silent wrong answers ({told})"
    )
