"""Another program has the store for ten seconds while the workbench is used: it answers, loses nothing."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest

from ark_tui.engine import Engine
from ark_tui.interfaces.tui.state import configured
from tests.soak.figures import begin
from tests.tui.bench import bench, settings_of
from tests.tui.test_together import shell

pytestmark = pytest.mark.soak

SECONDS = 10.0


async def test_ten_seconds_without_the_store_cost_no_key_and_no_edit(tmp_path: Path) -> None:
    passed = begin("The store held by a DuckDB shell for ten seconds while the workbench is used")
    folder = configured.sample()
    assert folder is not None
    home, keys, longest = tmp_path / "home", 0, 0.0
    with Engine(settings_of(home)) as engine:
        engine.index([folder])
    async with bench(home) as b:
        await b.opened()
        await b.searched("spectral gap")
        await b.pilot.press("enter")
        results = b.hits.results
        await b.until(lambda: results.has_focus)
        assert results.hit is not None
        document = results.hit.document.id
        with shell(home):
            end = monotonic() + SECONDS
            await b.pilot.press("p")
            while monotonic() < end:
                key, goal = ("j", 1) if results.cursor == 0 else ("k", 0)
                began = monotonic()
                b.app.simulate_key(key)
                await b.until(lambda goal=goal: results.cursor == goal, "the cursor")  # type: ignore[misc]
                keys, longest = keys + 1, max(longest, monotonic() - began)
            await b.pilot.press("ctrl+f")
            await b.type(" mixing")
            assert any("The store is held by process" in one.text for one in b.app.context.said)
        await b.until(lambda: engine_says_pinned(home, document), "the pin")
        await b.until(lambda: b.complete("spectral gap mixing"), "the hits")
    passed(f"{keys:,} keys answered meanwhile, the slowest within {longest * 1000:.0f} ms; nothing lost")


def engine_says_pinned(home: Path, document: str) -> bool:
    with Engine(settings_of(home)) as engine:
        return engine.document(document).pinned
