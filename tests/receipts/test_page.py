"""The example in docs/search.md is what the program says, and its table of states is that of the program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ark_tui.domain.receipts import CLOSE, STATES
from tests.cli.conftest import Ark
from tests.receipts.conftest import THEN, Desk

PAGE = (Path(__file__).parents[2] / "docs" / "search.md").read_text("utf-8")
SECTION = PAGE.split("## Receipts\n")[1].split("\n## ")[0]
SHOWN = SECTION.split("$ ark-tui verify receipts/gap.json\n")[1].split("```")[0]


def test_the_example_is_what_verify_says(desk: Desk, ark: Ark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARK_HOME", str(desk.home))
    monkeypatch.setenv("ARK_NOW", THEN)
    monkeypatch.chdir(desk.folder)
    (desk.folder / "receipts").mkdir()
    assert ark("search", "spectral gap", "-n", "2", "--receipt", "receipts/gap.json").code == 0
    desk.write("new.md", "---\ndate: 2025-12-24\n---\n# Spectral gap\n\nThe spectral gap, once more.\n")
    desk.index()
    desk.configure("[profiles.default.weights]\nbm25 = 0.2\n")
    found = ark("verify", "receipts/gap.json")
    assert found.code == 1
    assert found.out == SHOWN


def test_the_table_has_every_state_with_the_code_that_a_command_ends_with() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| .* \| (\d) \|$", SECTION, re.MULTILINE))
    assert list(rows) == list(STATES)
    assert rows == {"same": "0", "close": "0", "shifted": "0", "changed": "1", "unreadable": "2"}
    assert f"within {CLOSE:.5f}" in SECTION
