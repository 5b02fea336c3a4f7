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
from ark_tui.ingest.taking import Rules, Taken, Task, take
from ark_tui.ingest.walk import Entry
from ark_tui.settings import load
from ark_tui.settings.tree import Tree

FREE = Rules(keeps=False, submodule="")


def write(folder: Path, count: int) -> None:
    folder.mkdir(exist_ok=True)
    for n in range(count):
        text = f"# Page {n}\n\nThe otter numbered {n} [[sleeps]] in rafts. #river\n"
        (folder / f"{n}.md").write_text(text * 3)


def tasks(tree: Tree, names: list[str]) -> list[Task]:
    return [Task(Entry.of(tree, name), 0, "", FREE) for name in names]


def test_workers_give_what_this_process_would_in_the_same_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "BATCH_FILES", 3)
    write(tmp_path, 22)
    (tmp_path / "x.json").write_text("{[}")
    with Tree(tmp_path) as tree:
        asked = tasks(tree, [f"{n}.md" for n in range(22)])
        asked.insert(20, *tasks(tree, ["x.json"]))
        (tmp_path / "21.md").unlink()
        with workers.opened(tree, Reading(), workers.LITTLE + 1) as apart:
            found = list(apart(iter(asked)))
        assert found == [take(tree, task, Reading()) for task in asked]


def test_a_file_that_ends_its_worker_which_is_bounded_is_a_problem_of_that_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, bounds = workers._Worker.ask, set[tuple[bool, int]]()

    def deadly(self: workers._Worker, how: tuple[Any, ...], batch: list[Task]) -> list[Taken]:
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
    write(tmp_path, 6)
    with Tree(tmp_path) as tree, workers.opened(tree, Reading(), workers.LITTLE + 1) as apart:
        found = list(apart(tasks(tree, [f"{n}.md" for n in range(6)])))
    problems = [one.drafts for one in found if isinstance(one.drafts, Problem)]
    assert problems == [Problem("3.md", workers.DIED)]
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
    write(folder, 80)
    with Engine(load(tmp_path / "home", environ={})) as engine:
        with pytest.raises(Cancelled):
            engine.index([folder], stop=stop, progress=lambda at: stop.set() if at.stage == "read" else None)
        assert begun
        assert all(child.poll() is not None for child in begun)
        report = engine.index([folder])
        assert (report.added + report.unchanged, report.failed) == (80, 0)
        assert engine.status().documents == 80
