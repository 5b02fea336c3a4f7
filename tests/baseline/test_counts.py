"""The regression guard: what commands do is counted, and compared with what they are kept to do."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from benchmarks import quick

KEPT: dict[str, Any] = tomllib.loads(quick.KEPT.read_text("utf-8"))


def counted() -> dict[str, quick.Counts]:
    return {step.name: dict(KEPT[step.name]) for step in quick.steps(Path())}


def test_every_command_is_kept_with_what_it_imports_and_calls() -> None:
    assert all(one["modules"] > 100 and one["Python calls"] > 10_000 for one in counted().values())
    assert KEPT["cold index"]["home, bytes a chunk"] > 0


def test_what_is_as_it_was_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert quick._compared(counted(), KEPT | {"machine": quick.MACHINE}) == 0
    assert "do what they are kept to do" in capsys.readouterr().out


def test_one_more_module_and_a_tenth_more_calls_fail_and_are_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = counted()
    found["status"]["modules"] += 1
    found["keyword search"]["Python calls"] *= 2
    found["default search"]["files of another library"] = 5
    assert quick._compared(found, KEPT | {"machine": quick.MACHINE}) == 1
    grown = [line.split("  ")[1:3] for line in capsys.readouterr().out.splitlines() if "MORE" in line]
    assert [step.strip() for step, *_ in grown] == ["keyword search", "default search", "status"]


def test_what_shrank_asks_to_be_kept(capsys: pytest.CaptureFixture[str]) -> None:
    found = counted()
    found["cold index"]["notes opened"] //= 2
    assert quick._compared(found, KEPT | {"machine": quick.MACHINE}) == 1
    assert "RENEW=1" in capsys.readouterr().out


def test_another_version_of_python_is_not_compared() -> None:
    assert quick._compared({}, KEPT | {"machine": "Plan 9, Python 2.7"}) == 0
