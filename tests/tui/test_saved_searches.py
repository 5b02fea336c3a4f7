"""Saved searches in the workbench: a query with its filters under a name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from textual.app import App

from ark_tui.domain.query import Request
from ark_tui.domain.searches import Move
from ark_tui.engine import Engine
from ark_tui.interfaces.tui.screens.saved import SavedScreen
from tests.tui.bench import Bench, bench, settings_of


async def saved(b: Bench) -> SavedScreen:
    await b.pilot.press("ctrl+n")
    await b.until(lambda: isinstance(b.app.screen, SavedScreen) and b.app.screen.rows.has_focus)
    screen = b.app.screen
    assert isinstance(screen, SavedScreen)
    await b.until(lambda: screen.rows.empty != "Reading …")
    return screen


async def test_the_present_search_is_saved_and_run_by_its_name_and_narrowed_by_further_words(
    filled: Path,
) -> None:
    async with bench(filled) as b:
        await b.searched("spectral gap tag:theory")
        titles = b.titles()
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.results.has_focus)
        await b.pilot.press("W")
        await b.answer("gaps")
        await b.until(lambda: b.said("Saved the search gaps"))
        (one,) = b.app.context.opening.wait().curation.saved()
        assert (one.name, one.request.query) == ("gaps", "spectral gap tag:theory")
        assert one.request.limit == Request("").limit, "a list as long as the window is no part of it"
        await b.pilot.press("slash", "ctrl+u")
        await b.until(lambda: b.search.result is None)
        await saved(b)
        await b.pilot.press("enter")
        await b.until(lambda: b.search.query_line.value == "@gaps" and b.titles()[:1] == titles[:1])
        await b.until(lambda: "@gaps is spectral gap tag:theory" in b.text())
        assert b.app.context.opening.wait().search_log(1)[0].query == "spectral gap tag:theory"
        b.search.query_line.value = "@gaps tag:graphs Laplacian"
        await b.until(lambda: b.complete("spectral gap tag:theory tag:graphs Laplacian"))


async def test_a_saved_search_is_renamed_and_deleted_and_both_are_undone(filled: Path) -> None:
    with Engine(settings_of(filled)) as engine:
        engine.curation.save_search("gaps", Request("spectral gap"))
        engine.curation.save_search("weekly", Request("after:last-week", mode="keyword"))
    async with bench(filled) as b:
        await b.opened()
        screen = await saved(b)
        assert "@weekly" in b.text()
        assert "keyword" in b.text()
        await b.pilot.press("r")
        await b.answer("@spectra")
        await b.until(lambda: [one.name for one in screen.rows.rows] == ["spectra", "weekly"])
        assert (here := screen.rows.here) is not None
        assert here.name == "spectra", "the cursor stays on it"
        await b.pilot.press("x")
        await b.until(lambda: [one.name for one in screen.rows.rows] == ["weekly"])
        await b.pilot.press("u")
        await b.until(lambda: len(screen.rows.rows) == 2)
        await b.pilot.press("u")
        await b.until(lambda: [one.name for one in screen.rows.rows] == ["gaps", "weekly"])
        await b.pilot.press("r")
        await b.answer("weekly")
        await b.until(lambda: "There is a saved search weekly already." in b.app.context.said[-1].text)
        await b.pilot.press("a")
        await b.until(lambda: "There is no search to save" in b.app.context.said[-1].text)
        await b.pilot.press("escape")
        await b.until(lambda: not isinstance(b.app.screen, SavedScreen))


async def test_the_saved_searches_as_they_look(filled: Path, frame: Callable[[App[None], str], None]) -> None:
    with Engine(settings_of(filled)) as engine:
        engine.curation.save_search("gaps", Request("spectral gap tag:theory after:2024-01-01"))
        engine.curation.save_search(
            "old-ones", Request("[/] -draft in:notes", mode="keyword", superseded=True)
        )
    async with bench(filled) as b:
        await b.opened()
        screen = await saved(b)
        await b.until(lambda: screen.rows.count == 2 and b.text().count("not run yet") == 2)
        frame(b.app, "saved-120x34")


async def test_what_changed_since_it_was_opened_is_counted_and_listed(filled: Path) -> None:
    with Engine(settings_of(filled)) as engine:
        engine.curation.save_search("gaps", Request("spectral gap", expand=False))
        engine.saved_diffs("gaps", seen=True)
        engine.curation.trash(["graphs/lanczos.md"])
    async with bench(filled) as b:
        await b.opened()
        screen = await saved(b)
        await b.until(lambda: "1 went" in b.text())
        await b.until(lambda: screen.changes.rows)
        moves = [row for row in screen.changes.rows if isinstance(row, Move)]
        assert [move.title for move in moves if move.kind == "went"] == ["Lanczos, restarted"]
        await b.pilot.press("enter")
        await b.until(lambda: b.search.query_line.value == "@gaps" and b.search.has_hits)
        engine = b.app.context.opening.wait()
        await b.until(lambda: not engine.saved_diffs("gaps")[0].moves, "the look is noted")
