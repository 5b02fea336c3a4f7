"""Indexing with the workers of a cluster: they return what this process would have read."""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from ark_tui import settings
from ark_tui.domain.errors import ArkError, UsageError
from ark_tui.domain.work import Problem
from ark_tui.engine import Engine, cluster
from ark_tui.engine.cluster import Address, Done, Order
from ark_tui.ingest.taking import Rules, Task, take
from ark_tui.ingest.walk import CHANGED, Entry
from ark_tui.settings.tree import Tree
from ark_tui.version import VERSION
from tests.cluster import there

NOTES = {
    "gap.md": "---\ntags: [theory]\ndate: 2026-01-02\naliases: [λ]\n---\n# Gaps\n\nGap.\n\n## Two\n\n[[tea]]",
    "tea.md": "# Tea\n\nGreen tea is steeped at eighty degrees. ☕\n",
    "code.py": 'def gap(chain: str) -> str:\n    return chain\n\n\nclass Ring:\n    """A ring."""\n',
    "rows.jsonl": '{"id": "a", "text": "First."}\n{"id": "b", "text": "Second."}\n',
    "empty.md": "",
    "made.lock": "x",
    "package-lock.json": "{}",
}
needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: the extra `cluster`")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    notes = tmp_path / "notes"
    notes.mkdir()
    for name, text in NOTES.items():
        (notes / name).write_text(text, "utf-8")
        os.utime(notes / name, (time.time() - 100,) * 2)
    return notes


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with Engine(settings.load(tmp_path / "home", environ={})) as opened:
        yield opened


@pytest.fixture
def order(engine: Engine, folder: Path) -> Order:
    chosen = engine.settings
    home, values = str(chosen.home.path), dict(chosen.values)
    return Order(str(folder), engine.reader, home, values, None)


def tasks(folder: Path) -> list[Task]:
    with Tree(folder) as tree:
        return [
            Task(Entry.of(tree, name), time.time_ns(), "", Rules(keeps=False, submodule=""))
            for name in sorted(NOTES)
        ]


def test_a_worker_returns_what_is_read_here_to_the_last_field(order: Order, folder: Path) -> None:
    wanted = tasks(folder)
    with Tree(folder) as tree:
        here = [take(tree, task, order.reading) for task in wanted]

    sent = pickle.loads(pickle.dumps((order, wanted)))
    assert pickle.loads(pickle.dumps(cluster.work(*sent))) == Done(here)


def test_a_file_that_has_changed_since_the_home_saw_it_waits_for_the_next_run(
    order: Order, folder: Path
) -> None:
    wanted = [task for task in tasks(folder) if task.entry.path == "tea.md"]
    (folder / "tea.md").write_text("# Another\n", "utf-8")

    (taken,) = cluster.work(order, wanted).files

    assert taken.drafts == Problem("tea.md", CHANGED, "failed")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"version": "0.0.9"}, f"ark-tui is {VERSION} there, and 0.0.9 at the home"),
        ({"root": "/nowhere/notes"}, "There is no folder /nowhere/notes"),
    ],
)
def test_a_worker_that_cannot_do_the_work_says_why_before_it_reads(
    order: Order, change: dict[str, str], sentence: str
) -> None:
    with pytest.raises(ArkError, match=sentence) as refused:
        cluster.work(replace(order, **change), [])  # type: ignore[arg-type]

    assert refused.value.what.startswith("At the worker ")
    assert refused.value.hint


@pytest.mark.parametrize("on", ["nonsense", "ray://", "ray://host", "local:0", "local:many", "http://host:1"])
def test_what_is_no_cluster_is_refused_with_what_to_say(engine: Engine, folder: Path, on: str) -> None:
    with pytest.raises(UsageError, match="is not a cluster") as refused:
        engine.index([folder], on=on)
    assert "ray://HOST:10001" in refused.value.hint


def test_without_ray_one_sentence_says_what_to_install(
    engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match="needs Ray") as refused:
        engine.index([folder], on="local")
    assert "ark-tui[cluster]" in refused.value.hint


@needs_ray
def test_a_cluster_that_is_away_is_said_at_once_and_nothing_has_begun(engine: Engine, folder: Path) -> None:
    with pytest.raises(ArkError, match="Nothing answers at ray://127"):
        engine.index([folder], on="ray://127.0.0.1:1")
    assert engine.status().documents == 0


@needs_ray
def test_a_second_run_with_workers_waits_for_the_first(engine: Engine, folder: Path) -> None:
    with cluster._CONNECTED, pytest.raises(ArkError, match="has workers at work already"):
        engine.index([folder], on="local:1")


@needs_ray
def test_where_no_file_has_changed_no_worker_is_begun(engine: Engine, folder: Path) -> None:
    engine.index([folder])
    before = "ray" in sys.modules
    report = engine.index([folder], on="local:1")

    assert report.unchanged == len(there.indexed(engine))
    assert ("ray" in sys.modules) == before


@needs_ray
def test_two_workers_make_the_table_that_this_process_makes(folder: Path, tmp_path: Path) -> None:
    here = there.run(tmp_path / "here", folder)
    with_workers = there.run(tmp_path / "with-workers", folder, "--on", "local:2")

    assert here.returncode == with_workers.returncode == 0, with_workers.stderr
    assert there.held(tmp_path / "with-workers") == there.held(tmp_path / "here")


@needs_ray
def test_another_ray_or_python_at_the_head_is_a_sentence_with_both_versions() -> None:
    from ray._private.utils import check_version_info

    at_the_head = {"ray_version": "2.9.0", "python_version": "3.8.1"}
    with pytest.raises(RuntimeError) as told:
        check_version_info(
            at_the_head, "Ray Client", raise_on_mismatch=True, python_version_match_level="minor"
        )
    said = cluster._failure("ray://head:10001", told.value)

    assert said.what.startswith(
        "The cluster ray://head:10001 has other versions than this process (Ray: 2.9.0"
    )
    assert "3.8.1" in said.what
    assert "Install the same" in said.hint


def test_addresses_are_read_as_they_are_said() -> None:
    if find_spec("ray") is None:
        pytest.skip("Ray is not installed: the extra `cluster`")
    assert Address.of("local")[1:] == ("", 0)
    assert Address.of("local:4")[1:] == ("", 4)
    assert Address.of("ray://10.0.0.5:10001")[1:] == ("10.0.0.5", 10001)
    assert Address.of("ray://[::1]:10001")[1:] == ("::1", 10001)
