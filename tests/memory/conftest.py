"""An engine over an empty home, with a clock that a test moves."""

from __future__ import annotations

import pytest

from ark_tui.engine import Engine
from ark_tui.engine.memory import Memory


@pytest.fixture
def memory(engine: Engine) -> Memory:
    return engine.memory
