from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def config(home: Path) -> Callable[[str], Path]:
    """Writes a config.toml into the home and returns the home."""

    def write(text: str) -> Path:
        home.mkdir(exist_ok=True)
        (home / "config.toml").write_text(text, "utf-8")
        return home

    return write


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: an empty one."""
    path = tmp_path / "here"
    path.mkdir()
    monkeypatch.chdir(path)
    return path
