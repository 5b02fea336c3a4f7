"""What lists, scrolls, turns or is named by a key is clicked, in every pane and in the footer."""

from __future__ import annotations

import shutil
from pathlib import Path

from textual.events import MouseScrollDown
from textual.widget import Widget

from ark_tui.interfaces.tui.screens.picking import HelpScreen
from ark_tui.interfaces.tui.widgets.footing import Footer, _cells, fitting
from ark_tui.interfaces.tui.widgets.row_list import RowList
from ark_tui.interfaces.tui.widgets.title_line import ViewsLine
from tests.tui.bench import Bench, bench

PANES = ("search", "library", "history")


def seen(b: Bench, kind: type[Widget]) -> list[Widget]:
    return [one for one in b.workbench.query(kind).results(Widget) if one.region.area]


async def click(b: Bench, x: int, y: int, times: int = 1) -> None:
    await b.pilot.click(offset=(x, y), times=times)


async def test_rows_are_chosen_and_tabs_and_views_turned_by_clicks(lived_in: Path, home: Path) -> None:
    async with bench(shutil.copytree(lived_in, home)) as b:
        await b.listed("spectral gap")
        for pane in PANES:
            while b.app.screen is not b.workbench:  # a click on the row under the cursor opens it
                await b.pilot.press("escape")
            await click(b, b.lines()[0].index(pane.capitalize()), 0)
            await b.until(lambda pane=pane: b.workbench.panes.current == pane)  # type: ignore[misc]
            views = [one for one in seen(b, ViewsLine) if isinstance(one, ViewsLine)]
            if not views:
                await click_rows(b, pane)
            for view, name in views[0]._views.items() if views else ():
                y = views[0].region.y
                await click(b, b.lines()[y].index(name), y)
                await b.until(lambda v=view, line=views[0]: line._here == v, view)  # type: ignore[misc]
                await click_rows(b, f"{pane}: {view}")


async def click_rows(b: Bench, where: str) -> None:
    """Click the last row in view of every list that has rows."""
    await b.pilot.pause()
    lists = [one for one in seen(b, RowList) if isinstance(one, RowList) and one.count]
    for rows in reversed(lists):  # what a list is about stands beside it, and may be nothing
        last = min(rows.count, rows.page) - 1
        top = rows.content_region.y + rows.top_of(last) - rows.scroll_offset.y
        await click(b, rows.content_region.x + 3, top)
        await b.until(lambda r=rows, n=last: r.cursor == n, f"{where}: {rows}")  # type: ignore[misc]


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


async def test_the_footer_is_filled_to_the_width_with_keys_that_work_and_the_most_used_first(
    filled: Path,
) -> None:
    for width in (60, 120):
        async with bench(filled, (width, 24)) as b:
            await b.listed("spectral gap")
            footer = b.workbench.query_one(Footer)
            for part in (b.hits.results, b.hits.reader, b.search.query_line):
                part.focus()
                await b.until(lambda part=part: part.has_focus)  # type: ignore[misc]
                line = b.lines()[footer.region.y]
                assert line.endswith("^p palette")
                live = footer._live()
                shown = fitting(live, width)
                left_out = [one for one in live if one not in shown]
                room = width - len(line) - 1
                assert all(_cells(one) > room for one in left_out), f"{part} at {width}: {line}"
                assert shown[0].binding.show, "what is used most stands first"


async def test_the_footer_says_what_works_now_and_is_never_that_of_another_part(filled: Path) -> None:
    async with bench(filled) as b:
        await b.listed("spectral gap")
        row = b.workbench.query_one(Footer).region.y
        b.app.app_focus = False  # the terminal has another window in front
        await b.pilot.press("enter")
        await b.until(lambda: "c contents" in b.lines()[row], "the keys of the reader")
        assert "esc back" in b.lines()[row]
        await b.pilot.press("f1")
        await b.until(lambda: isinstance(b.app.screen, HelpScreen))
        await b.pilot.press("escape", "escape")
        await b.until(lambda: "space mark" in b.lines()[row], "the keys of the results")
        await b.pilot.press("alt+3")
        await b.until(lambda: "a add" in b.lines()[row])
