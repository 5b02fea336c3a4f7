"""The wheel and the source archive: built, installed, and used from where they were installed."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

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
