"""What changes the ranking of one search, as a person types it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ark_tui.settings.ranking import shipped
from tests.cli.conftest import Ark


def signals(ark: Ark, home: Path, *options: str) -> dict[str, dict[str, Any]]:
    """The parts of the best hit by signal."""
    found = ark("search", "spectral gap", "--json", "--profile", "default", *options, "--home", home).json
    return {part["name"]: part for part in found["hits"][0]["signals"]}


def test_set_changes_one_number_for_one_search(ark: Ark, indexed: Path) -> None:
    before = signals(ark, indexed)
    after = signals(ark, indexed, "--set", "weight.bm25=0.5", "--set", "weight.maxsim=0")
    given = {**shipped()["default"].weights, "bm25": 0.5}
    whole = sum(given[name] for name in after)
    assert {name: part["weight"] for name, part in after.items()} == pytest.approx(
        {name: given[name] / whole for name in after}
    ), "each a share of the weights in force"
    assert "maxsim" in before.keys() - after.keys()
    assert signals(ark, indexed) == before
