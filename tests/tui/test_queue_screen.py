"""The curation queue on the screen: one item at a time, a key decides, undo asks again."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.app import App

from ark_tui.curation import edits
from ark_tui.domain.library import Listing
from ark_tui.engine import Engine
from ark_tui.interfaces.tui.screens.picking import PickScreen
from ark_tui.interfaces.tui.screens.queue import QueueScreen, Side
from tests.tui.bench import Bench, bench, settings_of
from tests.tui.shelves import library

CARDS = "Index cards in a box. One idea on each card, and a number to find it by. " * 3


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a duplicate, a contradiction, and a document without a tag."""
    home = tmp_path_factory.mktemp("asking") / "home"
    with Engine(settings_of(home)) as engine:
        engine.ingest_text(CARDS, title="Cards", tags=["desk"])
        engine.ingest_text(CARDS, title="Cards again", tags=["desk"])
        engine.ingest_text("Rivers run to the sea.", title="Rivers", tags=["water"])
        engine.ingest_text("No river reaches any sea.", title="No rivers", tags=["water"])
        engine.ingest_text("Bread wants salt.", title="Bread")
        engine.curation.edit(edits.link, _id(engine, "Rivers"), _id(engine, "No rivers"), "contradicts")
    return home


@pytest.fixture
def questions(asking: Path, home: Path) -> Path:
    """That home, for one test."""
    return shutil.copytree(asking, home)


def _id(engine: Engine, title: str) -> str:
    page = engine.library.documents(Listing(words=title))
    return next(one.id for one in page.rows if one.title == title)


async def queue(b: Bench, kind: str = "") -> QueueScreen:
    """The queue, opened from the library, with an item of a kind in front."""
    await library(b)
    await b.pilot.press("Q")
    screen = await b.shown(QueueScreen)
    await b.until(lambda: screen._looked)
    while kind and screen.item is not None and screen.item.kind != kind:
        await b.pilot.press("right")
    return screen


def read(screen: QueueScreen) -> list[str]:
    """The titles of the texts that are shown."""
    passages = [side.reader.passage for side in screen.query(Side) if side.display]
    return [passage.document.title for passage in passages if passage is not None]


async def test_two_texts_stand_side_by_side_and_a_key_keeps_one_of_them(questions: Path) -> None:
    async with bench(questions) as b:
        screen = await queue(b, "duplicate")
        await b.until(lambda: sorted(read(screen)) == ["Cards", "Cards again"])
        first, second = (side.region for side in screen.query(Side))
        assert (first.y, first.right) == (second.y, second.x)
        assert "0 decided · 3 left" in b.text()
        item = screen.item
        assert item is not None
        await b.pilot.press("1")
        await b.until(lambda: "1 decided · 2 left" in b.text())
        engine = b.app.context.opening.home().engine
        assert [one.id for one in engine.curation.trashed()] == [item.documents[1].id]
        await b.pilot.press("u")
        await b.until(lambda: "0 decided · 3 left" in b.text())
        await b.until(lambda: screen.item == item, "what was undone is asked again, at once")
        await b.pilot.press("b")
        await b.until(lambda: "1 decided · 2 left" in b.text())
        assert engine.curation.trashed() == ()


async def test_contradictions_tags_and_putting_off_are_decided_until_nothing_is_left(questions: Path) -> None:
    async with bench(questions) as b:
        screen = await queue(b, "contradiction")
        await b.until(lambda: sorted(read(screen)) == ["No rivers", "Rivers"])
        await b.pilot.press("n")
        await b.until(lambda: "1 decided · 2 left" in b.text())
        while screen.item and screen.item.kind != "untagged":
            await b.pilot.press("right")
        await b.until(lambda: read(screen) == ["Bread"], "one text has the whole width")
        await b.pilot.press("t")
        await b.shown(PickScreen)
        await b.pilot.press("ctrl+u")
        await b.type("food")
        await b.pilot.press("enter")
        await b.until(lambda: "2 decided · 1 left" in b.text())
        await b.pilot.press("l")
        await b.until(lambda: "Nothing to do. 1 item postponed until tomorrow." in b.text())
        await b.pilot.press("1", "b", "right", "j", "escape")
        await b.until(lambda: b.app.screen is b.workbench)
        engine = b.app.context.opening.home().engine
        assert engine.document(_id(engine, "Bread")).tags == ("food",)


async def test_the_queue_as_it_looks(questions: Path, frame: Callable[[App[None], str], None]) -> None:
    async with bench(questions) as b:
        screen = await queue(b, "contradiction")
        await b.until(lambda: sorted(read(screen)) == ["No rivers", "Rivers"])
        frame(b.app, "queue-120x34")
