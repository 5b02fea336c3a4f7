"""An engine over an empty home, with a clock that a test moves."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ark_tui.engine import Engine
from ark_tui.engine.memory import Memory
from ark_tui.settings import load
from tests.support import SteadyClock


@pytest.fixture
def clock() -> SteadyClock:
    return SteadyClock()


@pytest.fixture
def engine(empty: Path, tmp_path: Path, clock: SteadyClock) -> Iterator[Engine]:
    shutil.copytree(empty, tmp_path / "home")
    with Engine(load(tmp_path / "home", environ={}), clock) as engine:
        yield engine


@pytest.fixture
def memory(engine: Engine) -> Memory:
    return engine.memory
