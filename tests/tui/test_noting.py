"""Writing a note in the workbench: into the store, into the inbox, and no letter of it lost."""

from __future__ import annotations

import stat
from pathlib import Path

from ark_tui.interfaces.tui.screens.note import NoteScreen, NoteText
from ark_tui.interfaces.tui.state import session
from ark_tui.interfaces.tui.state.session import Draft
from tests.tui.bench import Bench, bench
from tests.tui.shelves import library


async def editor(b: Bench) -> NoteScreen:
    """The editor, opened from the library."""
    await library(b)
    await b.pilot.press("a")
    await b.until(lambda: isinstance(b.app.screen, NoteScreen) and b.app.screen.query(NoteText))
    screen = b.app.screen
    assert isinstance(screen, NoteScreen)
    await b.until(lambda: screen.query_one(NoteText).has_focus)
    return screen


async def saved(b: Bench) -> None:
    await b.pilot.press("f9")
    await b.until(lambda: not isinstance(b.app.screen, NoteScreen), "the note to be saved")


async def test_a_note_is_written_from_the_results_found_at_once_and_taken_back(filled: Path) -> None:
    async with bench(filled) as b:
        await b.searched("spectral gap")
        b.hits.results.focus()
        await b.until(lambda: b.hits.results.has_focus)
        await b.pilot.press("a")
        await b.until(lambda: isinstance(b.app.screen, NoteScreen) and b.app.screen.query(NoteText))
        await b.type("a spectral gap")
        await b.pilot.press("enter")
        await b.type("and a zeppelin")
        await b.pilot.press("shift+tab")
        await b.type("Of airships")
        await saved(b)
        await b.until(lambda: "Of airships" in b.titles())
        assert b.said("u undo")
        await b.pilot.press("u")
        await b.until(lambda: "Of airships" not in b.titles())
        assert not (filled / "note-draft.json").exists()


async def test_with_an_inbox_a_note_becomes_a_new_file_and_one_key_sends_it_to_the_store(
    filled: Path, tmp_path: Path
) -> None:
    inbox = tmp_path / "inbox"
    (filled / "config.toml").write_text(f'inbox = "{inbox}"\n')
    async with bench(filled) as b:
        await editor(b)
        assert "new Markdown file" in b.text()
        await b.type("zeppelins in the inbox")
        await saved(b)
        (file,) = inbox.iterdir()
        assert file.read_text() == "zeppelins in the inbox\n"
        await b.pilot.press("a")
        await b.until(lambda: isinstance(b.app.screen, NoteScreen) and b.app.screen.query(NoteText))
        await b.pilot.press("ctrl+t")
        await b.until(lambda: "Saves in the store" in b.text())
        await b.type("rivers, bread, and not one of those zeppelins")
        await saved(b)
        assert list(inbox.iterdir()) == [file]
        await b.searched("zeppelins")
        assert set(b.titles()[:2]) == {"2026-01-01-000000", "rivers, bread, and not one of those zeppelins"}


async def test_what_was_typed_comes_back_after_closing_and_after_the_end_of_the_program(filled: Path) -> None:
    async with bench(filled) as b:
        await editor(b)
        await b.type("half a thought")
        await b.pilot.press("escape")
        await b.until(lambda: b.said("Draft kept. a continue it."))
        await b.pilot.press("a")
        await b.until(lambda: "half a thought" in b.text())
        await b.type(" and more")
    assert session.load(filled, Draft)[0] == Draft("", "half a thought and more")
    assert stat.S_IMODE((filled / "note-draft.json").stat().st_mode) == 0o600
    async with bench(filled) as b:
        screen = await editor(b)
        assert screen.draft.text == "half a thought and more"
        screen.query_one(NoteText).text = ""
        await b.pilot.press("escape")
        await b.until(lambda: not (filled / "note-draft.json").exists())
