"""Several processes on one home: each sees what the others do, and none keeps the screen waiting."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from ark_tui.engine import Engine, background, child
from ark_tui.index import seal
from ark_tui.interfaces.tui.panes.notebook import NotebookPane
from ark_tui.interfaces.tui.screens.ask import AskScreen
from ark_tui.interfaces.tui.screens.picking import PickScreen
from ark_tui.interfaces.tui.state import client
from ark_tui.store import Lease
from tests.tui.bench import Bench, bench, settings_of


@pytest.fixture
def other(filled: Path) -> Iterator[Engine]:
    """Another process's engine over the same home, as far as locks and files go."""
    with Engine(settings_of(filled)) as engine:
        yield engine


SHELL = """
import sys
import duckdb
connection = None
while connection is None:
    try:
        connection = duckdb.connect(sys.argv[1])
    except duckdb.IOException:
        pass  # the workbench is keeping something at this moment
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def shell(home: Path) -> Iterator[int]:
    """While this lasts a program that knows nothing of leases has the store; its process id."""
    with subprocess.Popen(
        [sys.executable, "-c", SHELL, str(home / "ark.duckdb")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            assert process.stdout.readline().strip() == "held"
            yield process.pid
        finally:
            process.kill()


def said(b: Bench, text: str) -> bool:
    return any(text in one.text for one in b.app.context.said)


async def tag(b: Bench, name: str) -> None:
    await b.pilot.press("t")
    await b.until(lambda: isinstance(b.app.screen, PickScreen))
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


async def test_while_a_duckdb_shell_has_the_store_keys_are_answered_and_all_that_was_done_follows(
    filled: Path, other: Engine
) -> None:
    async with bench(filled) as b:
        await b.opened()
        await b.listed("spectral gap")
        here = b.hits.results.hit
        assert here is not None
        with shell(filled) as process:
            await b.pilot.press("p", "j")
            assert b.hits.results.hit is not here, "the cursor does not wait"
            await b.pilot.press("alt+3")
            await b.until(lambda: b.workbench.query(NotebookPane))
            await b.pilot.press("a")
            await b.until(lambda: isinstance(b.app.screen, AskScreen))
            await b.type("close the shell")
            await b.pilot.press("enter", "alt+1", "ctrl+f")
            await b.type(" mixing")
            assert b.search.query_line.value == "spectral gap mixing"
            await b.until(lambda: said(b, f"The store is held by process {process}"), "who has it")
        await b.until(lambda: other.document(here.document.id).pinned, "the pin")
        await b.until(lambda: b.complete("spectral gap mixing"), "the hits")
        tasks = other.memory.tasks
        await b.until(lambda: [one.text for one in tasks.list(other.memory.scope())] == ["close the shell"])


async def test_what_cannot_be_done_while_the_store_is_held_is_said_not_to_have_been_done(
    filled: Path, other: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "PATIENCE", 1.0)
    async with bench(filled, ARK_LEASE_TIMEOUT="1") as b:
        await b.opened()
        await b.listed("spectral gap")
        here = b.hits.results.hit
        assert here is not None
        with shell(filled) as process:
            await b.pilot.press("p")
            held = f"The store is held by process {process}"
            await b.until(
                lambda: any(
                    held in one.text and "nothing was changed" in one.text for one in b.app.context.said
                )
            )
            b.search.query_line.value = "spectral mixing"
            await b.until(lambda: held in " ".join(b.text().split()), "why there are no hits")
        assert not other.document(here.document.id).pinned
        b.search.query_line.value = ""
        await b.until(lambda: b.search.result is None)
        await b.searched("spectral mixing")
        assert b.hits.results.hits


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
            await b.until(lambda: said(b, f"The disk that holds {filled} is full"))
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

            disk.setattr(seal, "write_file", refuse)
            await tag(b, "kept")
            notice = "The indexes do not follow yet: The disk that holds the words index is full"
            await b.until(lambda: said(b, notice), "why the indexes do not follow")
            await b.until(lambda: said(b, "with kept"))
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


def test_a_failure_that_nobody_has_foreseen_is_an_event_and_the_process_takes_the_next_order(
    filled: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    called: list[str] = []

    def fail(*_: object) -> int:
        called.extend(sys.argv)
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
    assert called == ["ark-tui", "at long work"], "so it is called where somebody waits for the store"
    assert (second["number"], second["reason"]) == (2, "cancelled")
