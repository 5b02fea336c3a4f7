"""The notebook of the workbench: scratchpad and tasks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual.app import App

from ark_tui.engine import Engine
from ark_tui.interfaces.tui.panes.notebook import NotebookPane
from ark_tui.interfaces.tui.state import noting
from ark_tui.interfaces.tui.state.client import Client, Opening
from tests.tui.bench import Bench, bench, settings_of


async def notebook(b: Bench) -> NotebookPane:
    await b.opened()
    await b.pilot.press("alt+3")
    await b.until(lambda: b.workbench.panes.current == "notebook")
    pane = b.workbench.query_one(NotebookPane)
    await b.until(lambda: pane.tasks.has_focus)
    return pane


@contextmanager
def asking(home: Path) -> Iterator[Client]:
    """What asks operations of a home as the workbench does."""
    opening = Opening(settings_of(home))
    opening.open()
    yield Client(opening)
    opening.close()


async def test_tasks_and_values_are_added_changed_and_deleted_and_all_of_it_is_taken_back(home: Path) -> None:
    async with bench(home) as b:
        pane = await notebook(b)
        await b.pilot.press("a")
        await b.answer("call Ann #home due:2026-02-03")
        await b.until(lambda: pane.tasks.count == 1)
        assert "call Ann" in b.text()
        assert "#home  due 2026-02-03" in b.text()
        await b.pilot.press("space")
        await b.until(lambda: (t := pane.tasks.here) is not None and t.state == "done")
        assert "✓ call Ann" in b.text()
        await b.pilot.press("e")
        await b.answer("call Bob")
        await b.until(lambda: (t := pane.tasks.here) is not None and t.text == "call Bob" and not t.tags)
        await b.pilot.press("x")
        await b.until(lambda: pane.tasks.count == 0)
        assert "No tasks yet. a add one." in b.text()
        await b.pilot.press("u", "u", "u")
        await b.until(
            lambda: (t := pane.tasks.here) is not None and t.state == "open" and t.text == "call Ann"
        )
        assert pane.tasks.here is not None
        assert (pane.tasks.here.tags, str(pane.tasks.here.due)) == (("home",), "2026-02-03")
        await b.pilot.press("u")
        await b.until(lambda: pane.tasks.count == 0)
        await b.pilot.press("u")
        await b.until(lambda: "There is nothing to undo." in b.app.context.said[-1].text)
        pane.pad.focus()
        await b.until(lambda: pane.pad.has_focus)
        await b.pilot.press("a")
        await b.answer("plan ask Ann first")
        await b.until(lambda: pane.pad.count == 1)
        await b.pilot.press("enter")
        await b.answer("plan ask Bob")
        await b.until(lambda: "ask Bob" in b.text() and "version 2" in b.text())
        await b.pilot.press("x")
        await b.until(lambda: pane.pad.count == 0)
        await b.pilot.press("u", "u")
        await b.until(lambda: (v := pane.pad.here) is not None and v.value == "ask Ann first")


def test_a_task_reads_back_as_it_was_typed(home: Path) -> None:
    with asking(home) as client:
        noting.add("call Ann #home due:2026-02-03 17:00")(client)
        ((), (task,)) = noting.read(client, every=True)
        assert task.due == datetime(2026, 2, 3, 17, tzinfo=UTC)
        assert noting.as_typed(task) == "call Ann #home due:2026-02-03 17:00"


def test_when_a_task_is_due_is_typed_and_read_by_the_clock_of_this_machine_and_kept_in_utc(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "HERE-13:30")
    time.tzset()
    with asking(home) as client:
        noting.add("call Ann due:2026-02-03 17:00")(client)
        ((), (ann,)) = noting.read(client, every=True)
        assert ann.due == datetime(2026, 2, 3, 3, 30, tzinfo=UTC)
        assert noting.as_typed(ann) == "call Ann due:2026-02-03 17:00"
        changed = noting.edit(ann, "call Ann due:tomorrow at 1:00")(client)
        assert noting.read(client, every=True)[1][0].due == datetime(2026, 1, 1, 11, 30, tzinfo=UTC)
        changed.back(client)
        assert noting.read(client, every=True)[1][0].due == ann.due


async def test_the_notebook_as_it_looks(filled: Path, frame: Callable[[App[None], str], None]) -> None:
    with Engine(settings_of(filled)) as engine:
        memory, scope = engine.memory, engine.scope()
        memory.scratch.set(scope, "plan", "Ask Ann first.\nThen write it down.\nThen sleep on it.")
        memory.scratch.set(scope, "server", "the one under the desk")
        memory.tasks.add(scope, "Read the chapter on mixing times", due="2026-01-05", tags=["theory"])
        memory.tasks.add(scope, "[/red] is no markup", tags=["a"])
        memory.tasks.done(scope, memory.tasks.add(scope, "Index the notes").id)
    async with bench(filled) as b:
        pane = await notebook(b)
        await b.until(lambda: pane.tasks.count == 3 and "2 open · 1 done" in b.text())
        assert pane.tasks.region.x >= pane.pad.region.right
        frame(b.app, "notebook-120x34")
