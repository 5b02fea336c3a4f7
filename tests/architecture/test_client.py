"""The workbench asks operations by its client, and reaches for the engine nowhere else."""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

import ark_tui
from ark_tui.operations.operation import operation_of

WORKBENCH = Path(ark_tui.__file__).parent / "interfaces" / "tui"

MAY = {"state/client.py"}
"""What asks operations of the home, with what stands there for an engine."""

REACHES = {"engine", "wait"}
"""Attributes of a `Call` and of the opening that are the engine."""


def attributes(file: Path) -> list[ast.Attribute]:
    tree = ast.parse(file.read_text("utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]


def reached(file: Path) -> list[str]:
    """Where a file takes the engine from a `Call` or from the opening."""
    found = [node for node in attributes(file) if node.attr in REACHES]
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


def asked_for(file: Path) -> set[tuple[str, str]]:
    """What a file asks of the home: modules of `operations`, and their functions."""
    found = (re.fullmatch(r"operations\.(\w+)\.(\w+)", ast.unparse(node)) for node in attributes(file))
    return {(one[1], one[2]) for one in found if one}


def test_whatever_the_workbench_asks_for_can_be_asked_of_a_home_process() -> None:
    asked = {one for file in WORKBENCH.rglob("*.py") for one in asked_for(file)}
    assert len(asked) > 50
    functions = {
        f"{module}.{name}": found
        for module, name in asked
        if inspect.isfunction(found := getattr(import_module(f"ark_tui.operations.{module}"), name))
    }
    local = {name for name, found in functions.items() if not operation_of(found)}
    assert {name for name in local if not name.startswith("workbench.")} == set()
