"""Files are cut by worker processes where there is much to read, and what comes of them is the same."""

from __future__ import annotations

import os
import resource
import signal
from pathlib import Path
from subprocess import Popen
from threading import Event
from typing import Any

import pytest

from ark_tui.domain.errors import Cancelled
from ark_tui.domain.work import Problem
from ark_tui.engine import Engine
from ark_tui.ingest import workers
from ark_tui.ingest.reading import Reading
from ark_tui.ingest.taking import Cut, Rules, cut
from ark_tui.ingest.walk import Entry
from ark_tui.ingest.workers import Order
from ark_tui.settings import load

FREE = Rules(keeps=False, submodule="")


def orders(count: int) -> list[Order]:
    texts = [f"# Page {n}\n\nThe otter numbered {n} [[sleeps]] in rafts. #river\n" * 3 for n in range(count)]
    entries = [Entry(f"{n}.md", len(text), n, n) for n, text in enumerate(texts)]
    return [Order(entry, FREE, text.encode()) for entry, text in zip(entries, texts, strict=True)]


def test_workers_give_what_this_process_would_in_the_same_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "BATCH_FILES", 3)
    asked = [*orders(20), Order(Entry("x.json", 3, 0, 0), FREE, b"{[}"), *orders(2)]
    with workers.opened(Reading(), workers.LITTLE + 1) as apart:
        found = list(apart(iter(asked)))
    assert found == [cut(one.entry, one.rules, one.data, Reading()) for one in asked]


def test_a_file_that_ends_its_worker_which_is_bounded_is_a_problem_of_that_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ask, bounds = workers._Worker.ask, set[tuple[bool, int]]()

    def deadly(self: workers._Worker, how: tuple[Any, ...], batch: list[Order]) -> list[Cut]:
        if self._child is not None and any(one.entry.path == "3.md" for one in batch):
            child = self._child.pid
            niced = os.getpriority(os.PRIO_PROCESS, child) > os.getpriority(os.PRIO_PROCESS, 0)
            bounds.add((niced, resource.prlimit(child, resource.RLIMIT_DATA)[0]))
            os.kill(child, signal.SIGKILL)
            self._child.wait()
            raise EOFError
        return ask(self, how, batch)

    monkeypatch.setattr(workers, "COUNT", 1)
    monkeypatch.setattr(workers, "BATCH_FILES", 2)
    monkeypatch.setattr(workers._Worker, "ask", deadly)
    with workers.opened(Reading(), workers.LITTLE + 1) as apart:
        found = list(apart(iter(orders(6))))
    assert [one for one in found if isinstance(one, Problem)] == [Problem("3.md", workers.DIED)]
    assert len(found) == 6
    assert bounds == {(True, workers.MEMORY)}


def test_a_folder_is_indexed_by_workers_and_a_stop_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "LITTLE", 10)
    begun: list[Popen[bytes]] = []
    started = workers._Worker._started

    def noted(self: workers._Worker) -> Popen[bytes]:
        begun.append(started(self))
        return begun[-1]

    monkeypatch.setattr(workers._Worker, "_started", noted)
    folder, stop = tmp_path / "notes", Event()
    folder.mkdir()
    for order in orders(80):
        (folder / order.entry.path).write_bytes(order.data)
    with Engine(load(tmp_path / "home", environ={})) as engine:
        with pytest.raises(Cancelled):
            engine.index([folder], stop=stop, progress=lambda at: stop.set() if at.stage == "read" else None)
        assert begun
        assert all(child.poll() is not None for child in begun)
        report = engine.index([folder])
        assert (report.added + report.unchanged, report.failed) == (80, 0)
        assert engine.status().documents == 80
