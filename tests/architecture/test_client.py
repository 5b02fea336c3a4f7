"""The workbench asks operations by its client, and reaches for the engine nowhere else."""

from __future__ import annotations

import ast
from pathlib import Path

import ark_tui

WORKBENCH = Path(ark_tui.__file__).parent / "interfaces" / "tui"

MAY = {"state/client.py"}
"""What asks operations of the home, with what stands there for an engine."""

REACHES = {"engine", "wait"}
"""Attributes of a `Call` and of the opening that are the engine."""


def reached(file: Path) -> list[str]:
    """Where a file takes the engine from a `Call` or from the opening."""
    tree = ast.parse(file.read_text("utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in REACHES]
    return [
        f"{file.name}:{node.lineno}"
        for node in found
        if node.attr == "engine" or ast.unparse(node.value).endswith("opening")
    ]


def test_no_part_of_the_workbench_takes_the_engine() -> None:
    files = [file for file in WORKBENCH.rglob("*.py") if str(file.relative_to(WORKBENCH)) not in MAY]
    assert len(files) > 80
    assert [place for file in files for place in reached(file)] == []
    assert reached(WORKBENCH / "state" / "client.py"), "what is looked for is found where it may be"
