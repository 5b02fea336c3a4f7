"""Indexing a folder: what changed is taken up, what did not is left alone, nothing is lost."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Event

import pytest

from ark_tui.curation import edits
from ark_tui.domain.errors import Cancelled
from ark_tui.domain.query import Request
from ark_tui.domain.work import IndexReport, Progress
from ark_tui.engine import Engine, indexing
from ark_tui.ingest import moves, pipeline
from ark_tui.settings import load
from ark_tui.store import Lease, Store, documents
from ark_tui.store.documents import Arrival
from tests.engine.conftest import Place


def counts(report: IndexReport) -> dict[str, int]:
    names = ("added", "changed", "renamed", "removed", "unchanged", "skipped", "failed")
    return {name: count for name in names if (count := getattr(report, name))}


def opened_below(root: Path) -> list[str]:
    """Files below a root that this process opens from now on."""
    seen: list[str] = []

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and str(arguments[0]).startswith(str(root)) and Path(str(arguments[0])).is_file():
            seen.append(str(arguments[0]))

    sys.addaudithook(watch)
    return seen


def test_a_folder_is_found_after_indexing_and_a_second_run_opens_and_embeds_nothing(place: Place) -> None:
    place.write("a/gap.md", "# Gap\n\nThe spectral gap bounds the mixing time.")
    place.write("b.md", "Reciprocal rank fusion.")
    first = place.index()
    assert counts(first) == {"added": 2}
    assert first.embedded == 2
    assert place.paths("mixing time")[0] == "a/gap.md"
    seen = opened_below(place.root)
    second = place.index()
    assert counts(second) == {"unchanged": 2}
    assert (second.touched, second.embedded, seen) == (0, 0, [])


def test_an_edit_is_followed_and_only_what_changed_is_embedded(place: Place) -> None:
    place.write("a.md", "# One\n\nFirst.\n\n# Two\n\nSecond.\n\n# Three\n\nThird.")
    place.index()
    place.write("a.md", "# One\n\nFirst.\n\n# Two\n\nAbout eigenvalues.\n\n# Three\n\nThird.", fresh=True)
    report = place.index()
    assert counts(report) == {"changed": 1}
    assert report.embedded == 1
    assert place.engine.search(Request("eigenvalues", mode="keyword")).hits[0].chunk.heading.endswith("Two")
    assert place.paths("Second", mode="keyword") == []


def test_a_removed_file_leaves_and_comes_back_as_the_same_document(place: Place) -> None:
    file = place.write("a.md", "spectral gap")
    place.index()
    before = place.engine.document("a.md").id
    file.unlink()
    assert counts(place.index()) == {"removed": 1}
    assert place.paths("spectral") == []
    place.write("a.md", "spectral gap")
    assert counts(place.index()) == {"added": 1}
    assert place.engine.document("a.md").id == before


@pytest.mark.parametrize("few", [moves.FEW, 0], ids=["looked up alone", "among many"])
@pytest.mark.parametrize("to", ["renamed.md", "deep/er/a.md"])
def test_a_rename_keeps_identity_and_tags_and_embeds_nothing(
    place: Place, to: str, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moves, "FEW", few)
    file = place.write("a.md", "# Gap\n\nspectral gap")
    place.index(tags=("mine",))
    before = place.engine.document("a.md")
    (place.root / to).parent.mkdir(parents=True, exist_ok=True)
    file.rename(place.root / to)
    report = place.index()
    assert counts(report) == {"renamed": 1}
    assert report.embedded == 0
    after = place.engine.document(to)
    assert (after.id, after.tags) == (before.id, ("mine",))
    assert place.paths("spectral path:" + to) == [to]
    assert place.paths("spectral path:a.md") == ([to] if to.endswith("/a.md") else [])


def test_a_newcomer_at_the_old_place_is_another_document(place: Place) -> None:
    file = place.write("a.md", "spectral gap")
    place.index()
    moved = place.engine.document("a.md").id
    file.rename(place.root / "b.md")
    place.write("a.md", "something else")
    place.index()
    assert place.engine.document("b.md").id == moved
    assert place.engine.document("a.md").id != moved


def test_two_files_that_swap_their_names_are_followed(place: Place) -> None:
    place.write("a.md", "about graphs")
    place.write("b.md", "about ranking")
    place.index()
    place.write("a.md", "about ranking", fresh=True)
    place.write("b.md", "about graphs", fresh=True)
    place.index()
    assert place.paths("graphs", mode="keyword") == ["b.md"]
    assert place.paths("ranking", mode="keyword") == ["a.md"]


def test_a_copy_is_a_document_of_its_own(place: Place) -> None:
    place.write("a.md", "spectral gap")
    place.index()
    place.write("copy.md", "spectral gap")
    assert counts(place.index()) == {"added": 1, "unchanged": 1}
    assert place.engine.document("copy.md").id != place.engine.document("a.md").id


def test_a_file_that_moves_between_two_roots_keeps_its_identity(place: Place, tmp_path: Path) -> None:
    other = tmp_path / "archive"
    other.mkdir()
    file = place.write("a.md", "spectral gap")
    place.index()
    before = place.engine.document("a.md").id
    file.rename(other / "a.md")
    report = place.engine.index([other, place.root])
    assert counts(report) == {"renamed": 1}
    found = place.engine.document("a.md")
    assert (found.id, found.collection) == (before, "archive")


def test_a_file_saved_within_two_seconds_of_its_scan_is_read_again(place: Place) -> None:
    file = place.write("a.md", "first words", fresh=True)
    place.index()
    stat = file.stat()
    file.write_text("other words")  # the same length, and the time set back: only the content tells
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert counts(place.index()) == {"changed": 1}
    assert place.paths("other", mode="keyword") == ["a.md"]


def test_a_touched_file_of_the_same_content_is_unchanged(place: Place) -> None:
    place.write("a.md", "spectral gap")
    place.index()
    place.write("a.md", "spectral gap", fresh=True)
    assert counts(place.index()) == {"unchanged": 1}


def test_stopping_keeps_what_was_committed_and_the_next_run_goes_on(place: Place) -> None:
    for n in range(450):
        place.write(f"n{n:03}.md", f"note number {n}")
    stop = Event()

    def progress(now: Progress) -> None:
        if now.stage == "read" and now.done == 420:
            stop.set()

    with pytest.raises(Cancelled):
        place.index(stop=stop, progress=progress)
    kept = place.engine.status().documents
    assert 200 <= kept < 450
    report = place.index()
    assert counts(report) == {"added": 450 - kept, "unchanged": kept}
    assert report.embedded <= 450
    assert place.engine.status().documents == 450
    assert all(check.ok for check in place.engine.doctor())


def test_texts_that_are_cut_in_another_way_now_are_read_anew_once(place: Place) -> None:
    long = " ".join(f"Sentence {n} is about eigenvalue number {n}." for n in range(30))
    place.write("long.md", f"# Long\n\n{long}")
    place.write("short.md", "# Short\n\nOne sentence.")
    place.index()
    found = place.engine.search(Request("sentence eigenvalue", mode="keyword")).hits[0]
    place.engine.curation.edit(edits.tag, [found.document.id], ["kept"])
    place.engine.sync()
    with Engine(load(place.engine.settings.home.path, {"max_tokens": 60}, environ={})) as engine:
        report = engine.index([place.root])
        assert counts(report) == {"unchanged": 2}
        assert [notice for notice in report.notices if "splits texts differently" in notice]
        assert report.embedded > 2  # the parts of the long one; the short one's is as it was
        again = engine.search(Request("sentence 29", mode="keyword")).hits[0]
        assert again.document.id == found.document.id
        assert "kept" in again.document.tags
        assert again.chunk.start_line == 3
        seen = opened_below(place.root)
        report = engine.index([place.root])
        assert (counts(report), report.embedded, report.notices, seen) == ({"unchanged": 2}, 0, (), [])


def test_a_dry_run_tells_and_changes_nothing(place: Place) -> None:
    place.write("a.md", "spectral gap")
    assert counts(place.index(dry_run=True)) == {"added": 1}
    assert place.engine.status().documents == 0


def test_a_folder_that_is_away_is_said_and_the_others_are_indexed(place: Place, tmp_path: Path) -> None:
    place.write("a.md", "spectral gap")
    place.index()
    place.root.rename(tmp_path / "elsewhere")
    other, file = tmp_path / "other", tmp_path / "file.md"
    other.mkdir()
    (other / "b.md").write_text("mixing time")
    file.write_text("no folder")
    (tmp_path / "round").symlink_to("round")

    report = place.engine.index([place.root, file, tmp_path / "round", other])

    assert (report.collections, counts(report)) == (("other",), {"added": 1})
    away, no_folder, loop, *_ = report.notices
    assert away.startswith(f"{place.root} is empty or missing; its document stays searchable")
    assert no_folder == f"{file} is not a folder."
    assert loop.startswith(f"{tmp_path / 'round'} ")
    assert place.paths("spectral", mode="keyword") == ["a.md"]
    assert [one.missing for one in place.engine.status().collections if one.name == "notes"] == [True]


REMARKS = {
    "latin.md": ("Über den Spektralabstand".encode("latin-1"), "not valid UTF-8"),
    "yaml.md": (b'---\ntitle: "unclosed\n  - }\n---\nspectral words', "front matter"),
    "lines.jsonl": (b'{"text": "spectral words"}\n{"text": \n', "line 2"),
}


@pytest.mark.parametrize("name", REMARKS)
def test_a_file_that_is_indexed_with_a_remark_is_not_said_to_be_skipped(place: Place, name: str) -> None:
    data, reason = REMARKS[name]
    file = place.write(name, data)

    for report in (place.index(), indexing.ingest_file(place.engine, place.write(name, data + b" "))):
        (problem,) = report.problems
        assert (problem.path, problem.state) == (name, "indexed")
        assert reason in problem.reason
        assert (report.skipped, report.failed, report.left_out) == (0, 0, ())
    assert place.reason(name).startswith("indexed: ")
    assert place.engine.status().coverage == {"indexed": 1, "waiting": 0, "skipped": 0, "failed": 0}
    assert file.read_bytes() == data + b" "


def test_the_user_s_files_are_never_written_to(place: Place) -> None:
    place.write("a.md", "# A\n\n[[b]]")
    place.write("b.jsonl", '{"text": "one"}\n{"text": "two"}\n')
    before = {
        path: (path.read_bytes(), path.stat().st_mtime_ns) for path in place.root.rglob("*") if path.is_file()
    }
    place.index()
    place.paths("one")
    after = {
        path: (path.read_bytes(), path.stat().st_mtime_ns) for path in place.root.rglob("*") if path.is_file()
    }
    assert after == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything, so nothing can be refused here")
def test_a_folder_that_may_not_be_read_keeps_its_documents(place: Place) -> None:
    place.write("shut/a.md", "spectral gap")
    place.index()
    (place.root / "shut").chmod(0)
    try:
        report = place.index()
    finally:
        (place.root / "shut").chmod(0o700)
    assert report.failed == 1
    assert report.removed == 0
    assert place.paths("spectral") == ["shut/a.md"]


def test_a_sentinel_anywhere_in_a_megabyte_is_found_by_words_and_by_meaning(place: Place) -> None:
    lines = [f"Line {n} speaks of ordinary things, of bread and rain." for n in range(19_000)]
    where = {"xylophone": 190, "quasar": 9_500, "marmalade": 18_810}
    for word, line in where.items():
        lines[line] = f"The {word} {word} {word} stands alone here. {word.title()}!"
    place.write("big.md", "\n".join(lines))
    place.write("other.md", "Bread and rain, ordinary things.")
    place.index()
    for word, line in where.items():
        for mode in ("keyword", "semantic"):
            hit = place.engine.search(Request(word, mode=mode)).hits[0]
            assert hit.document.path == "big.md"
            assert hit.chunk.start_line <= line + 1 <= hit.chunk.end_line, (word, mode)


def test_records_of_a_jsonl_file_are_documents_with_their_source_and_place(place: Place) -> None:
    place.write(
        "talk.jsonl",
        '{"_id": "m1", "text": "where is the key", "metadata": {"source": "talk-1", "collection": "talks"}}\n'
        '{"_id": "m2", "text": "under the mat", "metadata": {"source": "talk-1", "collection": "talks"}}\n',
    )
    place.index()
    result = place.engine.search(Request("in:talks mat"))
    assert result.hits[0].document.item == "m2"
    assert {info.name for info in place.engine.status().collections} == {"default", "notes", "talks"}
    place.write("talk.jsonl", '{"_id": "m1", "text": "where is the key"}\n', fresh=True)
    place.index()
    assert place.engine.status().documents == 1


def test_a_second_run_writes_once_and_asks_each_index_once(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("gap.md", "The spectral gap.")
    place.index()
    taken: list[str] = []
    for kind in ("read", "write"):
        begin = getattr(Store, kind)

        def counted(
            store: Store, kind: str = kind, begin: Callable[[Store], AbstractContextManager[Lease]] = begin
        ) -> AbstractContextManager[Lease]:
            taken.append(kind)
            return begin(store)

        monkeypatch.setattr(Store, kind, counted)
    place.index()
    assert taken.count("write") == 3  # when the scan was; the row of the run, and its end
    assert taken.count("read") <= 5  # whether a model waits, what was deleted, what was there, two indexes


def test_a_file_that_takes_anothers_place_leaves_nothing_of_it_behind(place: Place) -> None:
    place.write("old.md", "# Old\n\nThe first text.\n")
    place.write("new.md", "# New\n\nThe second text.\n")
    place.index()
    assert place.engine.opened("old.md") is None
    (place.root / "old.md").unlink()
    place.index()
    (place.root / "new.md").rename(place.root / "old.md")
    assert counts(place.index())["renamed"] == 1
    assert [check.detail for check in place.engine.doctor() if check.ok is False] == []


def test_slow_leases_make_small_batches_and_nothing_is_left_out(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches: list[int] = []
    put = documents.put

    def counted(lease: Lease, arrivals: Sequence[Arrival]) -> None:
        batches.append(len(arrivals))
        put(lease, arrivals)

    monkeypatch.setattr(documents, "put", counted)
    monkeypatch.setattr(pipeline, "BATCH_FILES", 16)
    monkeypatch.setattr(pipeline, "AIM", 0.0)
    for number in range(9):
        place.write(f"{number}.md", f"Number {number}.")
    assert place.index().added == 9
    assert (sum(batches), max(batches)) == (9, 2)


def records(texts: Sequence[str]) -> str:
    return "\n".join(json.dumps({"_id": f"m{n}", "text": text}) for n, text in enumerate(texts))


def documents_of(place: Place) -> dict[str, str]:
    """Item → id of every document that is there."""
    with place.engine.store.read() as lease:
        return dict(lease.rows("SELECT item, id FROM ark.documents WHERE gone IS NULL"))


def test_the_records_of_a_large_file_are_stored_in_parts_and_followed_as_one_file(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "DOCUMENTS", 3)
    place.write("talk.jsonl", records([f"word{n}" for n in range(10)]))
    assert counts(place.index()) == {"added": 1}
    first = documents_of(place)
    assert len(first) == 10
    place.write("talk.jsonl", records(["other", *(f"word{n}" for n in range(1, 8))]), fresh=True)
    assert counts(place.index()) == {"changed": 1}
    assert documents_of(place) == {item: first[item] for item in list(first) if item not in ("m8", "m9")}
    assert place.engine.search(Request("other")).hits[0].document.item == "m0"


@pytest.mark.parametrize("then", ["indexed again", "removed"])
def test_a_large_file_that_is_cut_off_between_two_parts_is_taken_up_or_leaves_as_a_whole(
    place: Place, monkeypatch: pytest.MonkeyPatch, then: str
) -> None:
    monkeypatch.setattr(pipeline, "DOCUMENTS", 3)
    file = place.write("talk.jsonl", records([f"word{n}" for n in range(10)]))
    put, puts = documents.put, iter(range(10))

    def failing(lease: Lease, arrivals: Sequence[Arrival]) -> None:
        if next(puts) == 2:
            raise Cancelled
        put(lease, arrivals)

    with monkeypatch.context() as once:
        once.setattr(documents, "put", failing)
        with pytest.raises(Cancelled):
            place.index()
    begun = documents_of(place)
    assert len(begun) == 6
    if then == "removed":
        file.unlink()
        assert counts(place.index()) == {"removed": 1}
        assert documents_of(place) == {}
        return
    assert counts(place.index()) == {"changed": 1}
    now = documents_of(place)
    assert len(now) == 10
    assert begun.items() <= now.items()
