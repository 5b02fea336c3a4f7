"""Undo and redo go over everything, one step each, over restarts, processes and kills (T4)."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ark_tui.curation import edits as plans
from ark_tui.domain.errors import ArkError
from ark_tui.engine import Engine
from ark_tui.settings import load
from tests.curation.conftest import Place

DOCUMENTS = ("gap", "walks", "fiedler", "rice")
names = st.sampled_from(DOCUMENTS)
some = st.lists(names, min_size=1, max_size=3, unique=True)
tags = st.lists(st.sampled_from(["theory", "chains", "new", "old"]), min_size=1, max_size=2)
relations = st.sampled_from(["links_to", "contradicts", "builds_on"])
edits = st.one_of(
    st.tuples(st.just("tag"), some, tags),
    st.tuples(st.just("untag"), some, tags),
    st.tuples(st.just("tier"), some, st.sampled_from(["doc", "raw", "wiki"])),
    st.tuples(st.just("pin"), some),
    st.tuples(st.just("link"), names, names, relations),
    st.tuples(st.just("unlink"), names, names),
    st.tuples(st.just("supersede"), some, names),
    st.tuples(st.just("trash"), some),
    st.tuples(st.just("untrash"), some),
)


def attempt(place: Place, edit: tuple[object, ...]) -> bool:
    """Carry an edit out, unless it cannot be; whether it changed anything."""
    name, *arguments = edit
    try:
        done = place.curation.edit(getattr(plans, str(name)), *arguments)
    except ArkError:
        return False
    return done.changed


def replace_for_good(place: Place, path: str) -> None:
    """Remove a file, then move another one to its place: what lay there is forgotten for good."""
    (place.root / path).unlink()
    place.index()
    (place.root / "fiedler.md").rename(place.root / path)
    place.index()


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sequence=st.lists(edits, min_size=1, max_size=8))
def test_undoing_everything_is_the_beginning_and_redoing_everything_is_the_end(
    place: Place, sequence: list[tuple[object, ...]]
) -> None:
    beginning = place.state()
    with place.unfollowed():
        states = [beginning]
        for edit in sequence:
            if attempt(place, edit):
                states.append(place.state())  # noqa: PERF401 - each after its own edit
        for before in reversed(states[:-1]):
            assert place.curation.undo().changed
            assert place.state() == before
        for after in states[1:]:
            assert place.curation.redo().changed
            assert place.state() == after
        assert place.wrong_relations() == []
        for _ in states[1:]:
            place.curation.undo()
    assert place.state() == beginning
    with place.engine.store.write() as lease:  # the next example begins with an empty log
        lease.run("UPDATE ark.edits SET state = 'dropped'")


def test_another_edit_leaves_nothing_to_redo(place: Place) -> None:
    place.curation.edit(plans.tag, ["gap"], ["one"])
    place.curation.undo()
    place.curation.edit(plans.tag, ["gap"], ["two"])
    assert not place.curation.redo().changed
    assert [edit.state for edit in place.curation.log().rows] == ["done", "dropped"]
    assert place.tags("gap") == ("chains", "theory", "two")


def test_the_log_says_who_has_done_what_and_when(place: Place) -> None:
    place.clock.pass_by(days=3)
    place.curation.edit(plans.tag, ["gap"], ["one"])
    (edit,) = place.curation.log().rows
    assert (edit.what, edit.inverse, edit.state) == ("tagged “gap” with one", "untagged “gap”", "done")
    assert edit.at == place.clock.now()
    assert edit.who


def test_an_edit_is_undone_after_a_new_start_and_by_another_process(place: Place, tmp_path: Path) -> None:
    place.curation.edit(plans.tag, ["gap"], ["one"])
    with Engine(load(tmp_path / "home", environ={})) as other:
        assert other.curation.undo().what == "untagged “gap”"
        other.curation.edit(plans.tag, ["rice"], ["two"])
    assert place.curation.undo().what == "untagged “rice”"
    assert place.tags("rice") == ()


def test_an_edit_of_a_document_that_is_gone_for_good_says_so_and_is_passed_over(place: Place) -> None:
    place.curation.edit(plans.tag, ["walks"], ["kept"])
    place.curation.edit(plans.tag, ["rice"], ["lost"])
    replace_for_good(place, "rice.md")
    assert place.curation.undo().what == "cannot be undone, its document is gone: tagged “rice” with lost"
    assert place.curation.undo().what == "untagged “walks”"


@pytest.mark.parametrize("away", [True, False])
def test_an_edit_is_undone_while_its_file_is_away(place: Place, away: bool) -> None:
    place.curation.edit(plans.tag, ["rice"], ["x"])
    text = (place.root / "rice.md").read_text()
    (place.root / "rice.md").unlink()
    place.index()
    if away:
        assert place.curation.undo().what == "untagged “rice”"
    place.write("rice.md", text)
    place.index()
    assert place.tags("rice") == (() if away else ("x",))


def test_the_name_of_a_collection_is_taken_back_unless_another_has_it_by_then(
    place: Place, tmp_path: Path
) -> None:
    curation = place.curation

    def called() -> set[str]:
        return {one.name for one in place.engine.status().collections if one.root}

    curation.edit(plans.rename_collection, "notes", "papers")
    assert called() == {"papers"}
    assert curation.undo().what == "renamed the collection papers to notes"
    assert called() == {"notes"}
    assert curation.redo().what == "renamed the collection notes to papers"
    assert called() == {"papers"}
    other = tmp_path / "other" / "notes"
    other.mkdir(parents=True)
    (other / "one.md").write_text("# One\n", "utf-8")
    place.engine.index([other])
    assert called() == {"notes", "papers"}
    assert "cannot be undone" in curation.undo().what
    assert called() == {"notes", "papers"}


DRIVER = """
import sys
from pathlib import Path
from ark_tui.curation import edits as plans
from ark_tui.engine import Engine
from ark_tui.settings import load

home, name, count = sys.argv[1:]
with Engine(load(Path(home), environ={})) as engine:
    for number in range(int(count)):
        engine.curation.edit(plans.tag, ["gap", "rice", "walks"], [f"{name}-{number}"])
        engine.curation.edit(plans.pin, ["gap"], on=number % 2 == 0)
        print(f"{name}-{number}", flush=True)
"""
EDITS = 4


def curating(home: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(home), name, str(count)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_process_that_is_killed_leaves_whole_edits_that_can_be_undone(place: Place, tmp_path: Path) -> None:
    before = place.state()
    place.engine.close()
    with curating(tmp_path / "home", "k", 1000) as process:
        assert process.stdout
        acknowledged = [process.stdout.readline().strip() for _ in range(EDITS)]
        process.kill()
    with Engine(load(tmp_path / "home", environ={}), place.clock) as engine:
        undone(replace(place, engine=engine), acknowledged, before)


def undone(place: Place, acknowledged: list[str], before: object) -> None:
    """Every acknowledged edit is whole, and undo takes all of them back."""
    place.engine.sync()
    assert set(acknowledged) <= set(place.tags("gap"))
    assert set(place.tags("gap")) - {"chains", "theory"} == set(place.tags("rice"))
    assert place.paths(f"tag:{acknowledged[-1]}") == {"gap.md", "rice.md", "walks.md"}
    assert place.wrong() == []
    with place.unfollowed():
        while place.curation.undo().changed:
            pass
    assert place.state() == before
