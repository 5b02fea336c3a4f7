"""An engine over a few notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.engine import Engine

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
def engine(engine: Engine, root: Path) -> Engine:
    engine.index([root])
    return engine
