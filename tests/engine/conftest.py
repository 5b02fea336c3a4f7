"""An engine over a home and a folder of its own."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ark_tui.domain.query import Request
from ark_tui.domain.work import IndexReport
from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.support import SteadyClock

LONG_AGO = 60  # seconds; older than what a scan takes for uncertain


@dataclass
class Place:
    """A folder of notes and the engine that indexes it."""

    root: Path
    engine: Engine

    def write(self, path: str, text: str | bytes, *, fresh: bool = False) -> Path:
        """Write a file; unless `fresh`, it looks as if it had been saved a minute ago."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        if not fresh:
            then = time.time() - LONG_AGO
            os.utime(file, (then, then))
        return file

    def index(self, **more: object) -> IndexReport:
        return self.engine.index([self.root], **more)  # type: ignore[arg-type]

    def paths(self, query: str, **more: object) -> list[str]:
        result = self.engine.search(Request(query, **more))  # type: ignore[arg-type]
        return [hit.document.path for hit in result.hits]

    def reason(self, path: str) -> str:
        """Why a file is not plainly indexed."""
        rows = self.engine.status(rows=True).rows
        return next((f"{row.state}: {row.reason}" for row in rows if row.path == path), "")


@pytest.fixture
def place(empty: Path, tmp_path: Path) -> Iterator[Place]:
    shutil.copytree(empty, tmp_path / "home")
    root = tmp_path / "notes"
    root.mkdir()
    with Engine(load(tmp_path / "home", environ={}), SteadyClock()) as engine:
        yield Place(root, engine)
