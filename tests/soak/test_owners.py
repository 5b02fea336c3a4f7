"""Two users do ten thousand things, and neither ever sees what is the other's."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui import settings
from ark_tui.engine import Engine
from ark_tui.interfaces.calls.state import state_for
from ark_tui.interfaces.http.gate import rules
from tests.http.users import live

pytestmark = pytest.mark.soak

COUNT = 10_000


async def test_ten_thousand_operations_show_neither_what_is_the_others(tmp_path: Path) -> None:
    with Engine(settings.load(tmp_path)) as engine:
        counter = state_for(engine)
        told = await live(engine, counter, rules("127.0.0.1", holder=engine.memory.tokens.holder), COUNT)
        counter.jobs.close()
    assert sum(told.values()) == COUNT
