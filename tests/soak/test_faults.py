"""Every call that writes, of every operation: killed there once, and failed there once.

That are 4,000 trials of a second or two each. `FAULT_MINUTES=40` ends after some, which are a spread of all;
`FAULT_FOLDER=…` keeps them there, and goes on with the others the next time.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.faults.campaign import Trial
from tests.faults.harness import campaign
from tests.faults.operations import OPERATIONS
from tests.faults.shim import DEADLY, Kind
from tests.soak.figures import begin

pytestmark = pytest.mark.soak

NAMES = ", ".join(operation.name for operation in OPERATIONS)
FAILING = [kind for kind in Kind if kind and kind not in DEADLY]


def tried(folder: Path, kinds: list[Kind]) -> list[Trial]:
    """The trials that hit their call; each must have gone right."""
    folder = Path(os.environ.get("FAULT_FOLDER", folder)) / kinds[0].name
    given = ["--kinds", ",".join(kind.name for kind in kinds)]
    given += ["--minutes", os.environ.get("FAULT_MINUTES", "inf")]
    trials = [trial for trial in campaign(folder, given, processes=2) if trial.hit]
    wrong = [trial for trial in trials if trial.wrong]
    assert not wrong, "\n".join(f"{one.operation} {one.kind} {one.call}: {one.wrong}" for one in wrong)
    assert {trial.operation for trial in trials} == {operation.name for operation in OPERATIONS}
    return trials


def test_a_kill_at_a_call_that_writes_loses_nothing_and_leaves_nothing_half_done(tmp_path: Path) -> None:
    passed = begin(f"Killed at the calls that write below the home: {NAMES}")
    trials = tried(tmp_path, sorted(DEADLY))
    assert len(trials) >= 1000 or "FAULT_MINUTES" in os.environ
    cut = sum(trial.kind == Kind.CUT.name for trial in trials)
    passed(f"{len(trials):,} kills, {cut:,} of them power cuts: none lost, half-done or resurrected")


def test_a_call_that_fails_is_answered_truly(tmp_path: Path) -> None:
    passed = begin(f"Failed at the calls that write below the home: {NAMES}")
    trials = tried(tmp_path, FAILING)
    refused = sum(trial.answer == "refused" for trial in trials)
    passed(f"{len(trials):,} failed calls, {refused:,} of them refusals: no untrue answer")
