"""Saved searches say what entered, left and moved since somebody looked at them last (X5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.curation import edits
from ark_tui.curation.saved import forget as forget_search
from ark_tui.curation.saved import rename as rename_search
from ark_tui.curation.saved import save as save_search
from ark_tui.domain.errors import NotFound
from ark_tui.domain.query import Request
from ark_tui.domain.searches import SavedDiff
from ark_tui.engine import Engine, searches


def diff(engine: Engine, name: str = "gap", *, seen: bool = False, agent: str = "") -> SavedDiff:
    (found,) = searches.saved_diffs(engine, name, seen=seen, agent=agent)
    return found


def moves(found: SavedDiff) -> dict[str, tuple[int | None, int | None]]:
    return {move.path: (move.before, move.after) for move in found.moves}


@pytest.fixture
def saved(engine: Engine) -> Engine:
    """An engine with a saved search that has been looked at."""
    engine.curation.edit(save_search, "gap", Request("spectral gap", limit=2, expand=False))
    assert diff(engine, seen=True).looked is None
    return engine


def paths(engine: Engine) -> list[str]:
    asked = Request("spectral gap", limit=2, expand=False, unlogged=True)
    return [hit.document.path for hit in engine.search(asked).hits]


def test_what_entered_left_and_moved_is_told(saved: Engine, root: Path) -> None:
    before = paths(saved)
    assert moves(diff(saved)) == {}
    (root / "newest.md").write_text("# Spectral gap\n\nSpectral gap: the spectral gap.", "utf-8")
    saved.index([root])
    newest, stayed = paths(saved)
    assert newest == "newest.md"
    found = diff(saved)
    was = {path: rank for rank, path in enumerate(before, 1)}
    expected = {path: (rank, 2 if path == stayed else None) for path, rank in was.items()}
    assert moves(found) == {newest: (None, 1)} | {
        path: one for path, one in expected.items() if one != (2, 2)
    }
    assert (found.came, found.went) == (1, 1)


def test_only_a_look_changes_what_is_compared_with(saved: Engine) -> None:
    first = paths(saved)[0]
    saved.curation.edit(edits.trash, [first])
    before = diff(saved)
    assert before.went == 1
    saved.search(Request("@gap"))
    assert diff(saved).moves == before.moves, "it was compared, and searched for, and not looked at"
    assert diff(saved, seen=True).moves == before.moves
    assert diff(saved).moves == ()
    saved.curation.undo()
    assert moves(diff(saved))[first] == (None, 1)


def test_before_the_first_look_nothing_has_moved(engine: Engine) -> None:
    engine.curation.edit(save_search, "gap", Request("spectral gap", expand=False))
    for _ in range(2):
        found = diff(engine)
        assert (found.looked, found.moves, found.seen) == (None, (), False)
        assert found.hits > 0


def test_another_name_keeps_the_look_and_another_query_begins_anew(saved: Engine) -> None:
    looked = diff(saved).looked
    assert looked is not None
    saved.curation.edit(rename_search, "gap", "other")
    assert diff(saved, "other").looked == looked
    saved.curation.edit(save_search, "other", Request("spectral gap tag:none", limit=2, expand=False))
    assert diff(saved, "other").looked is None
    saved.curation.undo()
    assert diff(saved, "other").looked == looked


def test_a_look_at_a_search_that_was_deleted_is_forgotten_with_the_next_look(saved: Engine) -> None:
    saved.curation.edit(save_search, "rice", Request("rice", expand=False))
    saved.curation.edit(forget_search, "gap")
    diff(saved, "rice", seen=True)
    saved.curation.undo()
    assert diff(saved).looked is None
    assert diff(saved, "rice").looked is not None


def test_each_agent_has_looks_of_its_own(saved: Engine) -> None:
    assert diff(saved, agent="another").looked is None
    diff(saved, agent="another", seen=True)
    saved.curation.edit(edits.trash, [paths(saved)[0]])
    diff(saved, agent="another", seen=True)
    assert diff(saved, agent="another").moves == ()
    assert diff(saved).went == 1


def test_all_are_told_and_one_that_cannot_be_run_says_why(saved: Engine) -> None:
    saved.curation.edit(save_search, "broken", Request("rice", profile="gone"))
    found = {one.name: one for one in searches.saved_diffs(saved)}
    assert found.keys() == {"gap", "broken"}
    assert found["broken"].problem == "There is no profile gone."
    assert found["gap"].problem == ""
    with pytest.raises(NotFound, match="There is no saved search nobody"):
        searches.saved_diffs(saved, "nobody")


def test_what_was_purged_is_in_no_look(saved: Engine) -> None:
    first = paths(saved)[0]
    gone = saved.document(first).id
    saved.curation.edit(edits.trash, [first])
    saved.curation.purge()
    assert gone not in {move.document for move in diff(saved).moves}


def test_a_look_is_in_the_log_of_searches_and_a_comparison_is_not(saved: Engine) -> None:
    count = len(searches.latest(saved))
    diff(saved)
    assert len(searches.latest(saved)) == count
    diff(saved, seen=True)
    assert len(searches.latest(saved)) == count + 1
