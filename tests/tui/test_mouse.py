"""The mouse: what lists, scrolls, turns or is named by a key is clicked, in every pane."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from textual.events import MouseScrollDown, MouseScrollUp
from textual.widget import Widget

from ark_tui.interfaces.tui.screens.picking import PickScreen
from ark_tui.interfaces.tui.widgets.aiming import Column
from ark_tui.interfaces.tui.widgets.choices import Choices
from ark_tui.interfaces.tui.widgets.reader import Reader
from ark_tui.interfaces.tui.widgets.results import Results
from ark_tui.interfaces.tui.widgets.row_list import RowList
from ark_tui.interfaces.tui.widgets.scroller import ScrolledText
from ark_tui.interfaces.tui.widgets.views_line import ViewTab
from tests.tui.bench import Bench, bench

PANES = ("search", "library", "notebook", "history", "analysis", "settings")


def seen(b: Bench, kind: type[Widget]) -> list[Widget]:
    return [one for one in b.workbench.query(kind).results(Widget) if one.region.area]


async def click(b: Bench, x: int, y: int, times: int = 1) -> None:
    await b.pilot.click(offset=(x, y), times=times)


@pytest.mark.parametrize("pane", PANES)
async def test_rows_are_chosen_and_tabs_and_views_turned_by_clicks(
    lived_in: Path, home: Path, pane: str
) -> None:
    async with bench(shutil.copytree(lived_in, home)) as b:
        await b.listed("spectral gap")
        await b.pilot.click(f"#tab-{pane}")
        await b.until(lambda: b.workbench.panes.current == pane)
        tabs: list[Widget | None] = [*seen(b, ViewTab)]
        for view in tabs or [None]:
            if view is not None:
                await b.pilot.click(f"#{view.id}")
                await b.until(lambda v=view: v.has_class("-here"), str(view))  # type: ignore[misc]
            lists: list[RowList] = []

            def listed(lists: list[RowList] = lists) -> bool:
                lists[:] = [one for one in seen(b, RowList) if isinstance(one, RowList) and one.count]
                return bool(lists)

            await b.pilot.pause()
            if not listed() and view is None:
                await b.until(listed, f"{pane} lists something")
            for rows in reversed(lists):  # what a list is about stands beside it, and may be nothing
                last = min(rows.count, rows.page) - 1
                top = rows.content_region.y + rows.top_of(last) - rows.scroll_offset.y
                await click(b, rows.content_region.x + 3, top)
                await b.until(lambda r=rows, n=last: r.cursor == n, f"{pane}: {rows}")  # type: ignore[misc]


async def test_a_double_click_opens_and_the_wheel_scrolls_what_it_is_over(lived_in: Path, home: Path) -> None:
    async with bench(shutil.copytree(lived_in, home), (120, 20)) as b:
        await b.listed("spectral gap")
        row = next(n for n, line in enumerate(b.lines()) if "Spectral gaps" in line[:50])
        await b.until(lambda: b.hits.reader.max_scroll_y > 0)
        for part in (b.hits.reader, b.hits.breakdown):
            before, focused = part.scroll_y, b.workbench.focused
            x, y = part.region.x + 5, part.region.y + 2
            part.post_message(MouseScrollDown(part, 5, 2, 0, 1, 0, False, False, False, x, y))
            await b.until(lambda p=part, n=before: p.scroll_y > n, f"{part}")  # type: ignore[misc]
            assert b.workbench.focused is focused
        await click(b, 10, row + 3)
        await b.until(lambda: b.hits.results.cursor == 1)
        await click(b, 10, row, times=2)
        await b.until(lambda: b.hits.reader.has_focus)


SCROLLED: dict[str, tuple[tuple[str, ...], type[Widget], int]] = {
    "results": (("escape",), Results, 24), "reader": (("enter",), Reader, 19),
    "messages": (("f4",), ScrolledText, 24), "picker": (("ctrl+p",), Choices, 24),
    "search of the log": (("4", "right"), Column, 19),
}  # fmt: skip
"""Keys that lead from a hit to something that scrolls, and a height of the window in which it still does."""


@pytest.mark.parametrize("what", SCROLLED)
async def test_what_stood_at_its_end_is_scrolled_up_by_the_first_notch_when_its_window_has_grown(
    lived_in: Path, home: Path, what: str
) -> None:
    keys, kind, height = SCROLLED[what]
    async with bench(shutil.copytree(lived_in, home), (60, 16)) as b:
        for number in range(30):
            b.app.context.say(f"The message {number}.")
        await b.listed("spectral gap")
        await b.pilot.press(*keys)

        def scrolled() -> list[Widget]:
            found = b.app.screen.query(kind).results(Widget)
            return [one for one in found if one.region.area and one.max_scroll_y > 1]

        await b.until(scrolled)
        view, *_ = scrolled()
        if isinstance(view, RowList):
            view.action_last()
        else:
            view.scroll_end(animate=False, immediate=True)
        await b.until(lambda: view.scroll_y == view.max_scroll_y)
        before = view.max_scroll_y
        await b.pilot.resize_terminal(60, height)
        await b.until(lambda: 0 < view.scroll_y == view.max_scroll_y <= before - b.app.scroll_sensitivity_y)
        x, y = view.region.x + 3, view.region.y + 1
        b.app.screen._forward_event(MouseScrollUp(None, x, y, 0, -1, 0, False, False, False, x, y))
        await b.until(lambda: view.scroll_y < view.max_scroll_y, "it goes on from where it stands")


def shows_cursor(rows: RowList) -> bool:
    """Whether a list has the height that was asked for, and its cursor in view."""
    height, asked = rows.size.height, rows.styles.height
    within = rows.top_of(rows.cursor) - rows.scroll_offset.y
    return asked is not None and height == asked.value and 0 <= within < height


PICKERS = {
    "commands": (("ctrl+p",), "se"),
    "tags": (("t",), "m"),
    "documents": (("l",), "la"),
    "tiers": (("r",), "i"),
    "themes": (("f6",), "li"),
    "keys": (("f1",), "he"),
}
"""By what a picker opens in the list of hits, and letters that two rows of it have at least."""


@pytest.mark.parametrize("picker", PICKERS)
async def test_rows_of_a_picker_are_scrolled_chosen_and_taken_by_the_mouse_and_typing_goes_on(
    filled: Path, picker: str
) -> None:
    keys, wanted = PICKERS[picker]
    async with bench(filled, (80, 24)) as b:
        await b.listed("spectral gap")
        await b.pilot.press("escape", *keys)
        await b.until(lambda: isinstance(b.app.screen, PickScreen) and b.app.screen._narrowed is not None)
        screen = b.app.screen
        assert isinstance(screen, PickScreen)
        rows = screen.choices
        await b.until(lambda: shows_cursor(rows), "the row to begin with, in a list of its final height")
        ways = (MouseScrollDown, MouseScrollUp)
        for kind in reversed(ways) if rows.scroll_y else ways:
            before, cursor = rows.scroll_y, rows.cursor
            x, y = rows.region.x + 5, rows.region.y + 1
            rows.post_message(kind(rows, 5, 1, 0, 1, 0, False, False, False, x, y))
            if rows.max_scroll_y:
                await b.until(lambda n=before: rows.scroll_y != n)  # type: ignore[misc]
            assert rows.cursor == cursor
        await b.type(wanted)
        await b.until(lambda: rows.count > 1 and screen._narrowed == wanted)
        await b.pilot.press("down")
        await b.until(lambda: rows.cursor == 1)
        top = rows.content_region.y
        await click(b, rows.content_region.x + 3, top)
        await b.until(lambda: rows.cursor == 0)
        assert screen.line.has_focus
        await b.pilot.press("backspace")
        await b.until(lambda: screen._narrowed == wanted[:-1], "who has clicked goes on typing")
        await click(b, rows.content_region.x + 3, top, times=2)
        await b.until(lambda: b.app.screen is not screen, "it is taken")
