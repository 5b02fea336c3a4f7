"""Indexing in a child process; and the home that is new, empty or broken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from textual.app import App

from ark_tui.domain.jobs import JobEntry
from ark_tui.domain.work import Progress
from ark_tui.engine import Engine
from ark_tui.interfaces.tui.panes.library import LibraryPane
from ark_tui.interfaces.tui.screens.picking import PickScreen
from ark_tui.settings import Home
from ark_tui.store import Store
from tests.support import SteadyClock
from tests.tui.bench import Bench, bench, settings_of


async def test_a_chosen_folder_is_indexed_with_progress_and_can_be_searched(
    home: Path, notes: Path, tmp_path: Path
) -> None:
    async with bench(home) as b:
        await b.opened()
        assert "Nothing here yet" in b.text()
        await b.pilot.press("f2")
        screen = await b.shown(PickScreen)
        screen.line.value = str(tmp_path / "nowhere")
        await b.pilot.press("enter")
        await b.until(lambda: "There is no such folder" in b.text())
        screen.line.value = str(notes)
        await b.pilot.press("enter")
        await b.until(lambda: "Indexing notes" in b.text(), "the row of progress")
        assert "F8 stop" in b.text()
        await b.until(lambda: b.said("notes: 6 files added, 1 skipped."))
        await b.until(lambda: "6 docs" in b.lines()[0])
        assert b.search.query_line.has_focus, "there is something to search for"
        assert not b.workbench.work_rows.display
        await b.searched("spectral gap")
        await b.pilot.press("alt+2")
        await b.until(lambda: b.workbench.panes.current == "library")
        library = b.workbench.query_one(LibraryPane)
        await b.until(lambda: library.collections.has_focus)
        await b.pilot.press("right", "right")
        await b.until(lambda: "picture.bin" in b.text() and "binary" in b.text())
        await b.pilot.press("left", "left")
        await b.until(lambda: library.collections.has_focus)
        said = len(b.app.context.said)
        await b.pilot.press("R")
        await b.until(lambda: len(b.app.context.said) > said, "the end of reading again")
        assert b.app.context.said[-1].text.startswith("notes: 1 file skipped.")
        assert not b.jobs.busy("files")
        await b.pilot.press("i")
        await b.until(lambda: b.search.query_line.value.startswith("in:notes "))


async def test_while_half_an_index_is_there_the_hits_say_so_and_that_they_may_move_until_it_is_whole(
    filled: Path,
) -> None:
    async with bench(filled) as b:
        await b.listed("spectral gap")
        score = f"{b.hits.results.hits[0].score:.3f}"
        assert f"  {score}" in b.text()
        job = JobEntry("index", Path("/notes"), state="running")
        b.jobs._add(job)
        job.begin()
        job.move(Progress("read", 412, 1_925))
        job._stage_begun -= 10
        await b.until(lambda: "─ Indexing: 412 of 1,925 files, 37 s left" in b.text())
        assert f" ~{score}" in b.text()
        job.move(Progress("words", 50, 200))
        await b.until(lambda: "Indexing: 50 of 200 passages" in b.text())
        job.state = "done"
        await b.until(lambda: "Indexing: 412" not in b.text())
        assert f"  {score}" in b.text()


async def test_a_home_that_cannot_be_opened_says_why_and_opens_once_it_can(filled: Path) -> None:
    store = filled / "ark.duckdb"
    whole = store.read_bytes()
    store.write_bytes(b"this is no database" * 1000)
    async with bench(filled) as b:
        await b.until(lambda: b.app.context.said, "an error")
        await b.until(lambda: "F5   try again" in b.text(), "the way out")
        assert "F4   all messages" in b.text()
        store.write_bytes(whole)
        await b.pilot.press("f5")
        await b.opened()
        await b.searched("spectral gap")


Frame = Callable[[App[None], str], None]


def said(b: Bench) -> str:
    return "\n".join(one.text for one in b.app.context.said)


def flat(b: Bench) -> str:
    """What is on the screen, as one line."""
    return " ".join(b.text().split())


# -- new ---------------------------------------------------------------------------------------------


async def test_a_new_home_explains_itself(home: Path, frame: Frame) -> None:
    async with bench(home) as b:
        await b.opened()
        assert "Nothing here yet" in b.text()
        assert "F2 index a folder of your own notes" in flat(b)
        assert "F3 index the sample notes" in flat(b)
        frame(b.app, "first-start-120x34")


# -- old and newer -----------------------------------------------------------------------------------


async def test_a_home_of_another_version_is_left_as_it_is_and_says_what_to_do(filled: Path) -> None:
    store = Store(Home(filled), SteadyClock())
    with store.write() as lease:
        lease.run("UPDATE ark.meta SET value = '999' WHERE key = 'schema'")
    store.close()
    before = Home(filled).store.read_bytes()
    async with bench(filled) as b:
        await b.until(lambda: "another version of ark-tui (schema 999" in flat(b), "the sentence")
        assert "export-curation" in flat(b)
        assert "F5 try again" in flat(b)
    assert Home(filled).store.read_bytes() == before


# -- shut and damaged --------------------------------------------------------------------------------


async def test_a_damaged_store_is_said_with_the_copy_to_bring_back(filled: Path) -> None:
    with Engine(settings_of(filled)) as engine:
        copy = engine.backup()
    Home(filled).store.write_bytes(b"this is no database" * 1000)
    async with bench(filled, (120, 34)) as b:
        await b.until(lambda: "is damaged" in flat(b), "the sentence")
        assert f"ark-tui restore {copy}" in said(b)
        assert "F10 check the home and repair it" in flat(b)
