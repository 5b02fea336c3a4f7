"""Places that come and go: what was read of a disk stays; a move keeps the document (I5, I19)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ark_tui.domain.documents import Document
from ark_tui.domain.errors import NotFound
from ark_tui.domain.query import Request
from tests.engine.conftest import Place
from tests.engine.test_index import counts

HERON = "# Heron\n\n" + " ".join(f"The heron of day {day} waits at the weir." for day in range(30))
OTHER = "# Tides\n\n" + " ".join(f"The tide number {day} turns in the harbour." for day in range(30))


@pytest.fixture
def disk(place: Place) -> Path:
    """A second folder that is followed, as on a disk."""
    disk = place.root.parent / "disk"
    (disk / "deep").mkdir(parents=True)
    (disk / "deep" / "heron.md").write_text(HERON, "utf-8")
    place.write("tides.md", OTHER)
    place.engine.index([place.root, disk])
    return disk


def unplug(disk: Path, *, leaving: bool) -> Path:
    """Take the disk away; `leaving`: an empty mount point stays."""
    away = disk.rename(disk.with_name("unplugged"))
    if leaving:
        disk.mkdir()
    return away


def hit(place: Place, query: str) -> Document:
    return place.engine.search(Request(query, mode="keyword")).hits[0].document


@pytest.mark.parametrize("leaving", [False, True], ids=["nothing is left", "an empty mount point is left"])
def test_what_was_read_of_a_disk_stays_marked_away_and_comes_back_by_itself(
    place: Place, disk: Path, leaving: bool
) -> None:
    before = place.engine.document("heron.md")
    away = unplug(disk, leaving=leaving)
    place.write("new.md", "# New\n\nAbout the estuary.")
    report = place.engine.index([disk, place.root])
    assert counts(report) == {"added": 1, "unchanged": 1}
    assert report.notices == (
        f"{disk} is empty or not there; its document stays searchable, marked away, until it is back.",
    )
    found = hit(place, "heron")
    assert (found.id, found.away) == (before.id, True)
    assert not hit(place, "tide").away
    assert place.engine.show("heron.md").document.away
    assert place.engine.reading.about("heron.md").document.away
    status = place.engine.status()
    assert [one.name for one in status.collections if one.missing] == ["disk"]
    assert status.coverage["away"] == 1
    coverage = place.engine.coverage(states=("away",))
    assert [(row.path, row.state) for row in coverage.rows] == [("deep/heron.md", "away")]
    assert coverage.counts["indexed"] == 2
    assert [check.name for check in place.engine.doctor() if not check.ok] == ["root disk"]
    if leaving:
        disk.rmdir()
    away.rename(disk)
    assert not hit(place, "heron").away
    assert counts(place.engine.index([disk, place.root])) == {"unchanged": 3}
    assert "away" not in place.engine.status().coverage


def test_a_folder_that_was_emptied_is_empty(place: Place) -> None:
    file = place.write("a.md", "spectral gap")
    place.index()
    file.unlink()
    assert counts(place.index()) == {"removed": 1}


def test_a_folder_that_nobody_followed_is_still_an_error(place: Place) -> None:
    with pytest.raises(NotFound):
        place.engine.index([place.root / "nowhere"])


def test_a_copy_elsewhere_is_no_move_while_the_disk_is_away(place: Place, disk: Path) -> None:
    before = place.engine.document("heron.md").id
    away = unplug(disk, leaving=True)
    place.write("copy.md", HERON)
    assert counts(place.index()) == {"added": 1, "unchanged": 1}
    disk.rmdir()
    away.rename(disk)
    place.engine.index([disk])
    assert place.engine.document("heron.md").id == before


def test_a_move_to_another_folder_keeps_tags_links_and_history(place: Place, disk: Path) -> None:
    place.write("index.md", "See [[heron]].")
    place.index()
    before = place.engine.document("heron.md")
    place.engine.curation.tag([before.id], ("mine",))
    place.engine.opened(before.id, "opened")
    shutil.move(disk / "deep" / "heron.md", place.root / "heron.md")
    (disk / "other.md").write_text("Something else.", "utf-8")
    assert counts(place.engine.index([disk, place.root])) == {"added": 1, "renamed": 1, "unchanged": 2}
    after = place.engine.document("heron.md")
    assert (after.id, after.collection, after.tags) == (before.id, "notes", ("mine",))
    assert [link.document.path for link in place.engine.reading.links("index.md") if link.document] == [
        "heron.md"
    ]


EDITED = HERON.replace("day 7 ", "day seven ").replace("# Heron", "# The heron") + "\n\nIt has flown.\n"


@pytest.mark.parametrize("to", ["renamed.md", "deep/er/heron.md", "notes"])
@pytest.mark.parametrize("anew", [False, True], ids=["the same inode", "saved as a new file"])
def test_a_rename_with_an_edit_keeps_the_document(place: Place, disk: Path, to: str, anew: bool) -> None:
    """To another name, another folder of the same root, and to another root."""
    before = place.engine.document("heron.md")
    place.engine.curation.tag([before.id], ("mine",))
    target = place.root / "heron.md" if to == "notes" else disk / to
    name = "notes/heron.md" if to == "notes" else f"disk/{to}"
    target.parent.mkdir(parents=True, exist_ok=True)
    (disk / "deep" / "heron.md").rename(target)
    if anew:
        (disk / "held").touch()  # so that no inode is given again
        target.with_suffix(".new").write_text(EDITED, "utf-8")
        target.with_suffix(".new").replace(target)
    else:
        with target.open("r+", encoding="utf-8") as file:
            file.write(EDITED)
    (disk / "other.md").write_text("Something else.", "utf-8")
    report = place.engine.index([disk, place.root])
    assert report.renamed == 1
    after = place.engine.document(name)
    assert (after.id, after.tags) == (before.id, ("mine",))
    assert hit(place, "flown").id == before.id


@pytest.mark.parametrize(
    "text",
    ["# Daily\n\n## Tasks\n\n- [ ] water the plants\n\n## Notes\n", OTHER],
    ids=["of the same template", "another text"],
)
def test_another_text_is_another_document(place: Place, text: str) -> None:
    old = place.write(
        "2026-03-01.md", "# Daily\n\n## Tasks\n\n- [ ] pay the rent\n\n## Notes\n\nSlept badly."
    )
    place.index()
    before = place.engine.document("2026-03-01.md").id
    place.write("2026-03-02.md", text)  # while the old one has its inode, which would be given again
    old.unlink()
    assert counts(place.index()) == {"added": 1, "removed": 1}
    assert place.engine.document("2026-03-02.md").id != before


def test_an_inode_that_is_given_again_makes_no_move(place: Place) -> None:
    old = place.write("heron.md", HERON)
    place.index()
    before = place.engine.document("heron.md").id
    with old.open("r+", encoding="utf-8") as file:  # as a file system does that gives the inode again
        file.truncate()
        file.write(OTHER)
    old.rename(place.root / "tides.md")
    assert counts(place.index()) == {"added": 1, "removed": 1}
    assert place.engine.document("tides.md").id != before
