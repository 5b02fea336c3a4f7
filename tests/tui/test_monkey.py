"""Whatever is pressed, clicked and pasted, in whatever window: the app lives, and answers afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.bench import bench
from tests.tui.monkey import Monkey, home_again, tame

STEPS = 120
SEED = 119


async def test_after_random_keys_clicks_and_sizes_a_query_has_hits(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tame(monkeypatch, tmp_path)
    async with bench(filled, EDITOR="true") as b:
        await b.opened()
        await Monkey(b, SEED).play(STEPS)
        await home_again(b)
        await b.type("spectral")
        await b.until(lambda: b.search.has_hits, "hits after all that")
