"""Long work in rows: paused, continued, given up, taken up again; jobs of other processes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ark_tui.domain.jobs import JobEntry
from ark_tui.domain.work import Run
from ark_tui.engine.runs import Runs
from ark_tui.interfaces.tui.state.client import Opening
from ark_tui.operations.workbench import Going, News
from ark_tui.settings import Home
from ark_tui.store import Store
from tests.support import SteadyClock
from tests.tui.bench import Bench, bench, settings_of

MANY = 350


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """So many notes that reading them can be interrupted."""
    return written(tmp_path_factory.mktemp("work") / "many", MANY)


def written(folder: Path, count: int) -> Path:
    """A folder of notes."""
    folder.mkdir()
    for number in range(count):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\n" + f"word{number} and more text. " * 30)
    return folder


def job(b: Bench, subject: Path | str) -> JobEntry | None:
    return b.jobs.find(str(subject))


async def reading(b: Bench, folder: Path) -> None:
    """Wait until a folder is being read, or what was read is being taken up."""

    def so_far() -> bool:
        one = job(b, folder)
        return bool(one and one.progress and one.progress.stage != "scan" and one.progress.done)

    await b.until(so_far, "the reading")


def runs_of(home: Path) -> Runs:
    """What the store remembers of long work."""
    return Runs(Store(Home(home), SteadyClock()))


async def rested(b: Bench, folder: Path) -> JobEntry:
    """Index a folder, and let the work rest in its middle."""
    b.workbench.index(folder)
    await reading(b, folder)
    await b.pilot.press("f9")
    one = job(b, folder)
    assert one is not None
    await b.until(lambda: one.state == "paused", "the pause")
    return one


async def test_work_rests_and_holds_nothing_then_goes_on_where_it_stopped(home: Path, many: Path) -> None:
    async with bench(home) as b:
        await b.opened()
        await rested(b, many)
        await b.until(lambda: "Indexing many  paused" in b.text())
        assert "F9 resume  F8 stop" in b.text()
        assert not b.app.context.opening.home().engine.runs.busy(), "no thread is at it"
        b.app.context.opening.home().engine.ingest_text("written while it rests")
        await b.pilot.press("alt+2")
        await b.until(lambda: b.workbench.panes.current == "library")
        assert "Indexing many  paused" in b.text(), "the row survives another pane"
        await b.pilot.press("f9")
        await b.until(lambda: job(b, many) is None, "the end")
        status = b.app.context.opening.home().engine.status()
        assert status.documents == MANY + 1
        assert b.app.context.opening.home().engine.runs.unfinished() == ()


async def test_what_is_paused_is_offered_by_the_next_workbench_and_what_was_cut_off_goes_on(
    home: Path, many: Path, notes: Path
) -> None:
    async with bench(home) as b:
        await b.opened()
        b.workbench.index(many)
        await reading(b, many)
        await b.pilot.press("f9")
        b.workbench.index(notes)
        await b.until(lambda: (one := job(b, many)) and one.state == "paused")
    runs_of(home).pause(Run("analyse"))
    async with bench(home) as b:
        await b.opened()
        await b.until(lambda: "Indexing many  paused" in b.text())
        assert job(b, "analyse") is not None
        await b.until(lambda: job(b, notes) is None, "the one that was under way")
        b.workbench.index(many)
        await reading(b, many)
    async with bench(home) as b:
        await b.opened()
        engine = b.app.context.opening.home().engine
        await b.until(lambda: engine.status().documents == MANY + 6, "what the exit cut off")
        await b.until(lambda: job(b, many) is None, "its end")


def test_a_job_that_failed_is_told_also_when_it_is_tried_again_at_once(home: Path) -> None:
    opening = Opening(settings_of(home))
    failed = Going("1", "embed", "", "", "", "failed", True, True, "", None, None, 0, 0, 0, "Refused.")
    opening._learn(News(jobs=(replace(failed, state="waiting", problem=""),), ended=(failed,)))
    assert [(entry.id, error.what) for entry, _, error in opening.ended() if error] == [("1", "Refused.")]
    assert opening.ended() == ()
