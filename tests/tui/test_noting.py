"""Writing a note in the workbench: into the store, into the inbox, and no letter of it lost."""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE, Popen

import pytest
from textual.app import App
from textual.events import Paste
from textual.widgets import Input

from ark_tui.domain.curation import Done
from ark_tui.interfaces.tui.screens import note
from ark_tui.interfaces.tui.screens.note import NoteScreen, NoteText
from ark_tui.interfaces.tui.state import drafts
from ark_tui.interfaces.tui.state.client import Client
from ark_tui.interfaces.tui.state.drafts import Draft
from tests.tui.bench import Bench, bench
from tests.tui.shelves import library, said


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
        assert said(b, "u undoes it")
        await b.pilot.press("u")
        await b.until(lambda: "Of airships" not in b.titles())
        assert not drafts.own(filled).exists()


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
        await b.until(lambda: "Goes into the store" in b.text())
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
        await b.until(lambda: said(b, "The draft is kept; a goes on with it."))
        await b.pilot.press("a")
        await b.until(lambda: "half a thought" in b.text())
        await b.type(" and more")
    assert drafts.take_up(filled) == Draft("", "half a thought and more")
    assert stat.S_IMODE(drafts.own(filled).stat().st_mode) == 0o600
    async with bench(filled) as b:
        screen = await editor(b)
        assert screen.draft.text == "half a thought and more"
        screen.query_one(NoteText).text = ""
        await b.pilot.press("escape")
        await b.until(lambda: not drafts.own(filled).exists())


WRITING = """
import sys
from pathlib import Path
from ark_tui.domain.curation import Done
from ark_tui.engine import Engine
from ark_tui.interfaces.tui.state import drafts
home = Path(sys.argv[1])
print(drafts.take_up(home).text, flush=True)
drafts.keep(home, drafts.Draft("", "written in the other workbench"))
print("kept", flush=True)
sys.stdin.read()
"""


def another(home: Path) -> Popen[str]:
    """Another process that writes a note."""
    return Popen([sys.executable, "-c", WRITING, str(home)], stdin=PIPE, stdout=PIPE, text=True)


def left(home: Path) -> list[Path]:
    return list(home.glob("note-draft*"))


async def test_of_two_workbenches_on_one_home_that_each_write_a_note_neither_loses_a_letter(
    filled: Path,
) -> None:
    async with bench(filled) as b:
        screen = await editor(b)
        await b.type("written here")
        await b.until(lambda: drafts.own(filled).exists())
        other = another(filled)
        assert other.stdout is not None
        assert other.stdout.readline() == "\n", "what is being written here is not taken up there"
        assert other.stdout.readline() == "kept\n"
        await b.type(" and here")
        await b.pilot.press("escape", "a")
        await b.until(lambda: "written here and here" in b.text())
        await saved(b)
        await b.pilot.press("a")
        await b.until(lambda: isinstance(b.app.screen, NoteScreen) and b.app.screen is not screen)
        assert b.app.screen.query_one(NoteText).text == "", "somebody is at the other one"
        await b.pilot.press("escape")
        other.communicate("")
        await b.pilot.press("a")
        await b.until(lambda: "written in the other workbench" in b.text())
        await saved(b)
        assert left(filled) == []


async def test_a_note_that_cannot_be_saved_stays_on_the_screen(filled: Path) -> None:
    (filled / "config.toml").write_text('inbox = "not/absolute"\n')
    async with bench(filled) as b:
        screen = await editor(b)
        await b.pilot.press("f9")
        assert said(b, "There is nothing to save yet.")
        await b.type("kept")
        await b.pilot.press("f9")
        await b.until(lambda: said(b, "not an absolute path"))
        assert b.app.screen is screen
        assert screen.draft.text == "kept"


async def test_control_characters_of_a_paste_stay_out_and_a_title_alone_is_a_note(filled: Path) -> None:
    async with bench(filled) as b:
        screen = await editor(b)
        screen.query_one(NoteText).post_message(Paste("a\x1b[2Jb\x07\n\tc [/red]"))
        await b.until(lambda: screen.draft.text)
        assert screen.draft.text == "a[2Jb\n\tc [/red]"
        screen.query_one(NoteText).text = ""
        screen.query_one(Input).focus()
        await b.type("zeppelins alone")
        await saved(b)
        await b.searched("zeppelins")
        assert b.titles()[0] == "zeppelins alone"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"title": 3, "text": "x"}', "\x00"])
def test_a_broken_draft_counts_as_far_as_it_goes(tmp_path: Path, text: str) -> None:
    drafts.own(tmp_path).write_text(text)
    assert drafts.take_up(tmp_path) in (Draft(), Draft("", "x"))


async def test_the_editor_in_a_narrow_window(filled: Path, frame: Callable[[App[None], str], None]) -> None:
    async with bench(filled, (80, 24)) as b:
        await b.opened()
        b.hits.action_note()
        await b.until(lambda: isinstance(b.app.screen, NoteScreen) and b.app.screen.query(NoteText))
        screen = b.app.screen
        screen.query_one(Input).value = "Of airships"
        screen.query_one(NoteText).text = "A zeppelin has a frame.\n\n- it floats\n- it is slow\n"
        await b.pilot.pause()
        frame(b.app, "note-80x24")


async def test_a_draft_does_not_come_back_while_its_note_is_saved(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was typed last is kept a moment after the key: by then the note may be in the store."""
    async with bench(filled) as b:
        screen = await editor(b)
        await b.type("a zeppelin")
        noted = note._noted

        def then_kept(home: Path, text: str, title: str, client: Client, *, to_file: bool) -> Done:
            done = noted(home, text, title, client, to_file=to_file)
            b.app.call_from_thread(screen._keep)
            return done

        monkeypatch.setattr(note, "_noted", then_kept)
        await saved(b)
        assert not drafts.own(filled).exists()
