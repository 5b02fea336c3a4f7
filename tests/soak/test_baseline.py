"""The whole life of a home: all that 0.1.0 could do and answered is there, field by field."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.baseline import golden, inventory
from tests.soak import figures

pytestmark = pytest.mark.soak


def test_all_that_was_kept_of_the_program_is_there(tmp_path: Path) -> None:
    passed = figures.begin("The inventory of 0.1.0, compared with today's program")
    today = inventory.today(tmp_path)
    assert inventory.lost(today) == []
    changelog = inventory.CHANGELOG.read_text("utf-8")
    assert inventory.unfounded(inventory.changed(), today, changelog) == []
    kept = [inventory.kept(kind) for kind in today]
    facts = sum(len(facts) for entries in kept for facts in entries.values())
    passed(f"{sum(map(len, kept)):,} entries with {facts:,} facts; none lost")


@pytest.mark.parametrize("name", ["med", "locomo-a"])
def test_the_first_ten_of_a_public_set_are_the_same_with_every_part(name: str, tmp_path: Path) -> None:
    if not (golden.DATA / name).is_dir():
        pytest.skip(f"the public set {name} is not beside the project")
    passed = figures.begin(f"Golden rankings of 0.1.0, {name}")
    assert golden.changed(name, tmp_path) == {}
    passed(f"{golden.SETS[name]} queries: order, scores and parts the same within {golden.TOLERANCE}")
