"""Hostile text typed into any field is drawn harmlessly, is kept or refused in words, and ends nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.events import Paste
from textual.widgets import Input

from ark_tui.interfaces.tui.panes.notebook import NotebookPane
from ark_tui.interfaces.tui.panes.settings import SettingsPane
from ark_tui.interfaces.tui.screens.ask import AskScreen
from ark_tui.interfaces.tui.screens.note import NoteScreen, NoteText
from ark_tui.interfaces.tui.screens.picking import PickScreen
from ark_tui.interfaces.tui.screens.saved import SavedScreen
from tests.tui.bench import Bench, bench
from tests.tui.shelves import library
from tests.tui.test_hostile_text import BIDI, ESCAPES, MARKUP, harmless

UNSEEN = "zero\u200bwidth\u200d\ufeff nul\x00 tag\U000e0041"
HOSTILE = (MARKUP, "[@click=app.quit]x[/]", ESCAPES, BIDI, UNSEEN)
EVERYTHING = " ".join(HOSTILE)
texts = pytest.mark.parametrize(
    "texts", [(EVERYTHING,), pytest.param(HOSTILE, marks=pytest.mark.soak)], ids=["together", "one by one"]
)


async def typed(b: Bench, text: str) -> None:
    """Paste a text into the line that has the focus, in place of what stands there."""
    await b.until(lambda: isinstance(b.app.screen.focused, Input))
    line = b.app.screen.focused
    assert isinstance(line, Input)
    line.value = ""
    line.post_message(Paste(text))
    await b.until(lambda: line.value)
    harmless(b)


async def asked(b: Bench, text: str) -> None:
    """Answer the question that is asked."""
    await b.until(lambda: isinstance(b.app.screen, AskScreen | PickScreen))
    screen = b.app.screen
    await typed(b, text)
    await b.pilot.press("enter")
    await b.until(lambda: b.app.screen is not screen)
    harmless(b)


async def answered(b: Bench, before: int) -> None:
    """Wait until it is said what became of it."""
    await b.until(lambda: len(b.app.context.said) > before, "a word")
    await b.pilot.pause()
    harmless(b)
    assert b.app.is_running


async def on_a_hit(b: Bench) -> None:
    await b.opened()
    await b.searched("spectral gap")
    await b.pilot.press("enter")
    await b.until(lambda: b.hits.results.has_focus)


@texts
async def test_a_query(filled: Path, texts: tuple[str, ...]) -> None:
    async with bench(filled) as b:
        await b.opened()
        for text in (*texts, "\x00", "\u202e", "\u200b"):
            b.search.query_line.focus()
            await typed(b, f"gap {text}")
            await b.pilot.press("enter")
            harmless(b)
        b.search.query_line.focus()
        b.search.query_line.value = ""
        await b.until(lambda: b.search.result is None)
        await b.searched("spectral gap")
        assert b.titles()


@texts
@pytest.mark.parametrize("action", ["tag", "link", "supersede", "contradict"])
async def test_a_tag_and_the_name_of_another_document(
    filled: Path, action: str, texts: tuple[str, ...]
) -> None:
    async with bench(filled) as b:
        await on_a_hit(b)
        for text in texts:
            before = len(b.app.context.said)
            getattr(b.hits, f"action_{action}")()
            await b.until(lambda: isinstance(b.app.screen, PickScreen))
            await typed(b, text)
            await b.until(lambda: "Nothing fits." in b.text() or action == "tag")
            await b.pilot.press("enter")
            if action == "tag":
                await answered(b, before)
            harmless(b)
            while b.app.screen is not b.workbench:
                await b.pilot.press("escape")


@texts
@pytest.mark.parametrize("where", ["pad", "tasks"])
async def test_a_task_and_a_value_of_the_scratchpad(home: Path, where: str, texts: tuple[str, ...]) -> None:
    async with bench(home) as b:
        await b.opened()
        await b.pilot.press("alt+3")
        await b.until(lambda: b.workbench.query(NotebookPane))
        pane = b.workbench.query_one(NotebookPane)
        leaves = pane.pad if where == "pad" else pane.tasks
        leaves.focus()
        await b.until(lambda: leaves.has_focus)
        for number, text in enumerate(texts):
            await b.pilot.press("a")
            await asked(b, f"key{number} {text}")
            await b.until(lambda number=number: leaves.count == number + 1, "what was typed")  # type: ignore[misc]
            harmless(b)
        await b.pilot.press("G", "e")
        await b.until(lambda: isinstance(b.app.screen, AskScreen | PickScreen))
        harmless(b)
        await b.pilot.press("enter")
        await b.until(lambda: b.app.screen is b.workbench)
        await b.pilot.press("x")
        await b.until(lambda: leaves.count == len(texts) - 1)
        await b.pilot.press("u")
        await b.until(lambda: leaves.count == len(texts), "what was deleted")
        harmless(b)


@texts
async def test_the_name_of_a_saved_search_first_and_again(filled: Path, texts: tuple[str, ...]) -> None:
    async with bench(filled) as b:
        await on_a_hit(b)
        await b.pilot.press("ctrl+n")
        await b.until(lambda: isinstance(b.app.screen, SavedScreen) and b.app.screen.rows.has_focus)
        screen = b.app.screen
        assert isinstance(screen, SavedScreen)
        await b.until(lambda: screen.rows.empty != "Reading …")
        for key, name in (*(("a", text) for text in texts), ("a", "plain"), *(("r", text) for text in texts)):
            before = len(b.app.context.said)
            await b.pilot.press(key)
            await asked(b, name)
            await answered(b, before)


@texts
async def test_another_name_for_a_collection_and_the_filter_of_documents(
    filled: Path, texts: tuple[str, ...]
) -> None:
    async with bench(filled) as b:
        pane = await library(b)
        for text in texts:
            before = len(b.app.context.said)
            await b.pilot.press("c")
            await asked(b, text)
            await answered(b, before)
        while pane.view != "browser":
            await b.pilot.press("right")
        await b.until(lambda: pane.first.has_focus)
        await b.pilot.press("f")
        for text in texts:
            await typed(b, text)


@texts
async def test_the_folder_to_index(home: Path, texts: tuple[str, ...]) -> None:
    async with bench(home) as b:
        await b.opened()
        await b.pilot.press("f2")
        await b.until(lambda: isinstance(b.app.screen, PickScreen))
        for text in (*texts, "~nobody", "x" * 5_000):
            await typed(b, text)
            await b.pilot.press("enter")
            await b.until(lambda: "There is no folder" in b.text())
            harmless(b)
        await b.pilot.press("escape")
        await b.until(lambda: b.app.screen is b.workbench)


async def test_a_note_and_its_title(filled: Path) -> None:
    async with bench(filled) as b:
        await on_a_hit(b)
        await b.pilot.press("a")
        await b.until(lambda: isinstance(b.app.screen, NoteScreen) and b.app.screen.query(NoteText))
        screen = b.app.screen
        screen.query_one(NoteText).post_message(Paste(f"zeppelin {EVERYTHING}"))
        await b.until(lambda: "zeppelin" in screen.query_one(NoteText).text)
        screen.query_one(Input).focus()
        await typed(b, f"Of airships {EVERYTHING}")
        before = len(b.app.context.said)
        await b.pilot.press("f9")
        await answered(b, before)
        await b.until(lambda: b.app.screen is b.workbench)
        b.search.query_line.value = ""
        await b.until(lambda: b.search.result is None)
        await b.searched("zeppelin")
        assert b.titles()[0].startswith("Of airships")
        harmless(b)


async def test_the_values_of_settings_and_the_names_of_profiles(filled: Path) -> None:
    said = MARKUP.replace("\\", "").replace('"', "")
    hidden = "".join(f"\\u{ord(one):04x}" for one in "\x1b]52;c;x\x07\u202e\u200b")
    value = f"{said} {hidden}"
    (filled / "config.toml").write_text(
        f'editor = "{value}"\nagent_id = "{value}"\ntheme = "{value}"\nroots = ["/no/{value}"]\n'
        f'"{value}" = 1\n'
        f'[profiles."{value}"]\nabout = "{value}"\nweights.bm25 = 0.5\n[keymap]\n"{value}" = "{value}"\n'
    )
    async with bench(filled) as b:
        await b.opened()
        harmless(b)
        await b.workbench.show_pane("settings")
        pane = b.workbench.query_one(SettingsPane)
        await b.until(lambda: pane._models is not None, "the models")
        seen = ""
        for section in range(len(pane.sections.rows)):
            pane.sections.cursor = section
            for row in range(len(pane.values.rows)):
                pane.values.cursor = row
                await b.pilot.pause()
                harmless(b)
                seen += b.text()
        assert "[@click=app.quit]x" in seen
        await b.pilot.press("f4")
        await b.until(lambda: b.app.screen is not b.workbench)
        harmless(b)


@texts
@pytest.mark.parametrize("field", ["history", "palette"])
async def test_what_is_looked_for_elsewhere(filled: Path, field: str, texts: tuple[str, ...]) -> None:
    opens: dict[str, Callable[[Bench], object]] = {
        "history": lambda b: b.pilot.press("alt+4", "f"),
        "palette": lambda b: b.pilot.press("ctrl+p"),
    }
    async with bench(filled) as b:
        await b.opened()
        for text in texts:
            await opens[field](b)  # type: ignore[misc]
            await b.until(lambda: isinstance(b.app.screen.focused, Input))
            await typed(b, text)
            await b.pilot.press("enter")
            await b.pilot.pause()
            harmless(b)
            while b.app.screen is not b.workbench:
                await b.pilot.press("escape")
            await b.pilot.press("escape", "alt+1")
        assert b.app.is_running
