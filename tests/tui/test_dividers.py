"""Borders between the parts of a pane are dragged, or moved by keys, and stay where they were put."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.interfaces.tui.widgets import dividers
from tests.tui.bench import Bench, bench

PANES: dict[str, tuple[str, tuple[int, int], tuple[str, ...]]] = {
    "search": ("1", (120, 34), ("Results", "Breakdown")),
    "search, wide": ("1", (200, 50), ("Results", "Breakdown")),
    "search, narrow": ("1", (80, 24), ("Results",)),
    "library": ("2", (120, 34), ("#views",)),
    "notebook": ("3", (120, 34), ("Pad",)),
    "notebook, narrow": ("3", (80, 24), ("Pad",)),
    "history": ("4", (120, 34), ("PagedList",)),
    "analysis": ("5", (120, 34), ("Measures", "Found")),
    "settings": ("6", (120, 34), ("Sections", "#about")),
}
BY = 5  # cells


async def drag(b: Bench, start: tuple[int, int], end: tuple[int, int]) -> None:
    await b.pilot.mouse_down(offset=start)
    await b.pilot.hover(offset=end)
    await b.pilot.mouse_up(offset=end)


def border(divider: dividers.Divider) -> tuple[int, int]:
    """A place on the border, away from what is written on it."""
    region = divider.part.region
    if divider.side == "width":
        return (region.right - 1 if divider.after else region.x - 1), region.bottom - 2
    return region.right - 3, (region.bottom - 1 if divider.after else region.y - 1)


async def come(b: Bench, key: str) -> None:
    await b.listed("spectral gap")
    await b.pilot.press(key)
    if key == "2":
        await b.pilot.press("right")


def found(b: Bench, part: str) -> dividers.Divider:
    (divider,) = (one for one in dividers.shown(b.workbench) if one.selector.endswith(part))
    return divider


@pytest.mark.parametrize("pane", PANES)
async def test_a_border_is_dragged_and_found_there_again(filled: Path, pane: str) -> None:
    key, size, parts = PANES[pane]
    sizes: dict[str, int] = {}
    async with bench(filled, size) as b:
        await come(b, key)
        for part in parts:
            divider = found(b, part)
            (x, y), wanted = border(divider), divider.size + BY
            by = BY if divider.after else -BY
            await drag(b, (x, y), (x + by, y) if divider.side == "width" else (x, y + by))
            await b.until(lambda d=divider, n=wanted: abs(d.size - n) <= 1, f"{part}: {wanted}")  # type: ignore[misc]
            sizes[part] = divider.size
    async with bench(filled, size) as b:
        await come(b, key)
        for part, cells in sizes.items():
            await b.until(lambda p=part, n=cells: abs(found(b, p).size - n) <= 1, f"{part}: {cells}")  # type: ignore[misc]


async def test_reading_has_the_window_and_another_layout_its_own_sizes(filled: Path) -> None:
    async with bench(filled) as b:
        await b.listed("spectral gap")
        await b.pilot.press("greater_than_sign", "greater_than_sign")
        width = b.hits.results.region.width
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.results.region.width == 32)
        await b.pilot.press("escape")
        await b.until(lambda: b.hits.results.region.width == width)
        await b.pilot.resize_terminal(80, 24)
        await b.until(lambda: b.hits.results.region.width == 80)
