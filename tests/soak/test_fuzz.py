"""Fuzzing that goes on: thousands of inputs for everything that reads what others write.

`FUZZ_SECONDS=600` sets the time for each target, `FUZZ_SEED` repeats a campaign.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.fuzz import campaign
from tests.fuzz.targets import TARGETS
from tests.soak import figures

pytestmark = pytest.mark.soak


@pytest.mark.parametrize("target", TARGETS)
def test_no_input_crashes_hangs_or_holds_a_parser_up(target: str, tmp_path: Path) -> None:
    seed = campaign.seed()
    sys.stdout.write(f"\n{target}: FUZZ_SEED={seed}\n")
    passed = figures.begin(f"Fuzzed inputs: {target}")
    result = campaign.run(target, tmp_path, seed)
    said = "\n\n".join(f"{path}\n{fault}" for path, fault in result.findings)
    assert not result.findings, f"FUZZ_SEED={seed}; kept as\n{said}"
    passed(f"{result.tried:,} inputs: 0 crashes, 0 faults, the slowest {result.slowest:.2f} s")
