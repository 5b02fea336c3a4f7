"""Several processes on one home: each sees what the others do, and none keeps the screen waiting."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from ark_tui.engine import Engine, background
from ark_tui.index import follower
from ark_tui.interfaces.tui.panes.notebook import NotebookPane
from ark_tui.interfaces.tui.screens.picking import PickScreen
from ark_tui.store import Lease
from tests.tui.bench import Bench, bench, settings_of


@pytest.fixture
def other(filled: Path) -> Iterator[Engine]:
    """Another process's engine over the same home, as far as locks and files go."""
    with Engine(settings_of(filled)) as engine:
        yield engine


async def tag(b: Bench, name: str) -> None:
    await b.pilot.press("t")
    await b.shown(PickScreen)
    await b.type(name)
    await b.pilot.press("enter")


async def test_the_notebook_shows_what_others_write_and_keeps_its_cursor(filled: Path, other: Engine) -> None:
    scope = other.scope()
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


async def test_a_full_disk_is_a_message_and_the_app_goes_on(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bench(filled) as b:
        await b.opened()
        await b.listed("spectral gap")
        with monkeypatch.context() as disk:

            def refuse(*_: object) -> None:
                raise duckdb.IOException("Could not write file: No space left on device")

            disk.setattr(Lease, "run", refuse)
            await tag(b, "refused")
            await b.until(lambda: b.said(f"The disk that holds {filled} is full"))
            assert b.app.context.said[-1].severity == "error"
        await tag(b, "room")
        await b.until(lambda: any("room" in hit.document.tags for hit in b.hits.results.hits), "the tag")
        assert not any("refused" in hit.document.tags for hit in b.hits.results.hits)


async def test_indexes_that_cannot_follow_an_edit_are_a_message_and_the_edit_is_there(
    filled: Path, other: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "PAUSES", (1e6,))  # nobody comes to their help
    async with bench(filled) as b:
        await b.opened()
        await b.listed("spectral gap")
        here = b.hits.results.hit
        assert here is not None
        with monkeypatch.context() as disk:

            def refuse(path: Path, *_: object, **__: object) -> None:
                raise OSError(28, "No space left on device", str(path))

            disk.setattr(follower, "write_checked", refuse)
            await tag(b, "kept")
            notice = f"The indexes do not follow yet: The disk that holds {filled / 'words'} is full"
            await b.until(lambda: b.said(notice), "why the indexes do not follow")
            await b.until(lambda: b.said("with kept"))
            seen = b.workbench.poller.polls
            await b.until(lambda: b.workbench.poller.polls > seen + 4)
            told = [one.severity for one in b.app.context.said if notice in one.text]
            assert told == ["warning"], "once"
        assert "kept" in other.document(here.document.id).tags
        await tag(b, "room")
        both = {"kept", "room"}
        await b.until(lambda: any(both <= set(hit.document.tags) for hit in b.hits.results.hits), "the tags")


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
        await b.until(lambda: b.looked)
        seen = workbench.poller.polls
        await b.until(lambda: workbench.poller.polls > seen + 8, "all to be settled")
        monkeypatch.setattr(b.app, "_display", count)
        seen = workbench.poller.polls
        await b.until(lambda: workbench.poller.polls > seen + 12, "three seconds of nothing")
        assert paints == 0
        await b.pilot.press("down")
        await b.until(lambda: paints)
