"""A folder that another process swaps for a link all the time, while it is walked and indexed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.ingest.test_confined import leaks, root, swapping
from tests.ingest.texts import write
from tests.soak.figures import begin

__all__ = ["root"]

pytestmark = pytest.mark.soak

WALKS = 1200
RUNS = 60


def test_no_outside_file_is_listed_read_or_indexed(root: Path) -> None:
    passed = begin("A folder swapped for a symbolic link and back without rest, while it is read")
    write(root, {f"n{number}.md": "n" for number in range(300)})
    with swapping(root), Engine(load(root.parent / "home", environ={})) as engine:
        listed, read, met = leaks(root, WALKS)
        for _ in range(RUNS):
            engine.index([root])
        stored = engine.search(Request("outside of the root", mode="keyword")).hits

    assert (listed, read, stored) == (0, 0, ())
    assert met
    passed(
        f"{WALKS:,} walks, {met} of which found the folder swapped: an outside file listed in 0, read in 0; "
        f"{RUNS} indexing runs: none stored"
    )
