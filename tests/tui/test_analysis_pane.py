"""The analysis of the workbench: every measure drawn, its documents read, and a measure cancelled."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.app import App

from ark_tui.domain.analysis import Analysis
from ark_tui.domain.errors import Cancelled
from ark_tui.domain.work import Progress
from ark_tui.engine.analysing import Analysing
from ark_tui.interfaces.reports.measures import MEASURES
from ark_tui.interfaces.tui.panes.analysis import AnalysisPane
from ark_tui.interfaces.tui.screens.reading import ReadingScreen
from ark_tui.interfaces.tui.widgets.reader import Reader
from tests.tui.bench import Bench, bench


async def analysis(b: Bench) -> AnalysisPane:
    await b.opened()
    await b.pilot.press("alt+5")
    await b.until(lambda: b.workbench.panes.current == "analysis")
    pane = b.workbench.query_one(AnalysisPane)
    await b.until(lambda: pane.measures.has_focus)
    return pane


def taken(pane: AnalysisPane, name: str) -> bool:
    """Whether the measure of that name is shown."""
    return pane.showing >= 0 and MEASURES[pane.showing].name == name


async def test_every_measure_is_taken_and_its_documents_are_read(filled: Path) -> None:
    async with bench(filled, (120, 20)) as b:
        pane = await analysis(b)
        for measure in MEASURES:
            await b.until(lambda name=measure.name: taken(pane, name), measure.name)  # type: ignore[misc]
            assert f"{measure.name}: {measure.about}" in b.text()
            await b.pilot.press("j")
        await b.pilot.press("g", "j", "j")
        await b.until(lambda: taken(pane, "Centrality") and pane.found.count)
        title = pane.found.rows[0][0].title
        pane.found.focus()
        await b.until(lambda: pane.found.has_focus)
        await b.pilot.press("enter")
        await b.until(lambda: isinstance(b.app.screen, ReadingScreen) and title in b.text())
        assert b.app.screen.query_one(Reader).row == 0, "it is read from its beginning"
        await b.pilot.press("escape")
        await b.until(lambda: pane.found.has_focus)


async def test_a_measure_says_how_far_it_is_and_is_cancelled(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = threading.Event()

    def run(*asked: object, stop: Any, progress: Any, limit: int) -> Analysis:
        assert len(asked) == 2
        assert limit > 1
        progress(Progress("neighbours", 3, 7))
        stop.wait(20)
        stopped.set()
        raise Cancelled

    monkeypatch.setattr(Analysing, "run", run)
    async with bench(filled) as b:
        pane = await analysis(b)
        await b.until(lambda: "neighbours 3 of 7" in b.text())
        assert "x cancels" in b.text()
        await b.pilot.press("x")
        await b.until(lambda: "Stopped." in b.text())
        await b.until(stopped.is_set)
        assert pane.measures.has_focus


async def test_every_point_of_the_map_leads_to_its_document(filled: Path) -> None:
    async with bench(filled) as b:
        pane = await analysis(b)
        pane.measures.move_to([measure.name for measure in MEASURES].index("Map"))
        await b.until(lambda: taken(pane, "Map") and "◉" in b.text())
        rows = [document.title for document, _ in pane.found.rows]
        assert len(rows) == len(set(rows)) == 6, "every document is on the map"
        seen = set()
        for row in range(len(rows)):
            pane.found.move_to(row)
            await b.until(lambda row=row: pane.found.cursor == row)  # type: ignore[misc]
            await b.pilot.pause()
            seen.add(next((y, line.index("◉")) for y, line in enumerate(b.lines()) if "◉" in line))
        assert len(seen) > 1, "the mark goes along"
        y, x = min(seen)
        await b.pilot.click(offset=(x, y))
        await b.until(lambda: pane.found.has_focus and "◉" in b.lines()[y][x])
        title = rows[pane.found.cursor]
        await b.pilot.press("enter")
        await b.until(lambda: isinstance(b.app.screen, ReadingScreen) and title in b.text())


async def test_an_empty_home_names_the_keys_that_help_and_is_measured_once_there_is_something(
    home: Path, notes: Path
) -> None:
    async with bench(home) as b:
        pane = await analysis(b)
        await b.until(lambda: taken(pane, "Summary"))
        assert pane.found.count == 0
        assert "There is nothing to measure yet. F2 index a folder, F3 index the sample notes." in b.text()
        await b.pilot.press("j", "j")
        await b.until(lambda: taken(pane, "Centrality"))
        b.workbench.index(notes)
        await b.until(lambda: pane.found.count, "what is central, without a key")


async def test_the_analysis_as_it_looks(filled: Path, frame: Callable[[App[None], str], None]) -> None:
    async with bench(filled) as b:
        pane = await analysis(b)
        await b.pilot.press("j", "j")
        await b.until(lambda: taken(pane, "Centrality") and pane.found.count)
        assert pane.chart.region.width > pane.measures.region.width
        frame(b.app, "analysis-120x34")
