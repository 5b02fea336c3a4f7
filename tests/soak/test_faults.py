"""Every call that writes, of every operation: killed there once, and failed there once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.harness import campaign
from tests.faults.operations import OPERATIONS
from tests.faults.shim import DEADLY, Kind
from tests.soak.figures import begin

pytestmark = pytest.mark.soak


def test_every_call_of_every_operation_killed_and_failed(tmp_path: Path) -> None:
    names = ", ".join(operation.name for operation in OPERATIONS)
    passed = begin(f"Killed, and failed, at every call that writes below the home: {names}")
    trials = [trial for trial in campaign(tmp_path, (), processes=2) if trial.hit]
    kills = [trial for trial in trials if Kind[trial.kind] in DEADLY]
    refused = sum(trial.answer == "refused" for trial in trials)
    wrong = [trial for trial in trials if trial.wrong]
    assert not wrong, "\n".join(f"{one.operation} {one.kind} {one.call}: {one.wrong}" for one in wrong)
    assert len(kills) >= 1000
    passed(
        f"{len(kills):,} kills, a third of them power cuts: none lost, half-done or resurrected; "
        f"{len(trials) - len(kills):,} failed calls, {refused:,} of them refusals: no untrue answer"
    )
