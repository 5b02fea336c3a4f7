"""The keys at the foot of the workbench: what a mouse does there."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from ark_tui.interfaces.tui.panes.library import LibraryPane
from ark_tui.interfaces.tui.screens.palette import HelpScreen
from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.widgets.footing import Footer, _cells
from tests.tui.bench import Bench, bench


async def at_key(b: Bench, label: str) -> tuple[Footer, tuple[int, int]]:
    """The footer, and where in it a label stands."""
    await b.opened()
    footer = b.workbench.query_one(Footer)
    await b.until(lambda: label in b.lines()[footer.region.y])
    return footer, (b.lines()[footer.region.y].index(label), 0)


async def test_a_key_that_is_clicked_does_what_it_does(filled: Path) -> None:
    async with bench(filled) as b:
        footer, place = await at_key(b, "help")
        await b.pilot.click(footer, offset=place)
        await b.until(lambda: isinstance(b.app.screen, HelpScreen))


async def test_a_key_under_the_mouse_says_what_it_is_for_and_stands_out(filled: Path) -> None:
    async with bench(filled) as b:
        footer, place = await at_key(b, "help")
        (helping,) = (action for action in actions.ACTIONS if action.id == "app.help")
        row = footer.region.y
        plain = b.app.screen.get_style_at(place[0], row).bgcolor
        await b.pilot.hover(footer, offset=place)
        await b.until(lambda: footer.tooltip == helping.help)
        await b.until(lambda: b.app.screen.get_style_at(place[0], row).bgcolor != plain)
        await b.pilot.hover(b.search)
        await b.until(lambda: footer.tooltip is None)
        await b.until(lambda: b.app.screen.get_style_at(place[0], row).bgcolor == plain)


async def test_between_two_keys_there_is_nothing_to_click(filled: Path) -> None:
    async with bench(filled) as b:
        footer, (column, _) = await at_key(b, "help")
        await b.pilot.click(footer, offset=(column + len("help"), 0))
        assert b.app.screen is b.workbench


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
        "review": ({"undo"}, {"let in", "change", "refuse", "later", "merge"}),
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


async def test_in_the_history_a_key_is_named_where_its_view_carries_it_out(filled: Path) -> None:
    async with bench(filled, (200, 50)) as b:
        await b.opened()
        await b.listed("krylov")
        await b.pilot.press("alt+4", "v")
        await b.until(lambda: b.workbench.panes.current == "history")
        await b.until(lambda: "run again" in b.text().splitlines()[-1])
        assert "delete" not in b.text().splitlines()[-1], "a search is kept"
