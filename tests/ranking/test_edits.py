"""Scores stay what they are through edits that change no text, and when a text comes back (S1)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ark_tui.curation import edits
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.index.words import follower
from ark_tui.settings import load
from tests.support import SteadyClock

TEXTS = {
    "gap.md": "# Gaps\n\nThe spectral gap bounds the mixing time.",
    "walk.md": "# Walks\n\nA random walk mixes in some time.",
    "graph.md": "# Graphs\n\nA graph has a gap where two parts hang together loosely. " + "And so on. " * 60,
    "day.md": "---\ntags: [a]\ndate: 2026-03-01\n---\n# A day\n\nIn March 2026 the gap was measured.",
}
QUERIES = ("gap", "mixing time", "gap -walks", "gap type:note", "gap after:2020", "march 2026")
SETTLED = 1_700_000_000.0  # when the files were saved: long ago


@dataclass
class Edited:
    """One home whose notes every example goes on editing."""

    notes: Path
    engine: Engine

    def write(self, name: str) -> None:
        (self.notes / name).write_text(TEXTS[name], "utf-8")
        os.utime(self.notes / name, (SETTLED, SETTLED))

    def index(self) -> None:
        self.engine.index([self.notes])

    def scores(self) -> dict[tuple[str, str], float | None]:
        """The BM25 of every hit of some queries, with and without filters."""
        return {
            (query, hit.document.title): next((part.raw for part in hit.parts if part.name == "bm25"), None)
            for query in QUERIES
            for hit in self.engine.search(Request(query, below=True, unlogged=True)).hits
        }

    # -- what changes no text, or brings it back

    def tag(self, name: str) -> None:
        self.engine.curation.edit(edits.tag, [name], ["b"])

    def untag(self, name: str) -> None:
        self.engine.curation.edit(edits.tag, [name], ["c"])
        self.engine.curation.edit(edits.untag, [name], ["c"])

    def tier(self, name: str) -> None:
        self.engine.curation.edit(edits.tier, [name], "wiki")

    def pin(self, name: str) -> None:
        self.engine.curation.edit(edits.pin, [name])

    def undo_and_redo(self, name: str) -> None:
        self.engine.curation.edit(edits.tag, [name], ["once"])
        self.engine.curation.undo()
        self.engine.curation.redo()

    def trash_and_undo(self, name: str) -> None:
        self.engine.curation.edit(edits.trash, [name])
        self.engine.curation.undo()

    def trash_and_restore(self, name: str) -> None:
        self.engine.curation.edit(edits.trash, [name])
        self.engine.curation.edit(edits.untrash, [name])

    def supersede_and_undo(self, name: str) -> None:
        self.engine.curation.edit(edits.supersede, [name], next(other for other in TEXTS if other != name))
        self.engine.curation.undo()

    def touch(self, name: str) -> None:
        os.utime(self.notes / name)
        self.index()

    def move(self, name: str) -> None:
        (self.notes / "moved").mkdir(exist_ok=True)
        for source, target in ((name, f"moved/{name}"), (f"moved/{name}", name)):
            (self.notes / source).rename(self.notes / target)
            self.index()

    def delete_and_write_again(self, name: str) -> None:
        (self.notes / name).unlink()
        self.index()
        self.write(name)
        self.index()


EDITS: tuple[Callable[[Edited, str], None], ...] = (
    Edited.tag, Edited.untag, Edited.tier, Edited.pin, Edited.undo_and_redo, Edited.trash_and_undo,
    Edited.trash_and_restore, Edited.supersede_and_undo, Edited.touch, Edited.move,
    Edited.delete_and_write_again,
)  # fmt: skip


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Edited]:
    folder = tmp_path_factory.mktemp("edited")
    (folder / "notes").mkdir()
    home = load(folder / "home", environ={})
    with pytest.MonkeyPatch.context() as patch, Engine(home, SteadyClock()) as engine:
        patch.setattr(follower, "STALE", 1.0)  # as in a large home, whose texts are not written anew at once
        found = Edited(folder / "notes", engine)
        for name in TEXTS:
            found.write(name)
        found.index()
        yield found


@pytest.fixture(scope="module")
def before(edited: Edited) -> dict[tuple[str, str], float | None]:
    found = edited.scores()
    assert sum(score is not None for score in found.values()) > len(QUERIES)
    return found


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_an_edit_that_changes_no_text_moves_no_score(
    edited: Edited, before: dict[tuple[str, str], float | None], edit: Callable[[Edited, str], None]
) -> None:
    edit(edited, "gap.md")
    assert edited.scores() == before
    assert [check for check in edited.engine.doctor() if check.ok is False] == []


@settings(max_examples=4)
@given(
    edits=st.lists(st.tuples(st.sampled_from(EDITS), st.sampled_from(sorted(TEXTS))), min_size=2, max_size=5)
)
def test_no_score_moves_whatever_the_edits(
    edited: Edited,
    before: dict[tuple[str, str], float | None],
    edits: list[tuple[Callable[[Edited, str], None], str]],
) -> None:
    for edit, name in edits:
        edit(edited, name)
    assert edited.scores() == before
