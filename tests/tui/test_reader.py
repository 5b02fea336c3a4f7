"""The reader: rendered and raw, from link to link and back, contents, and what is known of a document."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.app import App
from textual.geometry import Offset
from textual.selection import Selection

from ark_tui.domain.documents import Passage
from ark_tui.engine import Engine
from ark_tui.interfaces.tui.screens.dialog import ConfirmScreen
from ark_tui.interfaces.tui.screens.picking import PickScreen
from ark_tui.interfaces.tui.widgets.reader import Reader
from tests.tui.bench import Bench, bench, settings_of

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


async def follow(b: Bench, label: str) -> None:
    """Follow the link with a label."""
    await b.pilot.press("f")
    await b.answer(label)


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
        await b.pilot.press("g", "f")
        await b.until(lambda: "the peel" in b.text())
        monkeypatch.setattr(Engine, "show", slow)
        await b.pilot.press("enter")
        await b.until(lambda: reader.is_coming)
        await b.pilot.press("p")
        await b.until(lambda: b.said("The document is still loading."), "no edit of another document")
        await b.pilot.press(key)
        gate.set()
        await at(b, "Peel")
        await b.until(lambda: b.said(meant) or meant in b.text(), meant)
        assert not b.said("Pinned")


async def test_links_are_followed_and_the_way_back_leads_to_the_same_place(home_of_it: Path) -> None:
    async with bench(home_of_it) as b:
        reader = await reading(b)
        await b.pilot.press("g")
        await follow(b, "the peel")
        await at(b, "Peel")
        assert "From the end, says tour" in b.text(), "it is open at the heading"
        assert str(reader.border_title).startswith("‹ ")
        await follow(b, "tour")
        await at(b, "A tour")
        await b.pilot.press("left_square_bracket")
        await at(b, "Peel")
        await b.until(lambda: "From the end" in b.text())
        await b.pilot.press("left_square_bracket")
        await at(b, "A tour")
        assert reader.row == 0
        await b.pilot.press("right_square_bracket")
        await at(b, "Peel")
        await b.pilot.press("left_square_bracket", "left_square_bracket")
        await at(b, "A tour")
        await b.until(lambda: b.app.context.said)
        assert b.app.context.said[-1].text == "There is nothing to go back to."
        await follow(b, "nothing")
        await b.until(lambda: b.said("There is no document nowhere.md yet."))
        await follow(b, "twin")
        await b.until(lambda: "Twin B" in b.text())
        await b.pilot.press("down", "enter")
        await at(b, "Twin B")


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
        await b.pilot.press("g")
        told = {
            segment.text.strip(): segment.style.link
            for row in range(40)
            for segment in reader.render_line(row)
            if segment.style and segment.style.underline
        }
        assert told["the web"] == "https://example.org/banana?q=1", "the terminal is told of it"
        assert told["a program"] is None
        await follow(b, "the web")
        await b.shown(ConfirmScreen)
        assert "https://example.org/banana?q=1" in b.text()
        assert not opened.exists()
        await b.pilot.press("o")
        await b.until(opened.exists, "the browser")
        assert opened.read_text() == "https://example.org/banana?q=1\n"
        await follow(b, "a program")
        await b.shown(ConfirmScreen)
        assert "open with" not in b.text(), "only the web and mail"
        await b.pilot.press("o", "y")
        await b.until(lambda: b.app.context.said)
        assert b.app.context.said[-1].text == "Copied the address."


async def test_contents_and_details_list_what_is_known_and_lead_there_and_back(home_of_it: Path) -> None:
    async with bench(home_of_it) as b:
        reader = await reading(b)
        await b.pilot.press("g", "c")
        await b.shown(PickScreen)
        assert "Abroad" in b.text()
        await b.pilot.press(*"far", "enter")
        await b.until(lambda: not isinstance(b.app.screen, PickScreen))
        await b.until(lambda: "Line 3 is about fruit." in b.text())
        assert reader.row > 0
        await b.pilot.press("left_square_bracket")
        await b.until(lambda: reader.row == 0)
        await b.pilot.press("i")
        await b.until(lambda: isinstance(b.app.screen, PickScreen) and "Backlinks" in b.text())
        text = b.text()
        assert "builds_on" in text
        assert "From the end, says [[tour]]." in text, "the line that the link stands in"
        assert "no such document" in text
        await b.type("front matter")
        await b.until(lambda: "tour" in b.text() and "builds_on" not in b.text())
        await b.pilot.press("ctrl+u", "enter")
        await at(b, "Peel")
        await b.pilot.press("left_square_bracket")
        await at(b, "A tour")


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


async def test_the_reader_with_the_whole_window(
    filled: Path, frame: Callable[[App[None], str], None]
) -> None:
    async with bench(filled, (80, 24)) as b:
        await reading(b, "spectral gap")
        await b.pilot.press("z", "g")
        reader = b.hits.reader
        await b.until(lambda: reader.region.width == 80 and reader._laid == (reader.form, reader.room))
        frame(b.app, "reader-80x24")
        await b.pilot.press("M")
        await b.until(lambda: reader._laid == ("raw", reader.room))
        frame(b.app, "reader-raw-80x24")
