"""What each report says: of tasks, of what was said, of what needs looking after, of a corpus's shape."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ark_tui.curation import edits, saved
from ark_tui.domain import analysis as domain
from ark_tui.domain.memory import Scope
from ark_tui.domain.query import Request
from ark_tui.engine import Engine, health, searches
from ark_tui.interfaces.reports import data, export, measures, sections
from ark_tui.interfaces.reports.report import Report, Section
from ark_tui.interfaces.reports.sections import analysis, audit
from ark_tui.settings import load
from tests.cli.conftest import Ark
from tests.reports import shapes
from tests.reports.conftest import FIXED, at_one_moment


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    words = " ".join(f"word{number} says something of its own." for number in range(60))
    (folder / "one.md").write_text(f"# One\n\n{words}\n\nSee [[two]] and [[nowhere]].\n")
    (folder / "copy.md").write_text(f"# Copy\n\n{words}\n")
    (folder / "two.md").write_text("# Two\n\nBread wants time.\n")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    return at_one_moment(folder)


@pytest.fixture
def own(tmp_path: Path, notes: Path) -> Iterator[Engine]:
    """A home of one's own, to write into."""
    with Engine(load(tmp_path / "home", environ=FIXED)) as engine:
        engine.index([notes])
        yield engine


def said(engine: Engine, name: str) -> Any:
    report = sections.report(engine, [name], sections.Asked())
    return data.document(report)["sections"][name]


