"""The wheel and the source archive are installed and used; what is imported is declared and locked."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from importlib import import_module
from importlib.metadata import packages_distributions, version
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both."""
    folder = tmp_path_factory.mktemp("dist")
    line = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    subprocess.run(line, cwd=ROOT, check=True, capture_output=True)
    return folder


def installed(archive: Path, folder: Path) -> Path:
    """The command of an archive, installed into a fresh environment that has only its dependencies."""
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text("\n".join(path for path in sys.path if path.endswith("-packages")))
    line = ["install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--no-compile"]
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python")]
    subprocess.run([*pip, *line, "--ignore-installed", str(archive)], check=True)
    return folder / "bin" / "ark-tui"


@pytest.mark.parametrize("pattern", ["*.whl", "*.tar.gz"])
def test_what_is_built_can_be_installed_searched_with_and_run_by_cron(
    built: Path, tmp_path: Path, pattern: str
) -> None:
    (archive,) = built.glob(pattern)
    command = installed(archive, tmp_path / "fresh")

    def ark(*words: str) -> str:
        environ = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "ARK_DIRECT": "1"}
        line = [str(command), *words]
        done = subprocess.run(line, env=environ, cwd=tmp_path, check=True, capture_output=True, text=True)
        return done.stdout

    ark("add", "Otters sleep in rivers.", "--title", "Otters")
    assert "Otters" in ark("search", "otters")
    ark("export", "report.md", "--query", "otters")
    assert "Otters" in (tmp_path / "report.md").read_text("utf-8")
    where = [str(command.with_name("python")), "-c", "import ark_tui; print(ark_tui.__file__)"]
    found = subprocess.run(where, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert found.startswith(str(tmp_path / "fresh"))


def test_the_wheel_says_where_it_comes_from_and_that_it_has_types(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (one for one in archive.namelist() if one.endswith("/METADATA"))
        about = archive.read(name).decode()
        assert "ark_tui/py.typed" in archive.namelist()
    for line in ("Name: ark-tui", "License-Expression: MIT", "Requires-Python: >=3.11", "# ark-tui"):
        assert line in about
    assert {"Homepage", "Documentation", "Changelog", "Issues"} <= set(
        re.findall(r"^Project-URL: (\w+), https://\S+$", about, re.MULTILINE)
    )


def test_nothing_of_the_package_is_left_out_of_either(built: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "ark_tui"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    (wheel,), (source,) = built.glob("*.whl"), built.glob("*.tar.gz")
    assert set(listed) <= set(zipfile.ZipFile(wheel).namelist())
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {*listed, "README.md", "LICENSE", "CHANGELOG.md", "constraints.txt"} <= names


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
