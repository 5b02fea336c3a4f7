"""The wheel and the source archive: built, installed, and used from where they were installed."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
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


def installed(archive: Path, folder: Path) -> dict[str, str]:
    """An archive installed into a folder of its own; the environment in which that one is found first."""
    line = ["install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--no-compile"]
    subprocess.run([sys.executable, "-m", "pip", *line, "--target", str(folder), str(archive)], check=True)
    return os.environ | {"PYTHONPATH": str(folder), "ARK_HOME": str(folder / "home")}


@pytest.mark.parametrize("pattern", ["*.whl", "*.tar.gz"])
def test_what_is_built_can_be_installed_and_used(built: Path, tmp_path: Path, pattern: str) -> None:
    (archive,) = built.glob(pattern)
    environment = installed(archive, tmp_path / "site")
    main = "from ark_tui.interfaces.cli import main"
    script = f"import ark_tui, sys; {main}; print(ark_tui.__file__); sys.exit(main())"
    line = [sys.executable, "-c", script, "ingest", "Otters sleep in rivers.", "--title", "Otters"]
    done = subprocess.run(line, env=environment, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout.startswith(str(tmp_path / "site"))


def test_nothing_of_the_package_is_left_out_of_either(built: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "ark_tui"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    (wheel,), (source,) = built.glob("*.whl"), built.glob("*.tar.gz")
    assert set(listed) <= set(zipfile.ZipFile(wheel).namelist())
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {*listed, "README.md", "LICENSE", "CHANGELOG.md", "constraints.txt"} <= names
