"""What is declared is used, what is used is declared, and nothing says where to download it."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib import import_module
from importlib.metadata import packages_distributions, version
from pathlib import Path

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / ".ci"))
licences = import_module("licences")
SOURCES = tuple(sorted((ROOT / "ark_tui").rglob("*.py")))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = {text for extra in ("local", "files", "cluster") for text in PROJECT["optional-dependencies"][extra]}
REQUIREMENTS = {canonicalize_name(Requirement(text).name) for text in (*PROJECT["dependencies"], *EXTRAS)}
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


def test_everything_declared_is_used() -> None:
    text = "\n".join(path.read_text("utf-8") for path in SOURCES)  # grammars are imported by name
    named = set(re.findall(r"\w+", text))
    used = {name for module, names in MODULES.items() if module in named for name in names}
    assert REQUIREMENTS - used == set()


def test_no_torch_and_onnxruntime_only_in_the_extra() -> None:
    assert not LOCKED["constraints-dev.txt"].keys() & {"torch", "tensorflow", "transformers"}
    assert "onnxruntime" not in LOCKED["constraints.txt"]
    assert set(PROJECT["optional-dependencies"]["dev"]) >= EXTRAS


PIN = re.compile(r"(?P<name>[a-z0-9-]+)==(?P<version>[0-9][0-9A-Za-z.+]*)(?: ; (?P<marker>[^\\]+))? \\")
HASH = re.compile(r"    --hash=sha256:[0-9a-f]{64}(?: \\)?")


def locked(file: str) -> dict[str, tuple[str, int]]:
    """The version of each package, and how many files of it have a hash; every line is one of the two.

    Where versions of Python have one each, it is that of this one.
    """
    found: dict[str, tuple[str, int]] = {}
    name, wanted = "", True
    for line in (ROOT / file).read_text().splitlines():
        if pin := PIN.fullmatch(line):
            name, wanted = pin["name"], not pin["marker"] or Marker(pin["marker"].strip()).evaluate()
            if wanted:
                found[name] = (pin["version"], 0)
        elif not line.startswith("#"):
            assert HASH.fullmatch(line), line
            if wanted:
                found[name] = (found[name][0], found[name][1] + 1)
    return found


LOCKED = {file: locked(file) for file in ("constraints.txt", "constraints-dev.txt")}
BUILD = {"hatchling", "editables"}


def test_every_package_that_is_locked_has_hashes() -> None:
    for packages in LOCKED.values():
        assert [name for name, (_, hashes) in packages.items() if not hashes] == []


def test_the_tools_of_developers_come_on_top_of_the_same_versions() -> None:
    assert LOCKED["constraints.txt"].items() <= LOCKED["constraints-dev.txt"].items()


def test_what_is_locked_covers_everything_that_is_installed() -> None:
    for file, extras in (("constraints.txt", frozenset()), ("constraints-dev.txt", frozenset({"dev"}))):
        needed = licences.needed(extras)
        assert needed | BUILD <= LOCKED[file].keys()
        assert {name: version(name) for name in needed} == {name: LOCKED[file][name][0] for name in needed}


def test_what_is_locked_is_within_the_declared_range() -> None:
    texts = (*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"])
    here = [one for one in map(Requirement, texts) if one.marker is None or one.marker.evaluate()]
    locked_here = LOCKED["constraints-dev.txt"]
    assert [
        str(one) for one in here if not one.specifier.contains(locked_here[canonicalize_name(one.name)][0])
    ] == []


def test_every_dependency_has_a_licence_that_is_known_and_acceptable() -> None:
    found = {name: licences.parts(licences.licence(name)) for name in licences.needed()}
    assert {name: those for name, those in found.items() if not those or those - licences.ACCEPTABLE} == {}
