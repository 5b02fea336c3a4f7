"""Long work is the same for whoever asks: on the command line, over HTTP, in the workbench."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from ark_tui import operations, settings
from ark_tui.domain.jobs import Embedded, Job, JobResult, entry_of
from ark_tui.domain.work import IndexReport, Run
from ark_tui.engine import Engine
from ark_tui.interfaces.tui.state.client import Client, Opening
from ark_tui.operations.operation import answer
from ark_tui.store import files
from tests.http.conftest import app_at
from tests.operations.interfaces import CATALOG, Command, Direct, Route


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home where indexing rests, and analysing was cut off."""
    with Engine(settings.load(tmp_path / "home")) as engine:
        engine.runs.pause(Run("index", "/somewhere/notes"))
        engine.runs.go_on(Run("analyse"))
    return tmp_path / "home"


def test_all_interfaces_list_show_and_steer_the_same_jobs(home: Path) -> None:
    told: list[Any] = []
    with ExitStack() as opened:
        asked = [opened.enter_context(closing(kind(home))) for kind in (Direct, Command, Route)]
        for one in asked:
            jobs = one.ask(CATALOG.get("jobs list"), {}).json
            told.append(jobs if isinstance(jobs, list) else jobs["jobs"])
        assert told[1:] == told[:1] * 2
        states = {job["kind"]: (job["state"], job["what"]) for job in told[0]}
        assert states == {"index": ("paused", "/somewhere/notes"), "analyse": ("cut off", "")}
        id_ = next(job["job_id"] for job in told[0] if job["kind"] == "index")
        for verb, state in (("resume", "cut off"), ("pause", "paused")):
            for one in asked:
                assert one.ask(CATALOG.get(f"jobs {verb}"), {"id": id_}).json["state"] == state
                other = "pause" if verb == "resume" else "resume"
                one.ask(CATALOG.get(f"jobs {other}"), {"id": id_})
            asked[0].ask(CATALOG.get(f"jobs {verb}"), {"id": id_})
        asked[0].ask(CATALOG.get("jobs cancel"), {"id": id_})
        assert [job["kind"] for job in asked[0].ask(CATALOG.get("jobs list"), {}).json["jobs"]] == ["analyse"]


def test_the_workbench_takes_up_the_same_jobs(home: Path) -> None:
    """Its rows are made of the runs that the list of jobs has."""
    with Engine(settings.load(home)) as engine:
        listed = {(job.kind, job.what, job.state == "paused") for job in engine.jobs.all()}
        rows = [entry_of(run) for run in engine.runs.unfinished()]
    assert {(row.kind, str(row.folder or ""), row.state == "paused") for row in rows} == listed


MANY = 1500
PATIENCE = 60  # seconds


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two folders with so many notes that reading them can be interrupted."""
    root = tmp_path_factory.mktemp("many")
    for name in ("first", "second"):
        (root / name).mkdir()
        for number in range(MANY):
            text = f"# Note {number}\n\n" + f"{name}{number} and more text. " * 60
            (root / name / f"{number}.md").write_text(text)
    return root


@pytest.fixture
def elsewhere(tmp_path: Path, many: Path) -> Iterator[Engine]:
    """Another process at a home that follows both folders and has not read them yet."""
    with Engine(settings.load(tmp_path / "shared")) as engine:
        with engine._parts.store.write() as lease:
            for folder in sorted(many.iterdir()):
                files.claim(lease, str(folder))
        yield engine


Begins = Callable[[ExitStack, Path, list[Path]], Engine | None]
"""Begins to index folders of a home; the engine that does so, where it is in this process."""


def by_client(stack: ExitStack, home: Path, folders: list[Path]) -> Engine | None:
    """As the workbench does."""
    opening = Opening(settings.load(home))
    opening.open()
    engine: Engine = opening.wait()
    stack.callback(opening.close)
    for folder in folders:
        Client(opening).call(operations.workbench.order, "index", folder, "", "")
    return engine


def by_route(stack: ExitStack, home: Path, folders: list[Path]) -> Engine | None:
    route = stack.enter_context(closing(Route(home)))
    app = app_at(route._state)

    async def post() -> None:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:7070") as client:
            for folder in folders:
                begun = await client.post("/index", json={"collections": [folder.name]})
                assert begun.status_code == 202

    asyncio.run(post())
    return route.engine


def by_command(stack: ExitStack, home: Path, folders: list[Path]) -> Engine | None:
    line = [sys.executable, "-m", "ark_tui", "--home", str(home), "index", str(folders[0])]
    stack.enter_context(subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    return None


def until(found: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not found():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("begin", [by_client, by_route, by_command])
def test_whichever_interface_began_a_job_it_has_its_lane_and_is_paused_resumed_and_cancelled_from_elsewhere(
    elsewhere: Engine, many: Path, begin: Begins
) -> None:
    home, folders, jobs = elsewhere.settings.home.path, sorted(many.iterdir()), elsewhere.jobs

    def states() -> dict[str, str]:
        return {Path(job.what).name: job.state for job in jobs.all()}

    with ExitStack() as stack:
        here = begin(stack, home, folders)
        until(lambda: states() == {"first": "running"})
        if here is not None:
            assert sorted(job.state for job in here.jobs.live) == ["running", "waiting"], "one of a lane"
        first = next(job.id for job in jobs.all())
        jobs.pause(first)
        until(lambda: states().get("first") == "paused")
        if here is not None:
            until(lambda: states() == {"first": "paused", "second": "running"})
            jobs.cancel(next(job.id for job in jobs.all() if job.what.endswith("second")))
            until(lambda: states() == {"first": "paused"})
            until(lambda: not here.jobs.busy("files"))
        jobs.resume(first)
        elsewhere.background.start(watch=False)  # as a server that is open at the home
        until(lambda: states().get("first") == "running")
        jobs.cancel(first)
        until(lambda: "running" not in states().values())
    assert elsewhere.runs.unfinished() == (), "nobody goes on with what was given up"
    assert elsewhere.status().documents < 2 * MANY, "nor did anybody"


def test_what_came_of_a_job_is_told_as_the_work_itself_would() -> None:
    report = IndexReport(added=7, skipped=2, notices=("Slow.",))
    assert answered(Embedded(3)) == {"changes": 3}
    assert answered(report)["added"] == 7


def answered(result: JobResult) -> Any:
    """What `jobs show` has for a result."""
    return answer(CATALOG.get("jobs show"), Job("1", "index", "done", result=result))["result"]
