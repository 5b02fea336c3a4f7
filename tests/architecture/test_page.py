"""docs/architecture.md names files that are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`((?:ark_tui|tests|docs)/[\w./-]+)`")


def test_every_file_that_the_page_names_is_there() -> None:
    named = NAMED.findall((ROOT / "docs" / "architecture.md").read_text("utf-8"))
    assert len(named) > 30
    assert [name for name in named if not (ROOT / name).exists()] == []
