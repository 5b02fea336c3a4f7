from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.cli.conftest import ark

__all__ = ["ark"]

SAMPLE = Path(__file__).parents[2] / "assets" / "sample"
NOW = "2026-01-01T00:00:00Z"
FIXED = {"ARK_NOW": NOW, "ARK_NO_DECAY": "1"}
QUERY = "why does a spectral gap bound the mixing time"

SAVED = datetime(2025, 12, 1, tzinfo=UTC).timestamp()

HOSTILE = {
    "fence.md": "# ``` fence\n\n```\n# not a heading\n```\n\n| a | b |\n|---|---|\n| pipe \\| | x |\n",
    "tags.md": "---\ntitle: <script>alert(1)</script>\ntags: ['</style><b>', 'a|b', '`code`']\n---\n"
    "<img src=x onerror=alert(1)> spectral </title> [/] \x1b]52;c;aGk=\x07 \u202eesrever\n",
    "quote\"'&amp;.md": "# \"quoted\" & 'single' &amp; \\ backslash\n\nspectral --> ]]> {{x}} ${y}\n",
    "long.md": "# " + "x" * 3000 + "\n\nspectral " + "y" * 5000 + "\n",
}


def at_one_moment(folder: Path) -> Path:
    """The folder, all of its files saved at the same moment: their dates are the same on every machine."""
    for path in folder.rglob("*"):
        os.utime(path, (SAVED, SAVED))
    return folder


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that holds the sample notes, taken in at a fixed moment; only for tests that change nothing."""
    place = tmp_path_factory.mktemp("sample")
    notes = at_one_moment(Path(shutil.copytree(SAMPLE, place / "sample")))
    with Engine(load(place / "home", environ=FIXED)) as engine:
        engine.index([notes])
    return place / "home"


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home of notes whose texts would like to be more than texts."""
    place = tmp_path_factory.mktemp("hostile")
    (place / "no`tes|").mkdir()
    for name, text in HOSTILE.items():
        (place / "no`tes|" / name).write_text(text, "utf-8")
    with Engine(load(place / "home", environ=FIXED)) as engine:
        engine.index([at_one_moment(place / "no`tes|")])
    return place / "home"


@pytest.fixture
def engine(sample: Path) -> Iterator[Engine]:
    """The engine of the sample notes, at the fixed moment."""
    with Engine(load(sample, environ=FIXED)) as opened:
        yield opened


@pytest.fixture
def fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock stands still and nothing decays, for commands too."""
    for name, value in FIXED.items():
        monkeypatch.setenv(name, value)
