"""An engine over a few notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.support import SteadyClock

NOTES = {
    "gap.md": "The spectral gap of a chain bounds its mixing time.\n\n## Expanders\n\nExpanders mix fast.",
    "fiedler.md": "The Fiedler vector orders the nodes of a graph along its sparsest cut.",
    "walks.md": "A random walk on a graph forgets its start; how fast depends on the spectral gap.",
    "rice.md": "Cooking rice needs water, a lid and patience.",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture
def engine(tmp_path: Path, root: Path) -> Iterator[Engine]:
    with Engine(load(tmp_path / "home", environ={}), SteadyClock()) as engine:
        engine.index([root])
        yield engine
