"""The library: documents listed, filtered, curated and followed, by the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from textual.app import App

from ark_tui.curation import edits
from ark_tui.domain.documents import Document
from ark_tui.domain.library import Listing, Page
from ark_tui.engine import Engine
from ark_tui.engine.library import Library
from ark_tui.interfaces.tui.screens.reading import ReadingScreen
from tests.tui.bench import bench, settings_of
from tests.tui.shelves import library, titles


async def test_documents_are_listed_filtered_while_typing_sorted_and_read(filled: Path) -> None:
    async with bench(filled) as b:
        pane = await library(b, "browser")
        await b.until(lambda: len(titles(pane)) == 6)
        assert titles(pane) == sorted(titles(pane), key=str.lower)
        await b.pilot.press("f")
        await b.type("gap")
        await b.until(lambda: titles(pane) == ["gap.py", "Spectral gaps and mixing time"])
        await b.pilot.press("down")
        await b.until(lambda: pane.browser.documents.has_focus)
        await b.pilot.press("j", "O")
        await b.until(lambda: "by date" in b.text())
        assert titles(pane) == ["Spectral gaps and mixing time", "gap.py"]
        assert pane.browser.documents.cursor == 0, "the cursor stays on its document"
        await b.until(lambda: "The spectral gap of a reversible chain" in b.text(), "it is read beside")
        await b.pilot.press("enter")
        await b.shown(ReadingScreen)
        await b.pilot.press("escape", "escape")
        await b.until(lambda: len(titles(pane)) == 6)
        await b.pilot.press("escape")
        assert pane.view == "sources"
        await b.pilot.press("escape")
        assert b.workbench.panes.current == "library"


async def test_the_documents_of_one_collection_and_a_search_in_it(filled: Path) -> None:
    with Engine(settings_of(filled)) as engine:
        engine.ingest_text("Rice, salt, tea.", title="Shopping", collection="lists")
    async with bench(filled) as b:
        pane = await library(b)
        await b.until(lambda: pane.collections.count == 2)
        await b.pilot.press("enter")
        await b.until(lambda: pane.view == "browser" and titles(pane) == ["Shopping"])
        assert "Documents of lists" in b.text()
        await b.pilot.press("escape")
        await b.until(lambda: len(titles(pane)) == 7)
        await b.pilot.press("escape", "i")
        await b.until(lambda: b.workbench.panes.current == "search")
        assert b.search.query_line.value == "in:lists "


@pytest.mark.usefixtures("painted")  # rows are asked for when they are painted
async def test_a_hundred_thousand_documents_are_read_by_the_page(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store of many documents is stood in for: what is tried is that only pages in view are read."""
    with Engine(settings_of(filled)) as engine:
        one = engine.document("lanczos")
    asked: list[tuple[int, int]] = []

    def documents(
        self: Library, listing: Listing, start: int = 0, count: int = 200, around: str = ""
    ) -> Page[Document]:
        del self
        if not listing.trashed:  # which are few, and read whole
            asked.append((start, count))
        rows = range(start, min(100_000, start + count))
        row = int(around) if around.isdigit() else None
        return Page(tuple(replace(one, id=str(row), title=f"Row {row}") for row in rows), 100_000, start, row)

    monkeypatch.setattr(Library, "documents", documents)
    async with bench(filled) as b:
        pane = await library(b, "browser")
        await b.until(lambda: "Row 0 " in b.text())
        await b.pilot.press("G")
        await b.until(lambda: "Row 99999 " in b.text())
        await b.pilot.press("pageup", "ctrl+u", "k", "g")
        await b.until(lambda: pane.browser.documents.cursor == 0 and "Row 0 " in b.text())
        assert sum(count for _, count in asked) < 3_000


@pytest.mark.parametrize("size", [(80, 24), (120, 34)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_library_at_two_sizes(
    filled: Path, frame: Callable[[App[None], str], None], size: tuple[int, int]
) -> None:
    with Engine(settings_of(filled)) as engine:
        engine.curation.edit(edits.pin, ["laplacian"])
        engine.curation.edit(edits.supersede, ["gap.py"], "graphs/gap.md")
        engine.curation.edit(edits.trash, ["forgetting"])
    async with bench(filled, size) as b:
        await library(b)
        status = b.workbench.status
        assert status is not None
        still = tuple(
            replace(one, root="/home/ada/notes" if one.root else None, read=None)
            for one in status.collections
        )
        here = replace(
            status, collections=still, store_path="/home/ada/.ark/ark.duckdb", bytes=3 << 20, schema=12
        )
        b.workbench.show_status(here)
        await b.until(lambda: "/home/ada/notes" in b.text() and "Trash 1" in b.text())
        frame(b.app, f"library-{size[0]}x{size[1]}")
