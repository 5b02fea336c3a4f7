"""Indexing by the workers of a cluster: what they stage is what this process would have read."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from ark_tui import settings
from ark_tui.domain.errors import ArkError, StoreError, UsageError
from ark_tui.domain.stages import Stages
from ark_tui.domain.work import Problem
from ark_tui.engine import Engine, bulk, temporary, workers
from ark_tui.engine.bulk import Order, Said, Staged
from ark_tui.engine.indexing import reading
from ark_tui.engine.workers import Address
from ark_tui.ingest.taking import Task, take
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
    staging = engine._parts.staging()
    chosen = engine.settings
    return Order(
        staging, staging.begin(), str(folder), "notes", reading(engine._parts), str(chosen.home.path),
        dict(chosen.values), None,
    )  # fmt: skip


def tasks(folder: Path) -> list[Task]:
    with Tree(folder) as tree:
        return [Task(Entry.of(tree, name), time.time_ns(), "", Said(False, "")) for name in sorted(NOTES)]


def test_what_is_staged_is_what_is_read_here_to_the_last_field(order: Order, folder: Path) -> None:
    wanted = tasks(folder)
    with Tree(folder) as tree:
        here = [take(tree, task, order.reading, Stages("files")) for task in wanted]

    name, said = bulk.work(order, wanted)
    rows = order.staging.read(name)

    assert [Staged.of(row, task, 0).taken for row, task in zip(rows, wanted, strict=True)] == here
    assert said == ""


def test_a_batch_that_is_repeated_is_staged_once(order: Order, folder: Path) -> None:
    first, again = bulk.work(order, tasks(folder)), bulk.work(order, tasks(folder))

    assert first == again
    assert order.staging.names() == [first[0]]
    assert len(order.staging.read(first[0])) == len(NOTES)


def test_a_file_that_has_changed_since_the_home_saw_it_waits_for_the_next_run(
    order: Order, folder: Path
) -> None:
    wanted = [task for task in tasks(folder) if task.entry.path == "tea.md"]
    (folder / "tea.md").write_text("# Another\n", "utf-8")

    (row,) = order.staging.read(bulk.work(order, wanted)[0])

    assert Staged.of(row, wanted[0], 0).taken.drafts == Problem("tea.md", CHANGED, "failed")


def test_an_unchanged_file_is_not_cut_and_brings_nothing(order: Order, folder: Path) -> None:
    (task,) = [task for task in tasks(folder) if task.entry.path == "tea.md"]
    with Tree(folder) as tree:
        digest = take(tree, task, order.reading, Stages("files")).digest
    same = task._replace(same=digest)

    (row,) = order.staging.read(bulk.work(order, [same])[0])

    assert Staged.of(row, same, 0).taken.drafts is None
    assert row["documents"] == "null"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"version": "0.0.9"}, f"ark-tui is {VERSION} there, and 0.0.9 at the home"),
        ({"root": "/nowhere/notes"}, "There is no folder /nowhere/notes"),
        ({"token": "another"}, "is not to be reached from here"),
    ],
)
def test_a_worker_that_cannot_do_the_work_says_why_before_it_reads(
    order: Order, folder: Path, change: dict[str, str], sentence: str
) -> None:
    with pytest.raises(ArkError, match=sentence) as refused:
        bulk.work(replace(order, **change), tasks(folder))  # type: ignore[arg-type]

    assert refused.value.what.startswith("At the worker ")
    assert refused.value.hint
    assert order.staging.names() == []


def test_purging_leaves_nothing_of_what_is_staged(engine: Engine, order: Order, folder: Path) -> None:
    bulk.work(order, tasks(folder))
    document = engine.ingest_text("A secret.", title="Secret", collection="default")
    engine.curation.trash([document.id])
    engine.curation.purge()

    assert not (engine.settings.home.cache / "staged").exists()


@pytest.mark.parametrize("on", ["nonsense", "ray://", "ray://host", "local:0", "local:many", "http://host:1"])
def test_what_is_no_cluster_is_refused_with_what_to_say(engine: Engine, folder: Path, on: str) -> None:
    with pytest.raises(UsageError, match="is no cluster") as refused:
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
    from ark_tui.index.follower import alone

    with (
        alone(engine._parts.store, "staged", 0.0),
        pytest.raises(ArkError, match="Another process has workers"),
    ):
        engine.index([folder], on="local:1")


@needs_ray
def test_where_no_file_has_changed_no_worker_is_begun(engine: Engine, folder: Path) -> None:
    engine.index([folder])
    before = "ray" in sys.modules
    report = engine.index([folder], on="local:1")

    assert report.unchanged == len(there.indexed(engine))
    assert ("ray" in sys.modules) == before
    assert not [*engine.settings.home.cache.glob("staged/*")]


@pytest.mark.parametrize("killed", [True, False])
def test_a_folder_of_ray_stays_as_long_as_its_process(killed: bool, tmp_path: Path) -> None:
    hold = (
        "from pathlib import Path; from ark_tui.engine import temporary, workers\n"
        f"with temporary.own(Path({str(tmp_path)!r}), workers.PREFIX) as path:\n"
        "    (path / 'session').mkdir(); print(path, flush=True); input()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    path = Path(process.stdout.readline().strip())
    if killed:
        process.kill()
        process.wait()

    temporary.sweep(tmp_path, workers.PREFIX)

    assert (path / "session").exists() == (not killed)
    process.communicate("\n" if not killed else None)
    assert not path.exists()


@needs_ray
def test_two_workers_make_the_table_that_this_process_makes(folder: Path, tmp_path: Path) -> None:
    left = Path(tempfile.mkdtemp(prefix=workers.PREFIX, dir=workers.PLACE))  # by a process that was killed
    here = there.run(tmp_path / "here", folder)
    with_workers = there.run(tmp_path / "with-workers", folder, "--on", "local:2")

    assert here.returncode == with_workers.returncode == 0, with_workers.stderr
    assert there.held(tmp_path / "with-workers") == there.held(tmp_path / "here")
    assert not [*(tmp_path / "with-workers" / "cache" / "staged").iterdir()]
    assert not left.exists()


@needs_ray
def test_another_ray_or_python_at_the_head_is_a_sentence_with_both_versions() -> None:
    from ray._private.utils import check_version_info

    at_the_head = {"ray_version": "2.9.0", "python_version": "3.8.1"}
    with pytest.raises(RuntimeError) as told:
        check_version_info(
            at_the_head, "Ray Client", raise_on_mismatch=True, python_version_match_level="minor"
        )
    said = workers._worded("ray://head:10001", told.value)

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


def test_staging_that_is_not_there_is_a_sentence(order: Order) -> None:
    with pytest.raises(StoreError):
        order.staging.read("staged-nobody")
