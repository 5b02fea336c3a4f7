"""Purging deletes for good: afterwards no file of the home has a trace of the text (T4)."""

from __future__ import annotations

from pathlib import Path

from ark_tui.domain.query import Request
from tests.curation.conftest import Place
from tests.erasing.traces import traces

WORD = "Xylophagous"
TEXT = f"{WORD} beetles eat wood. " * 40


def test_nothing_is_left_but_what_backups_have(place: Place, tmp_path: Path) -> None:
    place.write("beetles.md", f"---\ntags: [insects]\n---\n{TEXT}")
    place.index()
    place.curation.tag(["beetles"], ["wood"])
    place.engine.search(Request("beetles wood"))
    place.engine.analysis.run(["communities", "audit"])  # keeps terms
    home = tmp_path / "home"
    saved = place.engine.backup()
    assert traces(home, WORD)
    place.curation.trash(["beetles"])
    before = place.curation.purge(dry_run=True)
    assert (len(before.documents), before.answers, before.done) == (1, 1, False)
    assert [one.path for one in place.curation.trashed()] == ["beetles.md"]
    purged = place.curation.purge()
    assert (purged.done, purged.vectors) == (True, 1)
    assert purged.bytes == len(f"---\ntags: [insects]\n---\n{TEXT}")
    assert purged.remains == (str(saved),)
    place.engine._parts.store.checkpoint()
    assert traces(home, WORD) == set()
    assert not (home / "cache" / "analysis").exists()
    assert (place.root / "beetles.md").exists()
    assert place.wrong() == []


def test_its_edits_can_no_longer_be_undone_and_the_others_can(place: Place) -> None:
    with place.unfollowed():
        place.curation.tag(["rice"], ["food"])
        place.curation.tag(["rice", "gap"], ["both"])
        place.curation.trash(["rice"])
        place.curation.link("gap", "walks", "builds_on")
    place.curation.purge()
    assert place.curation.undo().what == "unlinked “gap” from “walks”"
    assert place.curation.undo().documents[0].path == "gap.md"
    assert place.tags("gap") == ("chains", "theory")
    assert not place.curation.undo().changed
    assert place.wrong() == []


def test_its_file_is_not_taken_up_again_before_it_changes(place: Place) -> None:
    place.curation.trash(["rice"])
    place.curation.purge()
    place.index()
    assert place.paths("cooking rice patience", mode="keyword") == set()
    rows = {row.path: row.reason for row in place.engine.status(rows=True).rows}
    assert "purged" in rows["rice.md"]
    place.write("rice.md", "Basmati wants soaking.")
    place.index()
    assert place.paths("basmati soaking", mode="keyword") == {"rice.md"}
    assert place.wrong() == []
