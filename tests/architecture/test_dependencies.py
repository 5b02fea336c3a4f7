"""What is declared is used, what is used is declared, and nothing says where to download it."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
SOURCES = tuple(sorted((ROOT / "ark_tui").rglob("*.py")))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
REQUIREMENTS = {canonicalize_name(Requirement(text).name) for text in PROJECT["dependencies"]}
MODULES = {
    module: {canonicalize_name(name) for name in distributions}
    for module, distributions in packages_distributions().items()
}


def imported() -> set[str]:
    """The packages outside the standard library that the program imports."""
    found: set[str] = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(str(node.module).partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"ark_tui"}


def test_everything_imported_is_declared() -> None:
    undeclared = {module for module in imported() if not MODULES.get(module, set()) & REQUIREMENTS}
    assert undeclared == set()


@pytest.mark.parametrize("requirement", sorted(REQUIREMENTS))
def test_everything_declared_is_used(requirement: str) -> None:
    modules = {module for module, names in MODULES.items() if requirement in names}
    text = "\n".join(path.read_text("utf-8") for path in SOURCES)  # grammars are imported by name
    assert any(re.search(rf"\b{re.escape(module)}\b", text) for module in modules)


def test_no_torch() -> None:
    locked = (ROOT / "constraints.txt").read_text()
    assert not re.search(r"^(torch|tensorflow|onnxruntime|transformers)==", locked, re.MULTILINE)


def test_constraints_are_names_and_versions_and_cover_every_requirement() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9-]+==[0-9][0-9A-Za-z.+]*", line) for line in lines)
    developers = {
        canonicalize_name(Requirement(text).name) for text in PROJECT["optional-dependencies"]["dev"]
    }
    assert REQUIREMENTS | developers <= {line.partition("==")[0] for line in lines}


@pytest.mark.parametrize("text", [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]])
def test_what_is_locked_is_within_the_declared_range(text: str) -> None:
    requirement = Requirement(text)
    locked = dict(
        line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line
    )
    assert requirement.specifier.contains(locked[canonicalize_name(requirement.name)])
