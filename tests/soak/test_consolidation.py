"""Consolidation of two hundred conversations, and killed at fifty points: nothing is lost or doubled."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.memory.talks import made
from tests.memory.test_consolidation import WRITER, everything_is_found, kill_trial, lies_are_marked, opened
from tests.ollama_server import OllamaServer
from tests.support import SteadyClock

pytestmark = pytest.mark.soak


def test_of_two_hundred_conversations_everything_is_found_once_with_its_places(
    empty: Path, tmp_path: Path
) -> None:
    with OllamaServer(WRITER) as server, opened(empty, tmp_path, server, SteadyClock()) as engine:
        everything_is_found(engine, server, made(count=200))


def test_of_a_model_that_lies_about_two_hundred_conversations_nearly_everything_is_marked(
    empty: Path, tmp_path: Path
) -> None:
    with OllamaServer(WRITER) as server, opened(empty, tmp_path, server, SteadyClock()) as engine:
        lies_are_marked(engine, server, made(seed=31, count=200))


def test_killed_at_fifty_points_it_proposes_what_it_does_in_quiet(empty: Path, tmp_path: Path) -> None:
    with OllamaServer(WRITER) as server:
        kill_trial(empty, tmp_path, server, kills=50, count=200)
