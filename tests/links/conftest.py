"""An engine over a folder of notes that link to each other."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ark_tui.domain.hits import Hit, SearchResult
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

    def write(self, path: str, text: str) -> Path:
        """Write a file that looks as if it had been saved a minute ago."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        then = time.time() - LONG_AGO
        os.utime(file, (then, then))
        return file

    def move(self, path: str, to: str) -> None:
        target = self.root / to
        target.parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).rename(target)

    def index(self) -> IndexReport:
        return self.engine.index([self.root])

    def search(self, query: str, **more: object) -> SearchResult:
        return self.engine.search(Request(query, **more))  # type: ignore[arg-type]

    def hits(self, query: str, **more: object) -> dict[str, Hit]:
        """The hits of a search by path."""
        return {hit.document.path: hit for hit in self.search(query, **more).hits}

    def item(self, item: str) -> str:
        """The id of a record."""
        return next(hit.document.id for hit in self.search("card").hits if hit.document.item == item)

    def collections(self, ref: str) -> dict[str, str]:
        """Target as written → collection of the document at the other end."""
        links = self.engine.reading.links(ref)
        return {link.target: link.document.collection for link in links if link.document}


@pytest.fixture
def place(empty: Path, tmp_path: Path) -> Iterator[Place]:
    shutil.copytree(empty, tmp_path / "home")
    root = tmp_path / "notes"
    root.mkdir()
    with Engine(load(tmp_path / "home", environ={}), SteadyClock()) as engine:
        yield Place(root, engine)
