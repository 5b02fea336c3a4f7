"""Who uses no server pays nothing for there being servers."""

from __future__ import annotations

import subprocess
import sys

from tests.models.conftest import Place

SCRIPT = """
import sys
from pathlib import Path
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.settings import load

with Engine(load(Path(sys.argv[1]), environ={})) as engine:
    assert engine.search(Request("mixing time")).hits
print(*sorted({"httpx"} & sys.modules.keys()))
"""


def test_a_search_with_the_static_model_loads_no_client(place: Place) -> None:
    place.index(embedding="static")
    command = [sys.executable, "-c", SCRIPT, str(place.home)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
