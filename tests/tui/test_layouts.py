"""What is where at which size, and the frames that say so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from textual.app import App

from ark_tui.interfaces.tui.screens.picking import HelpScreen, Palette
from ark_tui.interfaces.tui.state.messages import HitsArrived
from tests.tui.bench import Bench, bench

Frame = Callable[[App[None], str], None]

STAGES = (("read", 0.4), ("bm25", 1.2), ("first pass", 3.1), ("show", 2.4))


async def searched(b: Bench) -> None:
    """A search whose times stand still, with the cursor on its second hit."""
    await b.searched("spectral gap")
    assert b.search.result is not None
    still = replace(b.search.result, took_ms=12.0, stages=STAGES)
    b.search.post_message(HitsArrived(b.search.stages.shown, still, again=True))
    await b.until(lambda: "· 12 ms" in b.text())
    await b.pilot.press("down", "j")
    second = b.hits.results.hits[1].document
    await b.until(lambda: (p := b.hits.reader.passage) is None or p.document == second)


@pytest.mark.parametrize("size", [(80, 24), (120, 34)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_search_pane_at_two_sizes(filled: Path, frame: Frame, size: tuple[int, int]) -> None:
    async with bench(filled, size) as b:
        await searched(b)
        results, reader, why = (b.hits.results.region, b.hits.reader.region, b.hits.breakdown.region)
        if size[0] < 100:
            assert reader.y >= results.bottom
            assert not b.hits.breakdown.display
            hit = b.hits.results.hit
            assert hit is not None
            rows = b.lines()[results.y : results.bottom]
            assert any(hit.document.title in row for row in rows)
            assert sum("▌" in row for row in rows) == 2, "title and text"
        else:
            assert reader.x >= results.right
            assert why.x == reader.x
            assert why.y >= reader.bottom
        frame(b.app, f"search-{size[0]}x{size[1]}")


async def test_help_and_palette(filled: Path, frame: Frame) -> None:
    async with bench(filled) as b:
        await searched(b)
        await b.pilot.press("f1")
        await b.shown(HelpScreen)
        frame(b.app, "help-120x34")
        await b.pilot.press("escape", "ctrl+p")
        await b.until(lambda: isinstance(b.app.screen, Palette) and "Read the document." in b.text())
        frame(b.app, "palette-120x34")


async def test_a_window_that_is_too_small_says_so_and_comes_back(filled: Path) -> None:
    async with bench(filled) as b:
        await b.searched("gap")
        await b.pilot.resize_terminal(59, 20)
        await b.until(lambda: "60 × 16" in b.text())
        await b.pilot.resize_terminal(80, 15)
        await b.until(lambda: "60 × 16" in b.text())
        await b.pilot.resize_terminal(80, 24)
        await b.until(lambda: "Spectral gaps" in b.text())
        await b.until(lambda: b.workbench.focused is not None)


async def test_without_colour_nothing_is_told_by_colour_alone(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with bench(filled) as b:
        await searched(b)
        assert "▌" in b.text(), "the cursor has a mark"
        assert "┏" in b.text(), "the focused part has a heavier frame"
