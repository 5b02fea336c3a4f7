"""Curation as lines for git: sorted, one statement each, taken up elsewhere as one edit (X3)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ark_tui.curation import edits, saved
from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.curation.conftest import NOTES, Place


def curate(place: Place) -> None:
    place.curate()
    with place.unfollowed():
        place.curation.edit(edits.judge, "spectral gap", "gap", 2)
        (note,) = place.note("Pasta wants salt.", tags=["food"]).documents
        place.curation.edit(edits.rewrite, place.engine.cut, note.id, title="Pasta")
        place.curation.edit(saved.save, "gaps", Request("spectral tag:mine", limit=3))
        place.curation.edit(edits.trash, ["fiedler"])


@pytest.fixture
def other(tmp_path: Path, place: Place) -> Iterator[Place]:
    """Another home, over a folder of another name in which one file has moved and one has changed."""
    with Engine(load(tmp_path / "other-home", environ={}), place.clock) as engine:
        there = Place(tmp_path / "papers", engine, place.clock)
        for path, text in NOTES.items():
            there.write("food/rice.md" if path == "rice.md" else path, text)
        there.write("gap.md", NOTES["gap.md"] + " Changed since.")
        there.index()
        yield there


def test_lines_are_sorted_and_say_one_thing_each(place: Place) -> None:
    curate(place)
    lines = [json.loads(line) for line in place.curation.export()]
    assert [(one.get("path", "")[:8], one["what"], one.get("key", "")) for one in lines] == [
        ("", "saved", "gaps"),
        ("text/" + lines[1]["path"][5:8], "note", ""),
        ("text/" + lines[2]["path"][5:8], "tag", "food"),
        ("fiedler.", "trash", ""),
        ("gap.md", "judge", "spectral gap"),
        ("gap.md", "link", "builds_on"),
        ("gap.md", "pin", ""),
        ("gap.md", "tag", "mine"),
        ("gap.md", "tag", "theory"),
        ("gap.md", "tier", ""),
        ("gap.md", "unlink", "links_to walks"),
        ("rice.md", "tag", "mine"),
    ]
    assert (lines[1]["title"], lines[1]["text"]) == ("Pasta", "Pasta wants salt.")
    assert all(one["hash"] for one in lines if one["what"] != "saved")
    place.index()
    assert place.curation.export() == place.curation.export()


def test_another_home_takes_them_up_as_one_edit(place: Place, other: Place) -> None:
    curate(place)
    text = "\n".join(place.curation.export())
    taken = other.curation.take_over(text)
    assert (taken.lines, taken.unmatched) == (12, ())
    found = other.engine.document("gap")
    assert (found.tags, found.tier, found.pinned) == (("chains", "mine"), "reflection", True)
    assert other.links("gap") == {("builds_on", "food/rice.md")}
    assert other.tags("food/rice.md") == ("mine",)
    assert [one.path for one in other.curation.trashed()] == ["fiedler.md"]
    assert [(one.query, one.grade) for one in other.curation.judgments()] == [("spectral gap", 2)]
    assert [one.name for one in other.curation.saved()] == ["gaps"]
    (note,) = other.engine.search(Request("tag:food", unlogged=True)).hits
    assert note.document.title == "Pasta"
    assert other.wrong() == []
    again = other.curation.take_over(text)
    assert (again.done.changed, again.applied, again.unchanged) == (False, 0, 12)
    other.curation.undo()
    assert other.engine.document("gap").tags == ("chains", "theory")
    assert other.curation.export() == ()
    other.curation.redo()
    assert other.engine.document("gap").tags == ("chains", "mine")


def test_what_matches_nothing_is_reported_and_the_rest_is_taken(place: Place, other: Place) -> None:
    place.write("only-here.md", "Only here.")
    place.index()
    with place.unfollowed():
        place.curation.edit(edits.tag, ["only-here", "walks"], ["x"])
        place.curation.edit(edits.link, "walks", "only-here")
    taken = other.curation.take_over("\n".join(place.curation.export()))
    assert [(one.line, one.what, one.path) for one in taken.unmatched] == [
        (1, "tag", "notes/only-here.md"),
        (2, "link", "notes/walks.md"),
    ]
    assert other.tags("walks") == ("x",)


GAP = '"collection": "notes", "path": "gap.md"'


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        f'{{{GAP}, "what": "tag", "key": "a\\u001b", "value": "yes"}}',
        f'{{{GAP}, "what": "link", "key": "links_to", "value": "yes"}}',
        '{"what": "tag", "key": "x", "value": "yes"}',
        '{"what": "saved", "key": "x", "value": {"is": "Lease"}}',
        f'{{{GAP}, "what": ["tag"], "key": "x", "value": "yes"}}',
    ],
)
def test_a_line_that_no_export_writes_is_reported_and_the_others_are_imported(
    place: Place, line: str
) -> None:
    good = f'{{{GAP}, "what": "tag", "key": "x", "value": "yes"}}'
    taken = place.curation.take_over(f"{line}\n{good}\n")
    assert [(one.line, one.what) for one in taken.unmatched] == [(1, "unreadable")]
    assert taken.applied == 1
