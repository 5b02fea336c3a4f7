"""Asking in the workbench why a document that was expected is not listed, and mending it by a key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from textual.app import App
from textual.widgets import Input

from ark_tui.interfaces.tui.screens.picking import PickScreen
from ark_tui.interfaces.tui.screens.whynot import WhyNotScreen
from tests.tui.bench import Bench, bench


async def find(b: Bench, letters: str) -> PickScreen:
    """Ask why not, and type letters of what was expected."""
    await b.pilot.press("alt+x")
    screen = await b.shown(PickScreen)
    await b.until(lambda: screen.choices.count)
    screen.query_one(Input).value = letters
    await b.until(lambda: "of 7" in str(screen.query_one(".box").border_subtitle))
    return screen


async def asked(b: Bench, letters: str, wanted: str) -> WhyNotScreen:
    """Ask why what fits the letters best, of that title or path, is not listed; the answer is there."""
    screen = await find(b, letters)
    await b.until(lambda: screen.choices.here and wanted in screen.choices.here.label)
    await b.pilot.press("enter")
    return await answered(b)


async def answered(b: Bench) -> WhyNotScreen:
    screen = await b.shown(WhyNotScreen)
    await b.until(lambda: screen.remedies.display)
    return screen


async def test_a_filter_that_keeps_a_document_away_is_named_and_enter_searches_without_it(
    filled: Path,
) -> None:
    async with bench(filled) as b:
        await b.searched("spectral gap tag:theory")
        assert "Lanczos, restarted" not in b.titles()
        await asked(b, "lncz", "Lanczos")
        assert "tag:theory excludes it: it has tags numerics" in b.text()
        assert "Search without tag:theory: ⏎. Then its rank is" in b.text()
        await b.pilot.press("enter")
        await b.until(lambda: b.search.query_line.value == "spectral gap")
        await b.until(lambda: "Lanczos, restarted" in b.titles())


async def test_what_lies_in_the_trash_is_found_there_and_brought_back(filled: Path) -> None:
    async with bench(filled) as b:
        await b.opened()
        b.app.context.opening.wait().curation.trash(["graphs/lanczos.md"])
        await b.searched("spectral gap")
        assert "Lanczos, restarted" not in b.titles()
        await asked(b, "lanczos", "Lanczos")
        assert "hidden: It is in the trash." in b.text()
        await b.pilot.press("enter")
        await b.until(lambda: "Lanczos, restarted" in b.titles())


async def test_the_picker_and_the_answer_as_they_look(
    filled: Path, frame: Callable[[App[None], str], None]
) -> None:
    async with bench(filled, (80, 24)) as b:
        await b.searched("spectral gap tag:theory")
        b.search.query_line.say("2 of 2")  # without how long it took
        screen = await find(b, "gr lan")
        await b.until(lambda: screen.choices.here and "Lanczos" in screen.choices.here.label)
        await b.until(lambda: "Krylov subspaces find" in b.text(), "how it begins")
        frame(b.app, "find-80x24")
        await b.pilot.press("enter")
        await answered(b)
        frame(b.app, "why-not-80x24")
