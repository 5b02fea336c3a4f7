"""The keys at the foot of the workbench: what a mouse does there."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from ark_tui.interfaces.tui.panes.library import LibraryPane
from ark_tui.interfaces.tui.screens.palette import HelpScreen
from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.widgets.footing import Footer, _cells
from tests.tui.bench import Bench, bench


async def test_the_footer_is_filled_to_the_width_with_keys_that_work_and_the_most_used_first(
    filled: Path,
) -> None:
    for width in (60, 80, 120, 200):
        async with bench(filled, (width, 24)) as b:
            await b.listed("spectral gap")
            footer = b.workbench.query_one(Footer)
            for part in ("results", "reader", "query"):
                b.search.go_to(part)
                await b.until(lambda part=part: b.workbench.focused and b.workbench.focused.id == part)  # type: ignore[misc]
                line = b.lines()[footer.region.y]
                assert line.endswith("^p palette")
                live = footer._live()
                left_out = [
                    one
                    for one in live
                    if one.binding.id not in {key.binding.id for key in footer._keys.values()}
                ]
                room = width - len(line) - 1
                assert all(_cells(one) > room for one in left_out), f"{part} at {width}: {line}"
                assert next(iter(footer._keys.values())).binding.show, "what is used most stands first"


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


def shown(b: Bench, pane: str) -> bool:
    return b.workbench.panes.current == pane and b.app.focused is not None


async def test_where_nothing_is_listed_the_footer_names_no_key_that_acts_on_a_row(home: Path) -> None:
    on_rows = {
        "notebook": ({"add"}, {"edit", "done", "delete"}),
        "history": ({"find"}, {"open", "copy", "delete", "run again"}),
        "review": ({"undo"}, {"accept", "change", "reject", "later", "merge"}),
    }
    async with bench(home, (200, 50)) as b:
        await b.opened()
        for pane, (always, on_row) in on_rows.items():
            await b.pilot.press(f"alt+{[*actions.PANES].index(pane) + 1}")
            await b.until(partial(shown, b, pane))
            labels = {one.binding.description for one in b.workbench.query_one(Footer)._live()}
            assert always <= labels, pane
            assert not on_row & labels, pane
        await b.pilot.press("alt+2")
        await b.until(partial(shown, b, "library"))
        on_any = {"read again", "edit", "copy path"}
        for view in ("sources", "left-out", "duplicates", "stale", "trash"):
            b.workbench.query_one(LibraryPane).go_to(view)
            await b.pilot.pause()
            labels = {one.binding.description for one in b.workbench.query_one(Footer)._live()}
            assert not {"read", "mark", "tag", "trash", "pin", "correct", "forget", *on_any} & labels, view
        await b.pilot.press("alt+3", "a")
        await b.until(lambda: b.app.screen is not b.workbench)
        await b.type("water the plants")
        await b.pilot.press("enter")
        await b.until(
            lambda: "done" in {one.binding.description for one in b.workbench.query_one(Footer)._live()}
        )
