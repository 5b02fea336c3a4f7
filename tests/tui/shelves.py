"""The library of a workbench, found, looked at and answered."""

from __future__ import annotations

from ark_tui.interfaces.tui.panes.library import LibraryPane
from tests.tui.bench import Bench


async def library(b: Bench, view: str = "sources") -> LibraryPane:
    """The library, with a view in front that has been looked up."""
    await b.opened()
    await b.pilot.press("alt+2")
    await b.until(lambda: b.workbench.panes.current == "library")
    pane = b.workbench.query_one(LibraryPane)
    await b.until(lambda: pane.first.has_focus)
    while pane.view != view:
        await b.pilot.press("right")
    await b.until(lambda: pane.first.has_focus)
    if view == "browser":
        await b.until(lambda: view not in pane._old)
    return pane


def titles(pane: LibraryPane) -> list[str]:
    rows = pane.rows
    assert rows is not None
    return [one.title for row in range(rows.count) if (one := rows.document(row))]
