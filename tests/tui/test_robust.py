"""What is very large, very small or very often: the app draws no more than fits, and answers afterwards."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from rich.console import RenderableType
from textual._compositor import Compositor
from textual.events import Resize
from textual.geometry import Region, Size
from textual.widgets import Static

from ark_tui.domain.memory import Scope
from ark_tui.engine import Engine
from ark_tui.interfaces.tui.panes.notebook import NotebookPane, Pad, Tasks
from ark_tui.interfaces.tui.widgets.ink import Piece
from ark_tui.interfaces.tui.widgets.row_list import RowList
from ark_tui.store import Store, scratch, tasks
from tests.support import SteadyClock
from tests.tui.bench import Bench, bench, settings_of

pytestmark = pytest.mark.usefixtures("painted")

MANY = 5_000
MEGABYTE = 1_000_000

LAYOUTS = [
    ((59, 24), "-tiny"), ((60, 16), "-narrow"), ((99, 24), "-narrow"), ((100, 24), "-normal"),
    ((159, 40), "-normal"), ((160, 40), "-wide"), ((120, 15), "-low"), ((120, 34), "-high"),
]  # fmt: skip


async def test_after_a_storm_of_window_sizes_over_several_panes_the_layout_is_right_and_a_query_has_hits(
    filled: Path,
) -> None:
    random = Random(6)
    async with bench(filled) as b:
        await b.searched("spectral gap")
        for pane in ("2", "3", "4", "5", "6", "1"):
            await b.pilot.press(f"alt+{pane}")
            for _ in range(12):
                _resize(b, Size(random.randint(1, 220), random.randint(1, 60)))
            await b.pilot.pause()
        for size, layout in LAYOUTS:
            await b.pilot.resize_terminal(*size)
            await b.until(lambda layout=layout: b.workbench.has_class(layout), f"{layout} at {size}")  # type: ignore[misc]
            assert len(b.lines()) == size[1]
            assert all(len(line) <= size[0] for line in b.lines())
        await b.pilot.press("ctrl+f")
        await b.until(lambda: b.search.query_line.has_focus)
        b.search.query_line.value = ""
        await b.until(lambda: b.search.result is None)
        await b.searched("Lanczos")
        assert b.titles()[0] == "Lanczos, restarted"
        assert "Lanczos, restarted" in b.text()
        assert not b.app.context.said


async def test_what_goes_is_painted_over_though_somebody_asks_for_a_place_before(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    painted: set[Region] = set()
    update = Compositor.render_update

    def recorded(compositor: Compositor, *what: Any, **how: Any) -> RenderableType | None:
        painted.update(compositor._dirty_regions)
        return update(compositor, *what, **how)

    monkeypatch.setattr(Compositor, "render_update", recorded)
    async with bench(filled) as b:
        await b.searched("spectral gap")
        reader, screen = b.hits.reader, b.app.screen
        place = reader.region
        screen._compositor.update_widgets({Static()})  # as one that has no place yet
        painted.clear()
        reader.display = False
        assert screen.find_widget(b.search.query_line).region
        await b.until(lambda: not reader.region, "the reader is gone")
        assert any(region.contains_region(place) for region in painted)


def _resize(b: Bench, size: Size) -> None:
    """As a window that is dragged: the next size comes whether the last has been drawn or not."""
    assert b.app._driver is not None
    b.app._driver._size = size
    b.app.post_message(Resize(size, size))


@pytest.fixture
def full_notebook(home: Path) -> Path:
    """A home with five thousand tasks and as many values on the pad."""
    with Engine(settings_of(home)) as engine:
        scope: Scope = engine.memory.scope()
        task = engine.memory.tasks.add(scope, "task number 1")
        value = engine.memory.scratch.set(scope, "key0001", "value number 1")
    at = task.created.replace(tzinfo=None)
    store = Store(settings_of(home).home, SteadyClock())
    with store.write() as lease:
        lease.insert(
            "tasks",
            tasks.COLUMNS,
            [
                (scope.agent, scope.session, n, f"task number {n}", "open", "", [], float(n), at, at)
                for n in range(2, MANY + 1)
            ],
        )
        lease.insert(
            "scratch",
            scratch.COLUMNS,
            [
                (*_of(value.scope), f"key{n:04}", 1, f"value number {n}", False, at)
                for n in range(2, MANY + 1)
            ],
        )
    store.close()
    return home


def _of(scope: Scope) -> tuple[str, str]:
    return scope.agent, scope.session


async def test_a_notebook_of_five_thousand_tasks_and_values_draws_only_the_rows_in_view(
    full_notebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: dict[type[RowList], set[int]] = {Pad: set(), Tasks: set()}
    for kind, rows in drawn.items():
        _count(monkeypatch, kind, rows)
    async with bench(full_notebook) as b:
        pane = await _notebook(b)
        for leaves, words in ((pane.tasks, "task number"), (pane.pad, "value number")):
            leaves.focus()
            await b.until(lambda leaves=leaves: leaves.has_focus)  # type: ignore[misc]
            await b.pilot.press("G")
            await b.until(lambda words=words: f"{words} {MANY}" in b.text())  # type: ignore[misc]
            await b.pilot.press("k")
            assert leaves.cursor == MANY - 2
        pane.tasks.focus()
        await b.pilot.press("space")
        await b.until(lambda: "4999 open · 1 done" in b.text())
    in_view = 2 * 34  # the first and the last window full
    assert 0 < len(drawn[Tasks]) <= 2 * in_view
    assert 0 < len(drawn[Pad]) <= 2 * in_view


def _count(monkeypatch: pytest.MonkeyPatch, kind: type[RowList], rows: set[int]) -> None:
    """Note which rows of a list are drawn."""
    draw = kind.line

    def noted(self: RowList, row: int, part: int, width: int) -> list[Piece]:
        rows.add(row)
        return draw(self, row, part, width)

    monkeypatch.setattr(kind, "line", noted)


async def _notebook(b: Bench) -> NotebookPane:
    await b.opened()
    await b.pilot.press("alt+3")
    pane = b.workbench.query_one(NotebookPane)
    await b.until(lambda: pane.tasks.count == MANY and pane.pad.count == MANY, "the notebook")
    return pane


@pytest.mark.parametrize("name", ["line.txt", "line.md"])
async def test_a_document_of_a_megabyte_in_one_line_is_read_to_its_end(
    home: Path, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "long"
    folder.mkdir()
    text = "zeppelin " + "lorem ipsum dolor sit amet " * (MEGABYTE // 27) + "anchor"
    (folder / name).write_text(text)
    with Engine(settings_of(home)) as engine:
        engine.index([folder])
    async with bench(home) as b:
        await b.searched("zeppelin")
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.results.has_focus)
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.reader.has_focus)
        await b.pilot.press("g")
        await b.until(lambda: "zeppelin lorem" in b.text(), "its beginning")
        await b.pilot.press("G")
        await b.until(lambda: "amet anchor" in b.text(), "its end")
        await b.pilot.resize_terminal(80, 24)
        await b.pilot.press("M", "g", "n", "G")
        await b.until(lambda: "anchor" in b.text(), "its end in another window")
        b.search.query_line.value = ""
        await b.until(lambda: b.search.result is None)
        await b.searched("lorem ipsum")
        assert b.hits.results.hits
