"""What is saved in the folders of a home shows up by itself, and nothing that a person does is disturbed."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from ark_tui.engine import Engine, watching
from tests.tui.bench import Bench, bench, settings_of


@pytest.fixture
def folder(notes: Path, tmp_path: Path) -> Path:
    """A folder of notes that may be written to."""
    return Path(shutil.copytree(notes, tmp_path / "kept"))


@pytest.fixture
def watched(folder: Path, home: Path) -> Path:
    """A home that has read them."""
    with Engine(settings_of(home)) as engine:
        engine.index([folder])
    return home


async def settled(b: Bench) -> None:
    """The first look, which is at everything, is over."""
    await b.until(lambda: b.looked, "the first look")


async def test_saved_renamed_and_deleted_files_show_up_and_leave_cursor_query_and_focus_alone(
    watched: Path, folder: Path
) -> None:
    async with bench(watched, ARK_WATCH="1") as b:
        await b.opened()
        await b.searched("spectral gap")
        await settled(b)
        await b.pilot.press("enter", "j")
        await b.until(lambda: b.hits.results.cursor == 1)
        here = b.hits.results.hit
        assert here is not None
        (folder / "fresh.md").write_text("# Fresh\n\nThe spectral gap, spectral gap, and the gap again.\n")
        await b.until(lambda: "Fresh" in b.titles(), "the new file")
        (folder / "fresh.md").rename(folder / "aired.md")
        await b.until(lambda: any(hit.document.path == "aired.md" for hit in b.hits.results.hits))
        (folder / "aired.md").unlink()
        await b.until(lambda: "Fresh" not in b.titles(), "the deleted one leaves")
        assert b.hits.results.hit is not None
        assert b.hits.results.hit.document.id == here.document.id, "the cursor stays on its document"
        assert b.hits.results.has_focus
        assert b.search.query_line.value == "spectral gap"
        assert not b.app.context.said, "nobody wants to be told of every file that is saved"


async def test_a_document_that_is_saved_while_it_is_read_stays_at_its_place(
    watched: Path, folder: Path
) -> None:
    file = folder / "graphs/lanczos.md"
    file.write_text(file.read_text() + "\n".join(f"Line {number}.  " for number in range(60)) + "\n")
    with Engine(settings_of(watched)) as engine:
        engine.index([folder])
    async with bench(watched, (80, 24), ARK_WATCH="1") as b:
        await b.opened()
        await b.listed("lanczos krylov")
        await settled(b)
        reader = b.hits.reader
        await b.pilot.press("enter", "ctrl+d", "ctrl+d")
        await b.until(lambda: reader.has_focus and reader.row > 3)
        row, lines = reader.row, b.hits.results.hits[0].chunk.end_line
        file.write_text(file.read_text() + "A last line on Krylov.\n")
        await b.until(lambda: reader.passage and "A last line" in reader.passage.text, "what was saved")
        await b.until(lambda: b.hits.results.hits[0].chunk.end_line > lines, "the piece that has grown")
        await b.pilot.pause()
        assert (reader.row, reader.has_focus) == (row, True)


# -- the watch itself --------------------------------------------------------------------------------


class Watch:
    """What a watch of some folders answers, one answer at a time."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.stop = threading.Event()
        self.answers = watching.bursts(folders, self.stop)

    def next(self) -> tuple[Path, ...]:
        return next(self.answers)


def test_a_folder_that_is_made_anew_has_changed_and_is_watched_as_the_one_before(tmp_path: Path) -> None:
    a = tmp_path / "a"
    a.mkdir()
    watch = Watch([a])
    assert watch.next() == (a,)
    a.rename(tmp_path / "gone")
    a.mkdir()
    assert watch.next() == (a,)
    (a / "x.md").write_text("x")
    assert watch.next() == (a,)
