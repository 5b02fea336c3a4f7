"""Several processes on one home: each sees what the others do, and none keeps the screen waiting."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ark_tui.engine import Engine
from ark_tui.faces.tui.panes.notebook import NotebookPane
from ark_tui.faces.tui.screens.ask import AskScreen
from ark_tui.faces.tui.work import child
from tests.tui.bench import Bench, bench, settings_of


@pytest.fixture
def other(filled: Path) -> Iterator[Engine]:
    """Another process's engine over the same home, as far as locks and files go."""
    with Engine(settings_of(filled)) as engine:
        yield engine


@contextmanager
def locked(engine: Engine) -> Iterator[None]:
    """While this lasts another process has the store."""
    with engine._parts.store.turn.hold(shared=False):
        yield


def said(b: Bench, text: str) -> bool:
    return any(text in one.text for one in b.app.said)


async def tag(b: Bench, name: str) -> None:
    await b.pilot.press("t")
    await b.until(lambda: isinstance(b.app.screen, AskScreen))
    await b.type(name)
    await b.pilot.press("enter")


async def test_the_notebook_shows_what_others_write_and_keeps_its_cursor(filled: Path, other: Engine) -> None:
    scope = other.memory.scope()
    for name in ("first", "second"):
        other.memory.tasks.add(scope, name, due="", tags=())
    async with bench(filled) as b:
        await b.opened()
        await b.pilot.press("alt+3")
        await b.until(lambda: b.workbench.query(NotebookPane))
        pane = b.workbench.query_one(NotebookPane)
        await b.until(lambda: pane.tasks.count == 2)
        await b.pilot.press("j")
        other.memory.scratch.set(scope, "plan", "ask Ann first")
        other.memory.tasks.add(scope, "third", due="", tags=())
        await b.until(lambda: pane.tasks.count == 3 and pane.pad.count == 1, "what the other wrote")
        assert pane.tasks.here is not None
        assert pane.tasks.here.text == "second"
        other.memory.tasks.delete(scope, 1)
        await b.until(lambda: pane.tasks.count == 2)
        assert pane.tasks.here.text == "second"


async def test_judgments_of_another_show_up_on_the_hits(filled: Path, other: Engine) -> None:
    async with bench(filled) as b:
        await b.opened()
        await b.searched("spectral gap")
        document = b.hits.results.hits[0].document.id
        other.curation.judge("spectral gap", document, 2)
        await b.until(lambda: b.hits.results.grades == {document: 2}, "the judgment")
        other.curation.trash((b.hits.results.hits[-1].document.id,))
        left = len(b.hits.results.hits) - 1
        await b.until(lambda: len(b.hits.results.hits) == left, "what was put into the trash")


async def test_a_store_that_another_has_for_long_is_said_and_what_was_done_follows(
    filled: Path, other: Engine
) -> None:
    async with bench(filled) as b:
        await b.opened()
        await b.searched("spectral gap")
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.results.has_focus)
        here = b.hits.results.hit
        assert here is not None
        with locked(other):
            await b.pilot.press("p")
            await b.pilot.press("slash")
            await b.type(" mixing")
            assert b.search.query_line.value == "spectral gap mixing", "keys do not wait"
            await b.until(lambda: said(b, "The store is held by process"))
            assert said(b, "What you do waits until it is free.")
        await b.until(lambda: other.document(here.document.id).pinned, "the pin")
        await b.until(lambda: b.complete("spectral gap mixing"))


async def test_a_full_disk_is_a_message_and_the_app_goes_on(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bench(filled) as b:
        await b.opened()
        await b.searched("spectral gap")
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.results.has_focus)
        full = threading.Event()
        full.set()
        write = Path.write_bytes

        def written(path: Path, data: bytes) -> int:
            if full.is_set():
                raise OSError(28, "No space left on device", str(path))
            return write(path, data)

        monkeypatch.setattr(Path, "write_bytes", written)
        await tag(b, "full")
        await b.until(lambda: said(b, "The disk is full"))
        full.clear()
        await tag(b, "room")
        await b.until(lambda: any("room" in hit.document.tags for hit in b.hits.results.hits), "the tag")


async def test_idle_is_idle_nothing_is_painted_when_nothing_changes(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paints = 0
    async with bench(filled, ARK_WATCH="1") as b:
        display = b.app._display

        def count(*arguments: object) -> None:
            nonlocal paints
            paints += 1
            display(*arguments)  # type: ignore[arg-type]

        await b.opened()
        await b.searched("spectral gap")
        workbench = b.workbench
        await b.until(lambda: workbench.attendant.looked and not workbench.work_rows.jobs.all)
        seen = workbench.polls
        await b.until(lambda: workbench.polls > seen + 8, "all to be settled")
        monkeypatch.setattr(b.app, "_display", count)
        seen = workbench.polls
        await b.until(lambda: workbench.polls > seen + 12, "three seconds of nothing")
        assert paints == 0
        await b.pilot.press("down")
        await b.until(lambda: paints)


def test_a_failure_that_nobody_has_foreseen_is_an_event_and_the_process_takes_the_next_order(
    filled: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> int:
        raise RuntimeError("lance error: No space left on device (os error 28)")

    orders = [{"number": 1, "do": "embed"}, {"number": 2, "do": "look", "folder": "/", "collection": ""}]
    monkeypatch.setattr("sys.argv", ["child", str(filled)])
    monkeypatch.setattr("sys.stdin", [json.dumps(order) + "\n" for order in orders])
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr("os.nice", lambda _: 0)
    monkeypatch.setattr(child.Orders, "stopped", lambda *_: True)
    monkeypatch.setattr(Engine, "embed", fail)
    child.main()
    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (first["number"], first["event"]) == (1, "failed")
    assert first["error"].startswith("The disk is full")
    assert (second["number"], second["reason"]) == (2, "cancelled")
