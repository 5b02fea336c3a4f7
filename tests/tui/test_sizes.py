"""Nothing is cut unmarked: panes, dialogs and messages, in windows from the smallest to a large one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.tui.bench import bench
from tests.tui.cut import Cuts, unheard
from tests.tui.places import OPENED, everywhere

SIZES = ((60, 16), *(pytest.param(size, marks=pytest.mark.soak) for size in ((80, 24), (120, 34), (200, 50))))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_nothing_is_cut_unmarked(
    lived_in: Path, home: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    cuts = Cuts(monkeypatch)
    opened: set[str] = set()
    found: list[str] = []
    nobody: set[str] = set()
    async with bench(shutil.copytree(lived_in, home), size) as b:
        async for place in everywhere(b):
            opened.add(type(b.app.screen).__name__)
            found.extend(f"{place}: {fault}" for fault in cuts.found(b.app.screen))
            nobody.update(unheard(b.app.screen))
    assert not found, "\n".join(dict.fromkeys(found))
    assert not nobody, "the footer names what is carried out"
    assert opened >= OPENED


async def test_a_new_home_in_the_smallest_window(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cuts = Cuts(monkeypatch)
    async with bench(home, (60, 16)) as b:
        await b.opened()
        assert not [*cuts.found(b.app.screen)]
        for pane in "23456":
            await b.pilot.press(f"alt+{pane}")
            assert not [*cuts.found(b.app.screen)]
