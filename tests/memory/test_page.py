"""The page on memory says nothing that is not so; that its examples run is tested with the commands."""

from __future__ import annotations

import re
from pathlib import Path

from ark_tui.domain.memory import LAYERS
from ark_tui.settings.config import default

PAGE = (Path(__file__).parents[2] / "docs" / "memory.md").read_text("utf-8")
MINE = PAGE.partition("## Facts, patterns, directives")[0]


def test_the_table_of_layers_is_that_of_the_program() -> None:
    named = dict(re.findall(r"^\| (\d) (\w+) \|", MINE, re.MULTILINE))
    assert {int(number): name for number, name in named.items()} == LAYERS
    assert f"{default('working_hours'):.0f} hours (`working_hours`)" in MINE
    assert f"{default('episodic_days'):.0f} days (`episodic_days`)" in MINE
