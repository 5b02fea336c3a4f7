"""What the workbench is told of jobs that other processes run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ark_tui.domain.errors import ArkError
from ark_tui.domain.jobs import JobEntry, JobResult
from ark_tui.interfaces.tui.state.client import Opening
from ark_tui.operations.workbench import Going, News
from tests.tui.bench import settings_of


def test_a_job_that_failed_is_told_also_when_it_is_tried_again_at_once(home: Path) -> None:
    heard: list[tuple[str, str]] = []

    class Hears:
        def moved(self) -> None: ...

        def noticed(self, notice: str) -> None: ...

        def ended(self, entry: JobEntry, _: JobResult | None, error: ArkError | None) -> None:
            heard.append((entry.id, error.what if error else ""))

    opening = Opening(settings_of(home))
    opening._listener = Hears()
    failed = Going("1", "embed", "", "", "", "failed", True, True, "", None, None, 0, 0, 0, "Refused.")
    opening._learn(News(jobs=(replace(failed, state="waiting", problem=""),), ended=(failed,)))
    assert heard == [("1", "Refused.")]
