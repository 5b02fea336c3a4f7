"""Ten thousand random keys, clicks, pastes and window sizes over the real panes, over the sample notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.engine import Engine
from ark_tui.interfaces.tui.state import configured
from tests.soak.figures import begin
from tests.tui.bench import bench, settings_of
from tests.tui.monkey import Monkey, home_again, tame

pytestmark = pytest.mark.soak

STEPS = 2_500
SEEDS = (11, 12, 13, 14)


async def test_ten_thousand_random_steps_and_the_app_still_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = begin("10,000 random keys, clicks and window sizes")
    tame(monkeypatch, tmp_path)
    home, folder = tmp_path / "home", configured.sample()
    assert folder is not None
    with Engine(settings_of(home)) as engine:
        engine.index([folder])
    for seed in SEEDS:
        async with bench(home, EDITOR="true") as b:
            await b.opened()
            await Monkey(b, seed).play(STEPS)
            await home_again(b)
            await b.type("spectral")
            await b.until(lambda: b.search.has_hits, "hits after all that")
    passed(f"{STEPS * len(SEEDS):,} steps with {len(SEEDS)} seeds, no exception, a query has hits afterwards")
