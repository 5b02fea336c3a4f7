"""The keys at the foot of the workbench: what a mouse does there."""

from __future__ import annotations

from pathlib import Path

from ark_tui.interfaces.tui.screens.palette import HelpScreen
from ark_tui.interfaces.tui.widgets.footing import Footer, _cells
from tests.tui.bench import bench


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
        await b.shown(HelpScreen)
        await b.pilot.press("escape", "escape")
        await b.until(lambda: "space mark" in b.lines()[row], "the keys of the results")
        await b.pilot.press("alt+3")
        await b.until(lambda: "a add" in b.lines()[row])
