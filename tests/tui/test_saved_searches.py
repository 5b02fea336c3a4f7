"""Saved searches, and a session that is as it was left."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.app import App

from ark_tui.curation import edits
from ark_tui.curation.saved import save as save_search
from ark_tui.domain.query import Request
from ark_tui.engine import Engine, searches
from ark_tui.interfaces.tui.screens.picking import PickScreen
from ark_tui.interfaces.tui.state import session
from ark_tui.interfaces.tui.state.session import Choices, Draft, Session
from tests.tui.bench import Bench, bench, settings_of


async def saved(b: Bench, key: str = "ctrl+n") -> PickScreen:
    await b.pilot.press(key)
    screen = await b.shown(PickScreen)
    await b.until(lambda: any(one.state for one in screen.choices.rows), "what changed")
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
        (one,) = b.app.context.opening.home().engine.curation.saved()
        assert (one.name, one.request.query) == ("gaps", "spectral gap tag:theory")
        assert one.request.limit == Request("").limit, "a list as long as the window is no part of it"
        await b.pilot.press("slash", "ctrl+u")
        await b.until(lambda: b.search.result is None)
        await saved(b)
        await b.pilot.press("enter")
        await b.until(lambda: b.search.query_line.value == "@gaps" and b.titles()[:1] == titles[:1])
        await b.until(lambda: "@gaps is spectral gap tag:theory" in b.text())
        assert searches.latest(b.app.context.opening.home().engine, 1)[0].query == "spectral gap tag:theory"
        b.search.query_line.value = "@gaps tag:graphs Laplacian"
        await b.until(lambda: b.complete("spectral gap tag:theory tag:graphs Laplacian"))


async def test_a_saved_search_is_renamed_and_deleted_and_both_are_undone(filled: Path) -> None:
    with Engine(settings_of(filled)) as engine:
        engine.curation.edit(save_search, "gaps", Request("spectral gap"))
        engine.curation.edit(save_search, "weekly", Request("after:last-week", mode="keyword"))
    async with bench(filled) as b:
        await b.listed("spectral gap")
        curation = b.app.context.opening.home().engine.curation

        async def become(*names: str) -> None:
            await b.until(lambda: [one.name for one in curation.saved()] == [*names], f"{names}")

        await saved(b, "R")
        await b.answer("gaps")
        await b.pilot.press("r")
        await b.answer("@spectra")
        await become("spectra", "weekly")
        await saved(b, "R")
        await b.answer("spectra")
        await b.pilot.press("x")
        await become("weekly")
        await b.pilot.press("u")
        await become("spectra", "weekly")
        await b.pilot.press("u")
        await become("gaps", "weekly")


async def test_saved_searches_say_what_changed_since_they_were_run(
    filled: Path, frame: Callable[[App[None], str], None]
) -> None:
    with Engine(settings_of(filled)) as engine:
        engine.curation.edit(save_search, "gaps", Request("spectral gap", expand=False))
        searches.saved_diffs(engine, "gaps", seen=True)
        engine.curation.edit(edits.trash, ["graphs/lanczos.md"])
        engine.curation.edit(
            save_search, "old-ones", Request("[/] -draft in:notes", mode="keyword", superseded=True)
        )
    async with bench(filled) as b:
        await b.opened()
        await saved(b)
        await b.until(lambda: "went Lanczos, restarted" in b.text())
        assert "1 went" in b.text()
        assert "not run yet" in b.text()
        frame(b.app, "saved-120x34")
        await b.pilot.press("enter")
        await b.until(lambda: b.search.query_line.value == "@gaps" and b.search.has_hits)
        engine = b.app.context.opening.home().engine
        await b.until(lambda: not searches.saved_diffs(engine, "gaps")[0].moves, "the look is noted")


LEFT = Session("library", "gap tag:x", typing=False, superseded=True, document="ab")


async def quit_(b: Bench) -> None:
    await b.pilot.press("ctrl+q")
    await b.pilot.pause()


async def test_query_document_and_pane_come_back(filled: Path) -> None:
    async with bench(filled) as b:
        await b.listed("spectral gap")
        await b.pilot.press("j", "s")
        await b.until(lambda: b.complete("spectral gap"))
        second = b.hits.results.hit
        assert second is not None
        await b.pilot.press("2")
        await b.until(lambda: b.workbench.panes.current == "library")
        await quit_(b)
    async with bench(filled) as b:
        await b.until(lambda: b.workbench.panes.current == "library", "the library")
        await b.until(lambda: b.complete("spectral gap"), "the hits")
        assert b.hits.results.hit is not None
        assert b.hits.results.hit.document.id == second.document.id
        assert b.search.asking.superseded


async def test_coming_back_leaves_no_trace_in_the_log_of_searches(filled: Path) -> None:
    session.save(filled, Session(query="spectral gap", typing=False))
    async with bench(filled) as b:
        await b.until(lambda: b.complete("spectral gap"), "the hits")
    with Engine(settings_of(filled)) as engine:
        assert searches.latest(engine) == ()


BROKEN = ("", "{", "[]", "\x00", "[" * 100_000, '{"pane": 3, "theme": 3, "title": 3}')


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
@pytest.mark.parametrize("kind", [Session, Choices, Draft])
def test_a_damaged_file_is_said_and_counts_for_nothing(tmp_path: Path, kind: type[Draft], text: str) -> None:
    path = tmp_path / session.FILES[kind][0]
    path.write_text(text)
    assert session.load(tmp_path, kind) == (kind(), f"{path} is damaged. It is ignored and written anew.")


@pytest.mark.parametrize("kept", [LEFT, Choices("nord", "2", "why"), Draft("", "half a thought")])
def test_what_is_kept_is_what_comes_back_and_only_its_owner_reads_it(home: Path, kept: Draft) -> None:
    home.mkdir()
    session.save(home, kept)
    assert session.load(home, type(kept)) == (kept, "")
    (file,) = home.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
