"""The reader: rendered and raw, from link to link and back, contents, and what is known of a document."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from rich.style import Style
from textual.app import App
from textual.geometry import Offset
from textual.selection import Selection
from textual.widgets import Input

from ark_tui.domain.documents import Passage
from ark_tui.engine import Engine
from ark_tui.interfaces.tui.reading import addresses
from ark_tui.interfaces.tui.screens.about import AboutScreen
from ark_tui.interfaces.tui.screens.address import AddressScreen
from ark_tui.interfaces.tui.screens.picking import PickScreen
from ark_tui.interfaces.tui.screens.reading import ReadingScreen
from ark_tui.interfaces.tui.widgets.list_detail import ListDetail
from ark_tui.interfaces.tui.widgets.reader import Reader
from tests.tui.bench import Bench, bench, settings_of
from tests.tui.shelves import said

TOUR = """---
title: A tour
tags: [tour]
---

# A tour of the banana

The *banana* is **yellow**, see [the peel](peel.md#how-to-peel) and [[peel]], or [nothing](nowhere.md).

## Abroad

There is [the web](https://example.org/banana?q=1) and [a program](javascript:alert(1)); also [[twin]].

## Far below

"""
PEEL = "# Peel\n\n{}\n\n## How to peel\n\nFrom the end, says [[tour]].\n\n- builds_on:: [[tour]]\n"
PROGRAM = """class Fruit:
    def peel(self) -> None:
        '''Peel the plantain thoroughly, all of it, and then some more.'''

    def eat(self) -> None:
        '''Eat the plantain, slowly and with pleasure, until it is gone.'''
"""
FILES = {
    "tour.md": TOUR + "".join(f"Line {n} is about fruit.\n\n" for n in range(200)) + "The last banana.\n",
    "peel.md": PEEL.format("Words about peeling. " * 150),
    "a/twin.md": "# Twin A\n\nOne of two.\n",
    "b/twin.md": "# Twin B\n\nOther of two.\n",
    "fruit.py": PROGRAM,
}


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with linked notes, never to be used itself."""
    folder = tmp_path_factory.mktemp("linked")
    for name, text in FILES.items():
        path = folder / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    with Engine(settings_of(folder / "home")) as engine:
        engine.index([folder / "notes"])
    return folder / "home"


@pytest.fixture
def home_of_it(linked: Path, home: Path) -> Path:
    shutil.copytree(linked, home)
    return home


async def reading(b: Bench, query: str = "tour banana") -> Reader:
    """The tour in the reader, which has the focus."""
    await b.searched(query)
    await b.pilot.press("enter")
    await b.until(lambda: b.hits.results.has_focus)
    await b.pilot.press("enter")
    await b.until(lambda: b.hits.reader.has_focus)
    return b.hits.reader


async def at(b: Bench, title: str) -> None:
    await b.until(
        lambda: (p := b.hits.reader.passage) is not None and p.document.title == title,
        f"{title} in the reader",
    )


async def test_markdown_is_rendered_and_one_key_shows_it_as_it_is_written(home_of_it: Path) -> None:
    async with bench(home_of_it) as b:
        await reading(b)
        assert "The banana is yellow, see the peel and peel" in b.text()
        await b.pilot.press("M")
        assert "The *banana* is **yellow**" in b.text()
        assert "raw" in str(b.hits.reader.border_subtitle)
    async with bench(home_of_it) as b:
        reader = await reading(b)
        assert reader.form == "raw", "it is remembered"
        await b.pilot.press("M")
        assert "The banana is yellow" in b.text()


async def test_matches_are_gone_through_in_both_forms_and_turning_keeps_the_place(home_of_it: Path) -> None:
    async with bench(home_of_it) as b:
        reader = await reading(b)
        while reader.match != 0:
            await b.pilot.press("N")
        await b.pilot.press("N")
        assert "The last banana" in b.text(), "before the first comes the last"
        await b.pilot.press("M")
        assert "The last banana" in b.text()
        await b.pilot.press("n")
        assert "The last banana" not in b.text()
        await b.pilot.press("N")
        assert "The last banana" in b.text()
        await b.pilot.press("g", "ctrl+d", "ctrl+d", "ctrl+d")
        before = [line for line in b.lines() if "is about fruit" in line]
        await b.pilot.press("M")
        assert before[0].split("Line ")[1].split()[0] in b.text()


async def test_who_goes_into_the_reader_at_once_has_the_document_under_the_cursor(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bench(filled) as b:
        await b.searched("spectral gap")
        second = b.hits.results.hits[1].document.id
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.results.has_focus)
        monkeypatch.setattr(ListDetail, "PAUSE", 600.0)
        await b.pilot.press("down", "enter")
        await b.until(lambda: b.hits.reader.passage and b.hits.reader.passage.document.id == second)


async def test_keys_for_a_document_that_is_still_being_read_wait_for_it(
    home_of_it: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    show, gate = Engine.show, threading.Event()

    def slow(engine: Engine, ref: str, query: str = "") -> Passage:
        gate.wait(20)
        return show(engine, ref, query)

    async with bench(home_of_it) as b:
        reader = await reading(b)
        await b.pilot.press("g", "full_stop")
        monkeypatch.setattr(Engine, "show", slow)
        await b.pilot.press("enter", "full_stop", "enter")
        assert reader.passage is not None
        assert reader.passage.document.title == "A tour", "Peel is not there yet"
        gate.set()
        await b.until(lambda: len(reader.trail.behind) == 2, "the link of Peel, back to the tour")
        await at(b, "A tour")


@pytest.mark.parametrize(
    ("key", "meant"), [("y", "of Peel"), ("Y", "Peel with its source"), ("i", "About"), ("c", "How to peel")]
)
async def test_every_key_in_the_reader_means_the_document_that_was_asked_for(
    home_of_it: Path, monkeypatch: pytest.MonkeyPatch, key: str, meant: str
) -> None:
    show, gate = Engine.show, threading.Event()

    def slow(engine: Engine, ref: str, query: str = "") -> Passage:
        gate.wait(20)
        return show(engine, ref, query)

    async with bench(home_of_it) as b:
        reader = await reading(b)
        await b.pilot.press("g", "full_stop")
        monkeypatch.setattr(Engine, "show", slow)
        await b.pilot.press("enter")
        await b.until(lambda: reader.is_coming)
        await b.pilot.press("p")
        await b.until(lambda: said(b, "The document is still being read."), "no edit of another document")
        await b.pilot.press(key)
        gate.set()
        await at(b, "Peel")
        await b.until(lambda: said(b, meant) or meant in b.text(), meant)
        assert not said(b, "Pinned")


async def test_links_are_followed_and_the_way_back_leads_to_the_same_place(home_of_it: Path) -> None:
    async with bench(home_of_it) as b:
        reader = await reading(b)
        await b.pilot.press("g", "full_stop")
        assert reader.link == 0
        await b.pilot.press("enter")
        await at(b, "Peel")
        assert "From the end, says tour" in b.text(), "it is open at the heading"
        assert str(reader.border_title).startswith("‹ ")
        await b.pilot.press("full_stop", "enter")
        await at(b, "A tour")
        await b.pilot.press("left_square_bracket")
        await at(b, "Peel")
        await b.until(lambda: "From the end" in b.text())
        await b.pilot.press("left_square_bracket")
        await at(b, "A tour")
        assert reader.link == 0, "the link that was followed is chosen again"
        await b.pilot.press("right_square_bracket")
        await at(b, "Peel")
        await b.pilot.press("left_square_bracket", "left_square_bracket")
        await at(b, "A tour")
        await b.until(lambda: b.app.context.said)
        assert b.app.context.said[-1].text == "This is where the way began."


async def test_escape_goes_back_to_the_results_and_the_cursor_begins_a_new_way(home_of_it: Path) -> None:
    async with bench(home_of_it) as b:
        reader = await reading(b)
        await b.pilot.press("g", "full_stop", "enter")
        await at(b, "Peel")
        await b.pilot.press("escape")
        await b.until(lambda: b.hits.results.has_focus)
        await b.pilot.press("j")
        hit = b.hits.results.hit
        assert hit is not None
        await at(b, hit.document.title)
        assert not reader.trail.behind


async def test_keys_of_curation_act_on_the_document_that_was_gone_to(home_of_it: Path) -> None:
    async with bench(home_of_it) as b:
        await reading(b)
        await b.pilot.press("g", "full_stop", "enter")
        await at(b, "Peel")
        await b.pilot.press("p")
        await b.until(lambda: b.app.context.said)
        assert "Peel" in b.app.context.said[-1].text
        await b.until(lambda: b.hits.reader.passage is not None and b.hits.reader.passage.document.pinned)
        await at(b, "Peel")
        assert b.hits.reader.trail.behind, "the change of the corpus has not thrown anybody off the way"


async def test_a_link_to_nowhere_and_one_to_two_places_are_said_and_asked(home_of_it: Path) -> None:
    async with bench(home_of_it) as b:
        reader = await reading(b)
        await b.pilot.press("g", "full_stop", "full_stop", "full_stop", "enter")
        await b.until(lambda: b.app.context.said)
        assert "There is no document nowhere.md here (yet)" in b.app.context.said[-1].text
        await b.pilot.press("full_stop", "full_stop", "full_stop")
        assert reader.link == 5
        await b.pilot.press("enter")
        await b.until(lambda: isinstance(b.app.screen, PickScreen))
        assert "Twin B" in b.text()
        await b.pilot.press("down", "enter")
        await at(b, "Twin B")


async def test_a_link_to_nowhere_has_a_look_of_its_own_until_the_document_is_there(
    home_of_it: Path, tmp_path: Path
) -> None:
    def look(reader: Reader, word: str) -> Style:
        found = [
            segment.style
            for row in range(40)
            for segment in reader.render_line(row)
            if word in segment.text and segment.style and segment.style.underline
        ]
        assert found[0] is not None
        return found[0]

    async with bench(home_of_it) as b:
        reader = await reading(b)
        await b.pilot.press("g")
        for form in ("rendered", "raw"):
            await b.until(lambda: look(reader, "nothing").italic, "a look of its own")
            assert look(reader, "nothing").underline, "it is a link all the same"
            assert look(reader, "nothing").color != look(reader, "peel").color
            assert not look(reader, "peel").italic
            assert not look(reader, "twin").italic, "one that may mean two documents leads somewhere"
            assert not look(reader, "web").italic
            assert reader.form == form
            await b.pilot.press("M", "g")
        await b.pilot.press("full_stop", "full_stop", "full_stop")
        assert "link 3 of 6 · leads nowhere" in b.text()
        await b.pilot.press("f")
        await b.until(lambda: isinstance(b.app.screen, PickScreen))
        assert "nowhere.md · leads nowhere" in b.text()
        await b.pilot.press("escape")
        await b.until(lambda: b.app.screen is b.workbench)
        (tmp_path / "more").mkdir()
        (tmp_path / "more" / "nowhere.md").write_text("# Nowhere\n\nHere it is.\n")
        with Engine(settings_of(home_of_it)) as engine:
            engine.index([tmp_path / "more"])
        await b.until(lambda: not look(reader, "nothing").italic, "the look of any link")


async def test_only_addresses_of_the_web_are_told_to_the_terminal(home_of_it: Path) -> None:
    async with bench(home_of_it) as b:
        reader = await reading(b)
        await b.pilot.press("g")
        told = {
            segment.text.strip(): segment.style.link
            for row in range(40)
            for segment in reader.render_line(row)
            if segment.style and segment.style.underline
        }
        assert told["the web"] == "https://example.org/banana?q=1"
        assert told["a program"] is None


async def test_an_address_of_the_web_is_shown_before_anything_opens(
    home_of_it: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.new && mv {opened}.new {opened}\n')
    browser.chmod(0o700)
    monkeypatch.setenv("BROWSER", str(browser))
    async with bench(home_of_it) as b:
        reader = await reading(b)
        await b.pilot.press("g", *["full_stop"] * 4)
        await b.pilot.press("enter")
        await b.until(lambda: isinstance(b.app.screen, AddressScreen))
        assert "https://example.org/banana?q=1" in b.text()
        assert not opened.exists()
        await b.pilot.press("o")
        await b.until(opened.exists, "the browser")
        assert opened.read_text() == "https://example.org/banana?q=1\n"
        await b.pilot.press("full_stop")
        assert reader.link == 4
        await b.pilot.press("enter")
        await b.until(lambda: isinstance(b.app.screen, AddressScreen))
        assert "open it with" not in b.text(), "only the web and mail"
        await b.pilot.press("o", "y")
        await b.until(lambda: b.app.context.said)
        assert b.app.context.said[-1].text == "Copied the address."


def test_without_a_desktop_no_browser_is_looked_for() -> None:
    assert addresses.program({}) is None
    assert addresses.program({"BROWSER": "my-browser --new %s:other"}) == ["my-browser", "--new", "%s"]
    assert addresses.program({"BROWSER": "'unclosed"}) is None
    assert not addresses.can_be_opened("file:///etc/passwd")
    assert addresses.is_elsewhere("//host/x")
    assert not addresses.is_elsewhere("notes/a.md")


async def test_contents_list_the_headings_and_lead_there_and_back(home_of_it: Path) -> None:
    async with bench(home_of_it) as b:
        reader = await reading(b)
        await b.pilot.press("g", "c")
        await b.until(lambda: isinstance(b.app.screen, PickScreen))
        assert "Abroad" in b.text()
        await b.pilot.press(*"far", "enter")
        await b.until(lambda: not isinstance(b.app.screen, PickScreen))
        await b.until(lambda: "Line 3 is about fruit." in b.text())
        assert reader.row > 0
        await b.pilot.press("left_square_bracket")
        await b.until(lambda: reader.row == 0)


async def test_contents_of_a_program_are_its_symbols(home_of_it: Path) -> None:
    async with bench(home_of_it) as b:
        reader = await reading(b, "plantain pleasure")
        await b.pilot.press("c")
        await b.until(lambda: isinstance(b.app.screen, PickScreen))
        assert "Fruit.eat" in b.text()
        await b.pilot.press(*"eat", "enter")
        await b.until(lambda: not isinstance(b.app.screen, PickScreen))
        await b.pilot.press("M")
        assert "no Markdown" in b.app.context.said[-1].text
        assert reader.passage is not None


async def test_the_links_are_listed_and_narrowed(home_of_it: Path) -> None:
    async with bench(home_of_it) as b:
        await reading(b)
        await b.pilot.press("f")
        await b.until(lambda: isinstance(b.app.screen, PickScreen))
        b.app.screen.query_one(Input).value = "how-to"
        await b.until(lambda: "1 of 6" in b.text())
        await b.pilot.press("enter")
        await at(b, "Peel")


async def test_about_says_who_links_here_what_is_alike_and_what_is_known(home_of_it: Path) -> None:
    async with bench(home_of_it) as b:
        await reading(b)
        await b.pilot.press("i")
        await b.until(lambda: isinstance(b.app.screen, AboutScreen) and "looked up" not in b.text())
        text = b.text()
        assert "builds_on" in text
        assert "From the end, says [[tour]]." in text, "the line that the link stands in"
        assert "not there (yet)" in text
        await b.pilot.press("G")
        assert "front matter" in b.text()
        await b.pilot.press("g", "j", "enter")
        await at(b, "Peel")
        await b.pilot.press("left_square_bracket")
        await at(b, "A tour")


async def test_in_a_small_window_titles_about_a_document_are_whole_before_paths_are(home_of_it: Path) -> None:
    async with bench(home_of_it, (60, 16)) as b:
        await reading(b)
        await b.pilot.press("i")
        await b.until(lambda: isinstance(b.app.screen, AboutScreen) and "looked up" not in b.text())
        row = next(line for line in b.lines() if "builds_on" in line)
        assert " Peel " in row


async def test_moments_about_a_document_are_by_the_clock_of_this_machine(
    home_of_it: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "HERE-13:30")
    time.tzset()
    async with bench(home_of_it) as b:
        await reading(b)
        await b.pilot.press("i")
        await b.until(lambda: isinstance(b.app.screen, AboutScreen) and "looked up" not in b.text())
        await b.pilot.press("G")
        added = b.app.context.opening.wait().reading.about("tour.md").particulars.added
        here = f"{added + timedelta(hours=13, minutes=30):%Y-%m-%d %H:%M}"
        await b.until(lambda: f"{here}, changed {here}" in b.text())


async def test_what_is_selected_is_copied_as_it_is_written(home_of_it: Path) -> None:
    async with bench(home_of_it) as b:
        reader = await reading(b)
        await b.pilot.press("g")
        row = next(row for row in range(40) if "is yellow" in reader_text(reader, row))
        column = reader_text(reader, row).index("banana")
        end = reader_text(reader, row).index(", see")
        b.app.screen.selections = {reader: Selection(Offset(column, row), Offset(end, row))}
        await b.pilot.press("y")
        assert b.app.clipboard == "banana* is **yellow"
        assert b.app.context.said[-1].text == "Copied line 8 of A tour."
        b.app.screen.clear_selection()
        await b.pilot.press("G", "y")
        assert b.app.clipboard.startswith("Line "), "what is in view"
        assert b.app.clipboard.endswith("The last banana.")
        await b.pilot.press("Y")
        assert "tour.md:" in b.app.clipboard


def reader_text(reader: Reader, row: int) -> str:
    assert reader.sheet is not None
    return "".join(piece.text for piece in reader.sheet.pieces(row))


async def test_reading_above_a_pane_has_the_same_keys(home_of_it: Path) -> None:
    async with bench(home_of_it) as b:
        await b.opened()
        passage = b.app.context.opening.wait().show("tour.md")
        b.app.push_screen(ReadingScreen(b.app.context, passage))
        await b.until(lambda: isinstance(b.app.screen, ReadingScreen) and "is yellow" in b.text())
        await b.pilot.press("M")
        assert "**yellow**" in b.text()
        await b.pilot.press("n")
        assert "No word of the query" in b.app.context.said[-1].text
        await b.pilot.press("full_stop", "enter")
        reader = b.app.screen.query_one(Reader)
        await b.until(lambda: reader.passage is not None and reader.passage.document.title == "Peel")
        await b.pilot.press("y")
        assert "of Peel" in b.app.context.said[-1].text
        await b.pilot.press("i")
        await b.until(lambda: isinstance(b.app.screen, AboutScreen))
        await b.pilot.press("escape", "escape")
        await b.until(lambda: b.app.screen is b.workbench)


async def test_keys_of_curation_work_in_a_document_that_is_read_above_a_pane_with_undo(
    home_of_it: Path,
) -> None:
    async with bench(home_of_it) as b:
        await b.opened()
        await b.pilot.press("alt+2", "right")
        await b.until(lambda: "tour.md" in b.text())
        b.app.context.dialogs.read("tour.md")
        await b.until(lambda: isinstance(b.app.screen, ReadingScreen) and "is yellow" in b.text())
        engine = b.app.context.opening.wait()

        async def done(text: str) -> None:
            await b.until(lambda: any(text in one.text for one in b.app.context.said), text)
            b.app.context.said.clear()

        await b.pilot.press("p")
        await done("Pinned “A tour” · u undoes it")
        reader = b.app.screen.query_one(Reader)
        await b.until(lambda: reader.passage is not None and reader.passage.document.pinned, "the pin")
        await b.pilot.press("p")
        await done("npinned “A tour”")
        await b.pilot.press("u")
        await done("“A tour”")
        assert engine.document("tour.md").pinned
        await b.pilot.press("ctrl+r")
        await done("“A tour”")
        assert not engine.document("tour.md").pinned
        await b.pilot.press("t")
        await b.until(lambda: isinstance(b.app.screen, PickScreen))
        await b.type("read")
        await b.pilot.press("enter")
        await done("“A tour”")
        assert "read" in engine.document("tour.md").tags
        await b.pilot.press("r")
        await b.until(lambda: isinstance(b.app.screen, PickScreen))
        await b.pilot.press("w", "enter")
        await done("“A tour”")
        assert engine.document("tour.md").tier == "wiki"
        await b.pilot.press("g", "full_stop", "enter")
        await b.until(lambda: reader.passage is not None and reader.passage.document.title == "Peel")
        await b.pilot.press("l")
        await b.until(lambda: isinstance(b.app.screen, PickScreen))
        await b.type("fruit.py")
        await b.pilot.press("enter")
        await b.until(lambda: "How are they related?" in b.text())
        await b.pilot.press("enter")
        await done("Peel")
        assert any(
            one.document and one.document.path == "fruit.py" for one in engine.reading.links("peel.md")
        )
        await b.pilot.press("space", "m", "plus")
        assert not b.app.context.said, "there is no list to mark or merge in, and no query to judge for"
        await b.pilot.press("escape")
        await b.until(lambda: b.app.screen is b.workbench)


async def test_what_goes_into_the_trash_while_it_is_read_stays_to_be_read_and_says_so(
    home_of_it: Path,
) -> None:
    async with bench(home_of_it) as b:
        await b.opened()
        b.app.context.dialogs.read("peel.md")
        await b.until(lambda: isinstance(b.app.screen, ReadingScreen) and "Words about peeling" in b.text())
        await b.pilot.press("x")
        await b.until(
            lambda: "link" in b.text() and not isinstance(b.app.screen, ReadingScreen), "the question"
        )
        await b.pilot.press("y")
        await b.until(lambda: "Peel · not there any more" in b.text(), "where it is")
        assert "Words about peeling" in b.text()
        await b.pilot.press("u")
        await b.until(lambda: "not there any more" not in b.text())
        assert not b.app.context.opening.wait().curation.trashed()


async def test_the_palette_acts_on_the_document_that_is_read_above_and_not_on_what_lies_below(
    home_of_it: Path,
) -> None:
    async with bench(home_of_it) as b:
        await b.searched("plantain pleasure")
        b.app.context.dialogs.read("tour.md")
        await b.until(lambda: isinstance(b.app.screen, ReadingScreen) and "is yellow" in b.text())
        pin = next(one for one in b.app.context.keymap.actions if one.id == "curation.pin")
        await b.workbench.carry_out(pin)
        await b.until(lambda: b.app.context.said)
        assert "Pinned “A tour”" in b.app.context.said[-1].text
        merge = next(one for one in b.app.context.keymap.actions if one.id == "curation.merge")
        await b.workbench.carry_out(merge)
        assert b.app.context.said[-1].text == "There is nothing here for: merge."


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 34)])
async def test_the_reader_with_the_whole_window(
    filled: Path, frame: Callable[[App[None], str], None], width: int, height: int
) -> None:
    async with bench(filled, (width, height)) as b:
        await reading(b, "spectral gap")
        await b.pilot.press("z", "g", "full_stop")
        reader = b.hits.reader
        await b.until(lambda: reader.region.width == width and reader._laid == (reader.form, reader.room))
        frame(b.app, f"reader-{width}x{height}")
        await b.pilot.press("M")
        frame(b.app, f"reader-raw-{width}x{height}")
        await b.pilot.press("c")
        await b.until(lambda: isinstance(b.app.screen, PickScreen))
        frame(b.app, f"contents-{width}x{height}")


async def test_a_document_that_is_maximised_right_after_it_was_scrolled_has_the_whole_width(
    home_of_it: Path,
) -> None:
    async with bench(home_of_it) as b:
        reader = await reading(b)
        before = reader.room
        b.workbench.action_maximise()
        b.workbench._compositor._full_map_invalidated = True  # as a scroll leaves it
        assert reader.region, "which Textual works out anew, before the layout that it sends `Resize` for"
        await b.until(lambda: reader.room > before)
        await b.until(lambda: reader._laid == (reader.form, reader.room))


async def test_who_comes_back_before_another_document_is_read_finds_the_first_as_it_was_left(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cursor goes down and up again, and on to the next match, while the other document is still read."""
    show, gate = Engine.show, threading.Event()
    async with bench(filled) as b:
        await b.searched("spectral gap")
        first = b.hits.results.hits[0].document.id

        def slow(engine: Engine, ref: str, query: str = "") -> Passage:
            if ref != first:
                gate.wait(20)
            return show(engine, ref, query)

        monkeypatch.setattr(Engine, "show", slow)
        reader = b.hits.reader
        before = reader.match
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.results.has_focus)
        b.hits.results.cursor = 1
        await b.pilot.press("up", "n")
        await b.until(lambda: reader.match == before + 1, "the next match")
        gate.set()
        await b.until(lambda: reader._reading is None, "the other document")
        assert reader.passage is not None
        assert reader.passage.document.id == first
        assert reader.match == before + 1
