from __future__ import annotations

import os
import subprocess
import sys

from tests import NOBODY
from tests.ollama import LIVE


def test_without_a_server_it_is_said_what_would_have_been_tried() -> None:
    begun = [sys.executable, "-m", "tests.ollama"]
    told = subprocess.run(begun, env={**os.environ, LIVE: NOBODY}, capture_output=True, text=True, check=True)
    assert told.stdout.startswith(f"No Ollama answers at {NOBODY}; OLLAMA_HOST names another.")
    assert "test_journey.py::test_a_home_with_a_model_of_this_server" in told.stdout
