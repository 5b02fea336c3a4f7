"""Consolidation killed at fifty points, at random: nothing is lost and nothing doubled."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.memory.test_consolidation import WRITER, kill_trial
from tests.ollama_server import OllamaServer

pytestmark = pytest.mark.soak


def test_killed_at_fifty_points_it_proposes_what_it_does_in_quiet(empty: Path, tmp_path: Path) -> None:
    with OllamaServer(WRITER) as server:
        kill_trial(empty, tmp_path, server, kills=50, count=200)