def rows(section: Any, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = section["tables"][table]["rows"]
    return found


# -- tasks and history ---------------------------------------------------------------------------------


def test_tasks_come_by_when_they_are_due_with_whose_they_are(own: Engine) -> None:
    mine, other = Scope(), Scope("writer", "today")
    own.memory.tasks.add(mine, "no date", tags=["home"])
    own.memory.tasks.add(mine, "late", due="2025-12-24")
    own.memory.tasks.add(mine, "soon", due="2026-01-05")
    own.memory.tasks.add(other, "far", due="2026-06-01")
    own.memory.tasks.done(mine, own.memory.tasks.add(mine, "over").id)
    found = said(own, "tasks")
    listed = [(row["text"], row["when"], row["scope"]) for row in rows(found, "tasks")]
    assert listed == [
        ("late", "overdue", "default/default"),
        ("soon", "due within a week", "default/default"),
        ("far", "due later", "writer/today"),
        ("no date", "without a date", "default/default"),
        ("over", "done", "default/default"),
    ]
    assert found["plots"]["when"]["points"][0] == {"label": "overdue", "part": "", "amount": 1.0}


def test_messages_come_the_newest_first_and_no_made_id_is_shown(own: Engine) -> None:
    room = own.memory.conversations
    made = room.create(Scope()).id
    room.add(Scope(), "user", "What is a spectral gap?", conversation=made)
    room.add(Scope(), "assistant", "A difference of eigenvalues.", conversation=made)
    room.create(Scope(), "plans")
    found = said(own, "history")
    assert [row["content"] for row in rows(found, "messages")] == [
        "A difference of eigenvalues.",
        "What is a spectral gap?",
    ]
    assert {row["conversation"] for row in rows(found, "conversations")} == {"conversation 1", "plans"}
    assert made not in str(found)
    assert found["facts"]["Roles"] == "1 by assistant, 1 by user"
    assert found["plots"]["months"]["points"] == [{"label": "2026-01", "part": "", "amount": 2.0}]


def test_messages_are_no_documents_of_the_overview(own: Engine) -> None:
    before = said(own, "overview")
    own.memory.conversations.add(Scope(), "user", "Not a note.")
    after = said(own, "overview")
    assert rows(after, "newest") == rows(before, "newest")
    assert rows(after, "dates") == rows(before, "dates")


def test_what_looks_like_a_key_is_not_in_a_report(own: Engine) -> None:
    own.memory.conversations.add(Scope(), "user", "my key is sk-proj-abcdefghij0123456789ABCDEFGHIJ, keep it")
    own.memory.tasks.add(Scope(), "rotate ghp_abcdefghijklmnopqrstuvwxyz0123456789")
    for name in ("history", "tasks"):
        text = export.files(sections.report(own, [name], sections.Asked()), "html")[""].decode()
        assert "abcdefghij" not in text
        assert "•••" in text


# -- what needs looking after --------------------------------------------------------------------------


def test_the_audit_lists_broken_links_copies_and_files_that_moved_on(own: Engine, notes: Path) -> None:
    (notes / "two.md").write_text("# Two\n\nBread wants time and salt.\n")
    (notes / "copy.md").rename(notes / "elsewhere.md")
    found = said(own, "audit")
    assert [(row["path"], row["target"], row["line"]) for row in rows(found, "broken")] == [
        ("one.md", "nowhere", 5)
    ]
    pairs = {frozenset((row["path"], row["duplicate_of"])) for row in rows(found, "repeats")}
    assert pairs == {frozenset(("one.md", "copy.md"))}
    states = {row["path"]: row["state"] for row in rows(found, "files")}
    assert states == {"two.md": "changed", "copy.md": "gone", "picture.png": "skipped"}


def test_a_root_that_is_not_there_tells_nothing_of_its_files(own: Engine, notes: Path) -> None:
    shutil.move(notes, notes.with_name("away"))
    assert {row["state"] for row in rows(said(own, "audit"), "files")} == {"skipped"}


def test_what_is_not_found_is_listed_with_its_cause(own: Engine) -> None:
    blocks = tuple(audit.problems(domain.Analysis(7, audit=shapes.audit()), health.upkeep(own), own.status()))
    found = data.document(Report("now", (Section("audit", "Audit", blocks),)))["sections"]["audit"]
    assert [row["why"] for row in rows(found, "audit-documents")] == [
        "hidden: It is a near-duplicate of Note 2, number 1.",
        "no words: It has no word of its own.",
    ]
    assert {point["label"]: point["amount"] for point in found["plots"]["audit"]["points"]} == {
        "hidden": 1.0,
        "no words": 1.0,
    }


# -- searches ------------------------------------------------------------------------------------------


def test_saved_searches_are_listed_with_what_came_and_went_since_the_last_look(own: Engine) -> None:
    assert rows(said(own, "search"), "saved") == []
    own.curation.edit(saved.save, "bread", Request("bread", limit=1, expand=False))
    searches.saved_diffs(own, seen=True)
    own.curation.edit(edits.trash, ["two.md"])
    own.curation.edit(edits.note, own.cut, "Bread of rye wants bread and time.", title="Rye bread")
    (row,) = rows(said(own, "search"), "saved")
    assert (row["name"], row["hits"], row["changes"]) == ("@bread", 1, "Two went; Rye bread came")


# -- evaluation ----------------------------------------------------------------------------------------


def test_without_a_judged_set_the_report_says_what_is_missing(own: Engine) -> None:
    assert "--judged" in said(own, "eval")["text"][0]


def test_own_judgments_are_measured_and_listed(own: Engine) -> None:
    own.curation.edit(edits.judge, "bread", "two.md", 2)
    own.curation.edit(edits.judge, "bread", "one.md", 0)
    found = said(own, "eval")
    assert [(row["path"], row["grade"]) for row in rows(found, "judgments")] == [("two.md", 2), ("one.md", 0)]
    measured = {row["system"]: row["ndcg_10"] for row in rows(found, "sets") if row["set"] == "mine"}
    assert measured["default"] == 1.0
    assert searches.latest(own) == ()


def test_a_judged_set_is_measured_beside_its_baselines(ark: Ark, home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text(
        '{"_id": "a", "title": "", "text": "flour and water"}\n'
        '{"_id": "b", "title": "", "text": "spectral gap"}\n'
    )
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "spectral"}\n')
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\tb\t1\n")
    done = ark("--export", "-", "--format", "json", "--report", "eval", "--judged", folder)
    table = rows(done.json["sections"]["eval"], "sets")
    assert {row["system"] for row in table} >= {"default", "bm25"}
    assert all(row["ndcg_10"] == 1.0 for row in table if row["system"] == "bm25")
    assert not home.exists()  # it needs none


# -- analysis ------------------------------------------------------------------------------------------


def shaped(found: domain.Analysis) -> Any:
    blocks = tuple(analysis.shape(found))
    return data.document(Report("now", (Section("analysis", "Analysis", blocks),)))["sections"]["analysis"]


def test_the_shape_of_a_corpus_is_told_measure_by_measure() -> None:
    found = shaped(shapes.analysis())
    names = {"summary", "spectrum", "centrality", "bridges", "boundary", "map", "gaps"}
    assert set(found["tables"]) == {f"{name}-documents" for name in names}
    assert set(found["plots"]) == {
        *(*names, "activity", "searches"),
    }
    assert len(found["plots"]["map"]["points"]) == 60
    assert found["plots"]["gaps"]["points"][0]["amount"] == 3.4
    assert found["facts"]["Novel"] == "2 documents"
    assert [row["why"] for row in rows(found, "bridges-documents")] == [
        "0.3100 spectral, laplacian – memory, cards"
    ]


def test_what_a_measure_cannot_say_is_said_once() -> None:
    few = "There are too few texts."
    whole = shapes.analysis()
    found = shaped(
        replace(
            whole,
            novelty=domain.Novelty(domain.Spectrum(), notice=few),
            boundary=domain.Boundary(notice="One document has no boundary."),
            map=domain.Map(notice=few),
        )
    )
    assert found["text"] == [few, "One document has no boundary."]
    assert not {"spectrum", "boundary", "map"} & set(found["plots"])


def test_the_boundary_is_drawn_where_the_sign_turns() -> None:
    edge = measures.boundary(domain.Boundary(0.1, parts=(100,), order=(-0.2, -0.1, 0.1, 0.2))).edge
    assert edge is not None
    assert edge[1] == pytest.approx((34 + 67) / 2)


def test_a_map_of_many_communities_has_letters_for_the_largest() -> None:
    regions = tuple(domain.Region(number, f"c{number}", 1, 0, 0) for number in range(1, 31))
    places = tuple(domain.Place(shapes.document(number), number / 30, 0.0, number) for number in range(1, 31))
    drawn = measures.world(domain.Map(places, regions, 30))
    assert [group.letter for group in drawn.groups] == ["·", *"abcdefghijkl"]
    assert drawn.groups[0].size == 30 - 12
