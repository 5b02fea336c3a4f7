"""The keys at the foot of the workbench: what a mouse does there."""

from __future__ import annotations

from pathlib import Path

from ark_tui.interfaces.tui.screens.palette import HelpScreen
from ark_tui.interfaces.tui.state import actions
from ark_tui.interfaces.tui.widgets.footing import Footer
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
