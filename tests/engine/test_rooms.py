"""Threads that import at once find every package whole."""

from __future__ import annotations

import subprocess
import sys

TOLD = """
import sys
from ark_tui.engine import rooms
rooms.open_all()
print(*sys.modules)
"""


def test_every_package_is_there_and_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", TOLD], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert {"ark_tui.index.words", "ark_tui.index.vectors", "ark_tui.retrieval.signals"} <= loaded
    assert not loaded & {"numpy", "duckdb", "lancedb", "tantivy", "scipy", "networkx", "pyarrow"}
