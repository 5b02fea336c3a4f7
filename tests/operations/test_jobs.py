"""Long work is the same for whoever asks: on the command line, over HTTP, in the workbench."""

from __future__ import annotations

from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from ark_tui import settings
from ark_tui.domain.jobs import Embedded, Job, JobResult, entry_of
from ark_tui.domain.work import IndexReport, Run
from ark_tui.engine import Engine
from ark_tui.operations.operation import answer
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


def test_what_came_of_a_job_is_told_as_the_work_itself_would() -> None:
    report = IndexReport(added=7, skipped=2, notices=("Slow.",))
    assert answered(Embedded(3)) == {"changes": 3}
    assert answered(report)["added"] == 7


def answered(result: JobResult) -> Any:
    """What `jobs show` has for a result."""
    return answer(CATALOG.get("jobs show"), Job("1", "index", "done", result=result))["result"]
