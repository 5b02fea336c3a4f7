"""A folder of a few notes that are linked, and an engine over it."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ark_tui.curation import edits
from ark_tui.domain.curation import Done
from ark_tui.domain.query import Request
from ark_tui.domain.work import IndexReport
from ark_tui.engine import Engine, copies
from ark_tui.engine.curation import Curation
from ark_tui.settings import load
from tests.support import SteadyClock

NOTES = {
    "gap.md": "---\ntags: [theory, chains]\ntier: wiki\n---\nThe spectral gap bounds mixing. See [[walks]].",
    "walks.md": "A random walk forgets its start. It builds on [[gap]] and on [[fiedler|the vector]].",
    "fiedler.md": "---\ncontradicts: rice\n---\nThe Fiedler vector orders a graph along its sparsest cut.",
    "rice.md": "Cooking rice needs water, a lid and patience.",
    "lists/items.jsonl": '{"_id": "one", "text": "A first item."}\n{"_id": "two", "text": "A second."}\n',
}
LONG_AGO = 60  # seconds; older than what a scan takes for uncertain

TABLES = {
    "said": "*", "tags": "*", "links": "*", "names": "*", "superseded": "*", "trashed_chunks": "*",
    "trashed_links": "*", "trashed_names": "*", "chunks": "*",
    "documents": "number, id, path, title, titled, tier, hash, body, gone IS NULL",
}  # fmt: skip


@dataclass
class Place:
    """A folder of notes, the engine that indexes it, and its curation room."""

    root: Path
    engine: Engine
    clock: SteadyClock

    def note(self, text: str, title: str = "", tags: Sequence[str] = ()) -> Done:
        return self.curation.edit(edits.note, self.engine.cut, text, title, tags)

    @property
    def curation(self) -> Curation:
        return self.engine.curation

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        then = time.time() - LONG_AGO
        os.utime(file, (then, then))
        return file

    def index(self) -> IndexReport:
        return self.engine.index([self.root])

    def paths(self, query: str, **more: Any) -> set[str]:
        """What a search lists."""
        return {hit.document.path for hit in self.engine.search(Request(query, unlogged=True, **more)).hits}

    def tags(self, ref: str) -> tuple[str, ...]:
        return self.engine.document(ref).tags

    def links(self, ref: str) -> set[tuple[str, str]]:
        """The links of a document that lead somewhere: relation and path."""
        return {
            (link.relation, link.document.path)
            for link in self.engine.reading.links(ref)
            if link.document and link.direction == "out"
        }

    @contextmanager
    def unfollowed(self) -> Iterator[None]:
        """Many edits, which the indexes take up together at the end."""
        followed, self.curation._followed = self.curation._followed, lambda done: done  # type: ignore[method-assign]
        try:
            yield
        finally:
            self.curation._followed = followed  # type: ignore[method-assign]
        self.engine.sync()

    def curate(self) -> None:
        """Six edits of `gap`, one of each kind that an exported line or a changed file has to keep."""
        with self.unfollowed():
            self.curation.edit(edits.tag, ["gap", "rice"], ["mine"])
            self.curation.edit(edits.untag, ["gap"], ["theory"])
            self.curation.edit(edits.tier, ["gap"], "reflection")
            self.curation.edit(edits.pin, ["gap"])
            self.curation.edit(edits.link, "gap", "rice", "builds_on")
            self.curation.edit(edits.unlink, "gap", "walks")

    def state(self) -> dict[str, list[tuple[Any, ...]]]:
        """Everything that an edit could change, as it is stored; the log of edits apart."""
        with self.engine.store.read() as lease:
            return {
                table: sorted(lease.rows(f"SELECT {columns} FROM ark.{table}"), key=repr)
                for table, columns in TABLES.items()
            }

    def wrong_relations(self) -> list[str]:
        """What `doctor` finds in the store alone."""
        with self.engine.store.read() as lease:
            return copies.dangling(lease)

    def wrong(self) -> list[str]:
        """What `doctor` finds."""
        return [f"{check.name}: {check.detail}" for check in self.engine.doctor() if check.ok is False]


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The notes and a home that has them indexed: made once, copied for each test."""
    folder = tmp_path_factory.mktemp("curated")
    with Engine(load(folder / "home", environ={}), SteadyClock()) as engine:
        place = Place(folder / "notes", engine, SteadyClock())
        for path, text in NOTES.items():
            place.write(path, text)
        place.index()
    return folder


@pytest.fixture
def place(indexed: Path, tmp_path: Path) -> Iterator[Place]:
    for name in ("home", "notes"):
        shutil.copytree(indexed / name, tmp_path / name)
    clock = SteadyClock()
    with Engine(load(tmp_path / "home", environ={}), clock) as engine:
        with engine.store.write() as lease:
            lease.run("UPDATE ark.collections SET root = ? WHERE name = 'notes'", str(tmp_path / "notes"))
        yield Place(tmp_path / "notes", engine, clock)
