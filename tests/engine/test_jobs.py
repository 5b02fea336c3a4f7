"""Long work is begun, watched, paused and stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from threading import Event
from time import monotonic, sleep

import pytest

from ark_tui.domain.errors import Busy, Cancelled, NotFound, UsageError
from ark_tui.domain.jobs import Failure, Job, entry_of
from ark_tui.domain.protocols import OnProgress, Stop, check
from ark_tui.domain.work import IndexReport, Progress, Run
from ark_tui.engine import Engine
from ark_tui.engine.cluster import Workers
from ark_tui.engine.jobs import AT_ONCE
from ark_tui.settings import load
from tests.engine.conftest import Place
from tests.support import SteadyClock

PATIENCE = 60  # seconds


def until(found: Callable[[], bool]) -> None:
    end = monotonic() + PATIENCE
    while not found():
        assert monotonic() < end
        sleep(0.02)


def ended(place: Place, job_id: str) -> Job:
    assert place.engine.jobs.get(job_id).over.wait(PATIENCE)
    return place.engine.jobs.show(job_id)


@pytest.fixture
def indexing(place: Place) -> Iterator[Job]:
    """A run of indexing that is under way for as long as nobody stops it."""
    place.write("a.md", "one")
    begun = Event()

    def work(stop: Stop, _: OnProgress) -> None:
        with place.engine.runs.under_way(Run("index", str(place.root)), stop) as wanted:
            begun.set()
            while True:
                check(wanted)
                sleep(0.01)

    job = place.engine.jobs.start("index", work, str(place.root)).job
    assert begun.wait(PATIENCE)
    yield job
    place.engine.jobs.close()


def test_a_job_tells_how_far_it_is_and_what_came_of_it(place: Place) -> None:
    go_on = Event()

    def work(_: Stop, progress: OnProgress) -> IndexReport:
        progress(Progress("read", 3, 7))
        assert go_on.wait(PATIENCE)
        return IndexReport(added=7)

    job = place.engine.jobs.start("index", work).job
    until(lambda: place.engine.jobs.show(job.id).progress == Progress("read", 3, 7))
    go_on.set()
    done = ended(place, job.id)
    assert (done.state, done.result, done.error) == ("done", IndexReport(added=7), None)


def test_a_job_that_fails_says_why_and_a_bug_is_a_sentence(place: Place) -> None:
    def refuse(_: Stop, __: OnProgress) -> None:
        raise UsageError("No.", "Yes.")

    def fault(_: Stop, __: OnProgress) -> None:
        raise ZeroDivisionError

    assert ended(place, place.engine.jobs.start("x", refuse).id).error == Failure("No.", "Yes.")
    error = ended(place, place.engine.jobs.start("x", fault).id).error
    assert error is not None
    assert "ZeroDivisionError" in error.error
    assert "bug" in error.hint


def test_only_so_many_jobs_that_were_asked_for_run_at_once(place: Place) -> None:
    over = Event()

    def work(_: Stop, __: OnProgress) -> None:
        assert over.wait(PATIENCE)

    for _ in range(AT_ONCE):
        place.engine.jobs.start("x", work)
    with pytest.raises(Busy):
        place.engine.jobs.start("x", work)
    own = place.engine.jobs.start("x", work, own=True)
    over.set()
    until(lambda: own.state == "done")
    until(lambda: own.id not in {job.id for job in place.engine.jobs.all()})  # it found nothing to do


def test_a_cancelled_job_is_given_up_and_a_closed_one_goes_on_later(place: Place, indexing: Job) -> None:
    place.engine.jobs.cancel(indexing.id)
    assert ended(place, indexing.id).state == "cancelled"
    assert place.engine.runs.unfinished() == ()


def test_a_call_that_waits_for_its_turn_is_given_up_with_whoever_asked_for_it(
    place: Place, indexing: Job
) -> None:
    gone = Event()
    gone.set()
    with pytest.raises(Cancelled, match="was removed from the list"):
        place.engine.jobs.call("index", lambda _, __: None, stop=gone)
    assert place.engine.jobs.show(indexing.id).state == "running"


def test_what_is_stopped_by_the_end_of_its_process_is_cut_off(place: Place, indexing: Job) -> None:
    place.engine.jobs.close()
    assert ended(place, indexing.id).state == "cancelled"
    with Engine(load(place.engine.settings.home.path, environ={}), SteadyClock()) as other:
        (job,) = other.jobs.all()
    assert (job.kind, job.state, job.what) == ("index", "cut off", str(place.root))


def test_a_paused_job_rests_until_it_is_resumed(place: Place, indexing: Job) -> None:
    jobs = place.engine.jobs
    jobs.pause(indexing.id)
    until(lambda: [job.state for job in jobs.all()] == ["paused"])
    (job,) = jobs.all()
    assert jobs.resume(job.id).state == "cut off"
    with pytest.raises(UsageError):
        jobs.resume(job.id)


def test_a_job_of_several_folders_rests_and_goes_on_as_a_whole_by_the_id_it_was_begun_with(
    place: Place,
) -> None:
    runs = [Run("index", str(place.root / name)) for name in ("a", "b")]
    begun = Event()

    def work(stop: Stop, _: OnProgress) -> None:
        with ExitStack() as under_way:
            for run in runs:  # as indexing does
                stop = under_way.enter_context(place.engine.runs.under_way(run, stop))
            begun.set()
            while True:
                check(stop)
                sleep(0.01)

    job = place.engine.jobs.start("index", work)
    assert begun.wait(PATIENCE)
    place.engine.jobs.pause(job.id)
    assert job.over.wait(PATIENCE)
    assert {run.paused for run in place.engine.runs.unfinished()} == {True}
    assert place.engine.jobs.show(job.id).state == "paused"
    assert place.engine.jobs.resume(job.id).state == "cut off"
    assert {*place.engine.runs.unfinished()} == {*runs}
    place.engine.jobs.cancel(job.id)
    assert place.engine.runs.unfinished() == ()


def test_a_stored_run_goes_on_with_all_that_was_asked_for(place: Place) -> None:
    place.write("a.md", "one")
    entry = entry_of(Run("index", str(place.root), "notes", ("kept",)))
    place.engine.carry_out(entry, Event(), lambda _: None)
    document = place.engine.document("a.md")
    assert (document.collection, document.tags) == ("notes", ("kept",))


@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: the extra `cluster`")
def test_what_was_cut_off_at_workers_goes_on_with_workers(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("a.md", "one")
    asked: list[str] = []

    def entered(self: Workers) -> Workers:
        asked.append(self._address.on)
        return self

    monkeypatch.setattr(Workers, "__enter__", entered)
    stop = Event()
    with pytest.raises(Cancelled):
        place.index(on="local:2", stop=stop, progress=lambda _: stop.set())
    (run,) = place.engine.runs.unfinished()
    place.index()  # nothing is left for workers: none is begun
    report = place.engine.carry_out(entry_of(run), Event(), lambda _: None)
    assert isinstance(report, IndexReport)
    assert (asked, report.unchanged, report.notices) == (["local:2"] * 2, 1, ())


@pytest.mark.parametrize("on", ["ray://127.0.0.1:1", "nonsense"])
def test_where_its_cluster_is_away_a_job_goes_on_without_and_says_so(place: Place, on: str) -> None:
    place.write("a.md", "one")
    entry = entry_of(Run("index", str(place.root), tags=("kept",), on=on))
    report = place.engine.carry_out(entry, Event(), lambda _: None)
    assert isinstance(report, IndexReport)
    assert report.added == 1
    assert report.notices[0].endswith("The files were read without workers.")
    assert place.engine.document("a.md").tags == ("kept",)
    assert place.engine.runs.unfinished() == ()


def test_a_job_that_is_not_there_is_one_sentence(place: Place) -> None:
    for ask in (place.engine.jobs.show, place.engine.jobs.cancel, place.engine.jobs.pause):
        with pytest.raises(NotFound):
            ask("nothing")


@pytest.fixture
def background(place: Place) -> Iterator[list[str]]:
    """The home is looked after; what a person was told."""
    said: list[str] = []
    place.write("a.md", "one")
    place.index()
    looking = place.engine.background
    looking.start(said.append)
    yield said
    looking.close()
    place.engine.jobs.close()


def documents(place: Place) -> int:
    return place.engine.status().documents


@pytest.mark.usefixtures("background")
def test_what_is_saved_is_taken_up_and_watching_is_a_job(place: Place) -> None:
    until(lambda: "watch" in {job.kind for job in place.engine.jobs.all()})
    place.write("b.md", "two", fresh=True)
    until(lambda: documents(place) == 2)
    (place.root / "a.md").unlink()
    until(lambda: documents(place) == 1)


@pytest.mark.usefixtures("background")
def test_a_folder_that_is_indexed_is_watched_from_then_on(place: Place, tmp_path: Path) -> None:
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "c.md").write_text("three")
    place.engine.index([folder])
    until(lambda: documents(place) == 2)
    until(lambda: any(job.progress == Progress("watch", 2, 2) for job in place.engine.jobs.all()))
    (folder / "d.md").write_text("four")
    until(lambda: documents(place) == 3)


def test_what_was_cut_off_goes_on_and_what_rests_does_not(place: Place) -> None:
    place.write("a.md", "one")
    run = Run("index", str(place.root), tags=("kept",))
    place.engine.runs.pause(run)
    looking = place.engine.background
    looking.start(watch=False)
    try:
        until(lambda: [job.state for job in place.engine.jobs.all()] == ["paused"])
        assert documents(place) == 0
        (job,) = place.engine.jobs.all()
        place.engine.jobs.resume(job.id)
        until(lambda: documents(place) == 1)
        until(lambda: place.engine.runs.unfinished() == ())
        assert place.engine.document("a.md").tags == ("kept",)
    finally:
        looking.close()


def test_a_folder_whose_disk_is_away_keeps_its_documents_and_a_person_is_told(
    place: Place, background: list[str]
) -> None:
    until(lambda: "watch" in {job.kind for job in place.engine.jobs.all()})
    place.root.rename(place.root.with_name("away"))
    place.root.mkdir()
    until(lambda: len(background) == 1)
    assert "stay searchable" in background[0]
    assert documents(place) == 1
