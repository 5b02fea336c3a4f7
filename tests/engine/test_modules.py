"""Threads that import at once find every package whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TOLD = """
import sys
from ark_tui.engine import modules
modules.open_all()
print(*sys.modules)
"""


def test_every_package_is_there_and_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", TOLD], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert {"ark_tui.index.words", "ark_tui.index.vectors", "ark_tui.retrieval.signals"} <= loaded
    assert not loaded & {"numpy", "duckdb", "lancedb", "tantivy", "scipy", "networkx", "pyarrow"}


def test_a_server_has_every_package_open_before_its_threads_begin(tmp_path: Path) -> None:
    told = f"""
import asyncio, sys
from pathlib import Path
from ark_tui.engine import Engine, modules
from ark_tui.interfaces.calls.state import state_for
from ark_tui.interfaces.http import serving
from ark_tui.settings import load
serving._until = lambda *_: asyncio.sleep(0)
with Engine(load(Path({str(tmp_path)!r}), environ={{}})) as engine:
    serving.serve(state_for(engine), '127.0.0.1', 0, ready=print)
    assert all("ark_tui." + room in sys.modules for room in modules.MODULES)
"""
    subprocess.run([sys.executable, "-c", told], check=True, timeout=60)
