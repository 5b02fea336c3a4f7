"""The home as a whole: texts without files, showing, status, doctor, backup and restore."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ark_tui.domain.errors import Ambiguous, NotFound, StoreError, UsageError
from ark_tui.domain.memory import Scope
from ark_tui.domain.query import Request
from ark_tui.engine import Engine, indexing
from ark_tui.settings import load
from tests.engine.conftest import Place
from tests.support import SteadyClock

BODY = "# Gap\n\nfirst line\nsecond line\n\n## Bounds\n\nThe spectral gap bounds the mixing time.\n"


def test_text_without_a_file_goes_to_default_and_is_kept_once(place: Place) -> None:
    one = place.engine.ingest_text("A thought about eigenvalues", title="Thought", tags=["idea"])
    two = place.engine.ingest_text("A thought about eigenvalues", title="Thought", tags=["idea"])
    assert one == two
    assert (one.collection, one.title, one.tags) == ("default", "Thought", ("idea",))
    assert place.paths("in:default tag:idea eigenvalues") == [one.path]
    with pytest.raises(UsageError):
        place.engine.ingest_text("  \n ")


def test_text_does_not_go_into_a_collection_that_follows_a_folder(place: Place) -> None:
    place.write("a.md", "x y z")
    place.index()
    with pytest.raises(UsageError, match="follows the folder"):
        place.engine.ingest_text("words", collection="notes")


def test_a_single_file_is_taken_into_the_root_it_lies_in_or_into_default(
    place: Place, tmp_path: Path
) -> None:
    place.write("a.md", "one")
    place.index()
    inside = place.write("b.md", "spectral")
    assert indexing.ingest_file(place.engine, inside).added == 1
    assert place.engine.document("b.md").collection == "notes"
    outside = tmp_path / "loose.md"
    outside.write_text("loose words")
    assert indexing.ingest_file(place.engine, outside, tags=["loose"]).added == 1
    assert indexing.ingest_file(place.engine, outside).unchanged == 1
    assert place.engine.document("loose.md").tags == ("loose",)
    assert place.paths("tag:loose loose words") == [outside.as_posix()]
    assert place.index().removed == 0


def test_show_takes_ids_chunks_paths_and_lines(place: Place) -> None:
    file = place.write("theory/gap.md", BODY)
    place.index()
    document = place.engine.document("theory/gap.md")
    for ref in (document.id, document.short_id, "theory/gap.md", "gap.md", "gap", "notes/theory/gap.md"):
        passage = place.engine.show(ref)
        assert passage.text == BODY
        assert passage.document == document
        assert passage.file == str(file)
    lines = place.engine.show("theory/gap.md:3:2")
    assert (lines.text, lines.start_line, lines.end_line) == ("first line\nsecond line", 3, 4)
    chunk = place.engine.search(Request("mixing time")).hits[0].chunk
    shown = place.engine.show(chunk.id)
    assert (shown.start_line, shown.end_line) == (chunk.start_line, chunk.end_line)
    assert BODY[chunk.start_char : chunk.end_char] == shown.text


def test_show_marks_what_a_query_matches(place: Place) -> None:
    place.write("gap.md", BODY)
    place.index()
    passage = place.engine.show("gap.md", query='bound "mixing time"')
    assert {passage.text[a:b] for a, b in passage.highlights} >= {"bounds", "mixing", "time"}


def test_what_cannot_be_shown_says_what_can(place: Place) -> None:
    for folder in "ab":
        place.write(f"{folder}/same.md", f"words of {folder}")
    place.index()
    with pytest.raises(Ambiguous) as caught:
        place.engine.show("same")
    assert "notes/a/same.md" in caught.value.hint
    assert "notes/b/same.md" in caught.value.hint
    with pytest.raises(NotFound):
        place.engine.show("#ffffff")
    with pytest.raises(UsageError, match="line 99"):
        place.engine.show("a/same.md:99:3")
    with pytest.raises(NotFound, match="chunk 9"):
        place.engine.show(f"{place.engine.document('a/same.md').id}:9")


def test_status_counts_and_says_what_waits(place: Place) -> None:
    place.write("a.md", BODY)
    place.write("b.bin", b"\0\1")
    place.index()
    status = place.engine.status(rows=True)
    assert (status.documents, status.coverage) == (1, {"indexed": 1, "waiting": 0, "skipped": 1, "failed": 0})
    assert status.embedding.provider == "static"
    assert [(f.name, f.behind) for f in status.followers] == [("words", 0), ("vectors", 0), ("messages", 0)]
    shutil.rmtree(place.engine.settings.home.vectors)
    waiting = place.engine.status(rows=True)
    assert waiting.coverage["waiting"] == 1
    assert waiting.coverage["indexed"] == 1, "its words find it"
    assert ("a.md", "waiting") in [(row.path, row.state) for row in waiting.rows]


@pytest.mark.parametrize("index", ["words", "vectors"])
def test_doctor_names_a_missing_or_damaged_index_and_rebuilds_it_when_asked(place: Place, index: str) -> None:
    place.write("a.md", BODY)
    place.index()
    folder = getattr(place.engine.settings.home, index)
    assert all(check.ok for check in place.engine.doctor())
    shutil.rmtree(folder)
    bad = [check for check in place.engine.doctor() if not check.ok]
    assert [check.name for check in bad] == [f"index {index}"]
    assert "--repair" in bad[0].detail
    assert all(check.ok for check in place.engine.doctor(repair=True))
    assert place.paths("mixing time") == ["a.md"]


def test_doctor_finds_what_dangles(place: Place) -> None:
    place.write("a.md", BODY)
    place.index()
    with place.engine.store.write() as lease:
        lease.run("INSERT INTO ark.tags VALUES (999, 'orphan', 'user')")
    relations = next(check for check in place.engine.doctor() if check.name == "relations")
    assert not relations.ok
    assert "1 tags without a document" in relations.detail


def test_a_restored_backup_is_what_was_backed_up_and_for_its_owner_alone(
    place: Place, tmp_path: Path
) -> None:
    place.write("a.md", "spectral gap")
    place.index()
    saved = place.engine.backup(tmp_path / "copy.zip")
    place.write("b.md", "rank fusion")
    (place.root / "a.md").unlink()
    place.index()
    kept = place.engine.restore(saved)
    assert kept is not None
    assert kept.exists()
    assert place.paths("spectral rank") == ["a.md"]
    assert all(check.ok for check in place.engine.doctor())
    assert oct(saved.stat().st_mode & 0o777) == "0o600"
    assert oct(place.engine.settings.home.path.stat().st_mode & 0o777) == "0o700"


def test_another_engine_on_the_home_sees_what_this_one_wrote(place: Place, tmp_path: Path) -> None:
    with Engine(load(tmp_path / "home", environ={}), SteadyClock()) as other:
        before = other.store.change()
        place.write("a.md", "spectral gap")
        place.index()
        assert other.store.change() > before
        assert [hit.document.path for hit in other.search(Request("spectral")).hits] == ["a.md"]


def test_a_home_lies_nowhere_but_in_its_folder_and_can_be_moved(place: Place, tmp_path: Path) -> None:
    place.write("a.md", "spectral gap")
    place.index()
    place.engine.close()
    (tmp_path / "home").rename(tmp_path / "moved")
    with Engine(load(tmp_path / "moved", environ={}), SteadyClock()) as engine:
        assert [hit.document.path for hit in engine.search(Request("spectral")).hits] == ["a.md"]
        assert all(check.ok for check in engine.doctor())


def test_a_home_on_a_read_only_disk_can_be_searched_and_says_why_it_cannot_be_changed(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("spectral gap")
    if subprocess.run(
        ["mount", "-t", "tmpfs", "tmpfs", str(disk)], capture_output=True, check=False
    ).returncode:
        pytest.skip("a disk cannot be mounted here")
    try:
        with Engine(load(disk / "home", environ={}), SteadyClock()) as engine:
            engine.index([notes])
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        with Engine(load(disk / "home", environ={}), SteadyClock()) as engine:
            assert [hit.document.path for hit in engine.search(Request("spectral")).hits] == ["a.md"]
            assert engine.show("a.md").text == "spectral gap"
            (notes / "b.md").write_text("rank fusion")
            with pytest.raises(StoreError) as caught:
                engine.index([notes])
            assert "writ" in caught.value.hint + caught.value.what
        with pytest.raises(StoreError):
            Engine(load(disk / "new", environ={}), SteadyClock()).status()
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_store_whose_log_lost_its_end_goes_on_without_it_after_a_repair(
    place: Place, tmp_path: Path
) -> None:
    place.engine.memory.scratch.set(Scope(), "first", "kept")
    place.engine.close()
    place.engine.memory.scratch.set(Scope(), "last", "lost")
    killed = tmp_path / "killed"
    shutil.copytree(place.engine.settings.home.path, killed)  # as it is after a kill
    log = killed / "ark.duckdb.wal"
    os.truncate(log, log.stat().st_size // 2)
    with Engine(load(killed, environ={})) as engine:
        assert any(check.ok is False for check in engine.doctor())
        assert any(check.name == "log" and check.repaired for check in engine.doctor(repair=True))
        assert engine.memory.scratch.get(Scope(), "first").value == "kept"
