"""Fuzzing that goes on: thousands of inputs for everything that reads what others write.

`FUZZ_SECONDS=600` sets the time for each target, `FUZZ_SEED` repeats a campaign.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given
from hypothesis.errors import Unsatisfiable

from tests.fuzz import campaign
from tests.fuzz.targets import TARGETS
from tests.http.conftest import NOTES, served
from tests.http.test_openapi import CHECKS
from tests.mcp.conftest import indexed
from tests.soak import figures

FEW = hypothesis.settings(
    max_examples=10,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)

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


def test_a_server_answers_whatever_its_description_allows_or_forbids(tmp_path: Path) -> None:
    """Requests made from the OpenAPI document, to a server in a process of its own."""
    seed = campaign.seed()
    sys.stdout.write(f"\nOpenAPI: FUZZ_SEED={seed}\n")
    passed = figures.begin("Fuzzed inputs: requests made from the OpenAPI document")
    asked = rounds = 0
    seconds = float(os.environ.get("FUZZ_SECONDS", "0"))
    end = time.monotonic() + seconds

    def ask(case: Any) -> None:
        nonlocal asked
        asked += 1
        case.call_and_validate(checks=CHECKS)

    def some(operation: Any, mode: schemathesis.GenerationMode) -> None:
        drawn = given(case=operation.as_strategy(generation_mode=mode))
        FEW(hypothesis.seed(seed + rounds)(drawn(ask)))()

    with served(indexed(tmp_path, NOTES)) as (url, process):
        schema = schemathesis.openapi.from_url(f"{url}/openapi.json")
        found: Iterable[Any] = schema.get_all_operations()
        operations = [one.ok() for one in found]
        while time.monotonic() < end if seconds else asked < campaign.INPUTS:
            rounds += 1
            for operation, mode in product(operations, schemathesis.GenerationMode):
                with suppress(Unsatisfiable):  # a route that takes nothing cannot be asked wrongly
                    some(operation, mode)
            assert process.poll() is None
    passed(f"{asked:,} requests to {len(operations)} routes: each answered as described, none by a fault")
