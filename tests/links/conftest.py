"""An engine over a folder of notes that link to each other."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ark_tui.domain.hits import Hit, SearchResult
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.curation import conftest
from tests.support import SteadyClock


class Place(conftest.Place):
    """A folder of notes and the engine that indexes it."""

    def move(self, path: str, to: str) -> None:
        target = self.root / to
        target.parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).rename(target)

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
    clock = SteadyClock()
    with Engine(load(tmp_path / "home", environ={}), clock) as engine:
        yield Place(root, engine, clock)
