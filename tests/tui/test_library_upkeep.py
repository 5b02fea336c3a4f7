"""The library: files that were left out, collections, and the trash."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ark_tui.curation import edits
from ark_tui.engine import Engine
from ark_tui.interfaces.tui.screens.dialog import ConfirmScreen
from tests.tui.bench import bench, settings_of
from tests.tui.conftest import MODIFIED, NOTES
from tests.tui.shelves import library


@pytest.fixture
def own(home: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A home of its own, and the folder that it follows, for tests that change files."""
    notes = tmp_path / "notes"
    for name, text in NOTES.items():
        path = notes / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        os.utime(path, (MODIFIED, MODIFIED))
    with Engine(settings_of(home)) as engine:
        engine.index([notes])
    return home, notes


async def test_a_file_that_was_left_out_is_tried_again_and_says_why_when_it_fails(
    own: tuple[Path, Path],
) -> None:
    home, notes = own
    async with bench(home) as b:
        pane = await library(b, "left-out")
        await b.until(lambda: pane.left_out.count == 1)
        await b.pilot.press("enter")
        await b.until(lambda: b.said("picture.bin cannot be read: "))
        (notes / "picture.bin").write_text("Text after all, on zeppelins.\n")
        await b.pilot.press("R")
        await b.until(lambda: b.said("Indexed picture.bin again."))
        await b.until(lambda: pane.left_out.count == 0 and "Every file is searchable." in b.text())


async def test_the_trash_brings_back_and_is_purged_after_saying_what_goes_and_what_stays(
    filled: Path,
) -> None:
    with Engine(settings_of(filled)) as engine:
        engine.curation.edit(edits.trash, ["lanczos", "laplacian", "cards"])
        engine.backup()
    async with bench(filled) as b:
        pane = await library(b, "trash")
        await b.until(lambda: pane.trash.count == 3)
        await b.pilot.press("enter")
        await b.until(lambda: isinstance(b.app.screen, ConfirmScreen) and "Index cards in a box." in b.text())
        await b.pilot.press("y")
        await b.until(lambda: pane.trash.count == 2)
        await b.pilot.press("u")
        await b.until(lambda: pane.trash.count == 3)
        await b.pilot.press("space", "b")
        await b.until(lambda: pane.trash.count == 2)
        await b.pilot.press("D")
        await b.shown(ConfirmScreen)
        text = b.text()
        assert "This is deleted for good and cannot be undone: 2 documents" in text
        assert "The files on disk are not touched." in text
        assert "backups/ark-" in text
        await b.pilot.press("escape")
        assert pane.trash.count == 2
        await b.pilot.press("D")
        await b.shown(ConfirmScreen)
        await b.pilot.press("y")
        await b.until(lambda: b.said("Deleted 2 documents and "))
        await b.until(lambda: pane.trash.count == 0 and "The trash is empty." in b.text())


async def test_a_collection_is_renamed_and_let_go_after_saying_what_stays(filled: Path) -> None:
    with Engine(settings_of(filled)) as engine:
        engine.ingest_text("Rice, salt, tea.", collection="lists")
    async with bench(filled) as b:
        pane = await library(b)
        await b.pilot.press("D")
        await b.until(lambda: b.said("lists has no folder."))
        await b.pilot.press("j", "c")
        await b.answer("lists")
        await b.until(lambda: b.said("The name lists is taken."))
        await b.pilot.press("c")
        await b.answer("papers")
        await b.until(lambda: "papers" in [one.name for one in pane.collections.rows])
        await b.pilot.press("D")
        await b.shown(ConfirmScreen)
        assert "6 documents will no longer be found." in b.text()
        await b.pilot.press("y")
        await b.until(lambda: b.said("Removed the collection papers with 6 documents"))
        await b.until(lambda: "papers" not in [one.name for one in pane.collections.rows])
