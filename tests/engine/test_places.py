"""Places that come and go: what was read of a disk stays; a move keeps the document (I5, I19)."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ark_tui.curation import edits
from ark_tui.domain.documents import Document
from ark_tui.domain.errors import NotFound
from ark_tui.domain.query import Request
from ark_tui.domain.work import Progress
from ark_tui.engine import health
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
        f"{disk} is empty or missing; its document stays searchable, marked away, until it is back.",
    )
    found = hit(place, "heron")
    assert (found.id, found.away) == (before.id, True)
    assert not hit(place, "tide").away
    assert place.engine.show("heron.md").document.away
    assert place.engine.reading.about("heron.md").document.away
    status = place.engine.status()
    assert [one.name for one in status.collections if one.missing] == ["disk"]
    assert status.coverage["away"] == 1
    coverage = health.coverage(place.engine, states=("away",))
    assert [(row.path, row.state) for row in coverage.rows] == [("deep/heron.md", "away")]
    assert coverage.counts["indexed"] == 2
    assert [check.name for check in place.engine.doctor() if not check.ok] == ["root disk"]
    if leaving:
        disk.rmdir()
    away.rename(disk)
    assert not hit(place, "heron").away
    assert counts(place.engine.index([disk, place.root])) == {"unchanged": 3}
    assert "away" not in place.engine.status().coverage


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
    place.engine.curation.edit(edits.tag, [before.id], ("mine",))
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


@pytest.mark.parametrize(("to", "anew"), [("renamed.md", True), ("deep/er/heron.md", False), ("notes", True)])
def test_a_rename_with_an_edit_keeps_the_document(place: Place, disk: Path, to: str, anew: bool) -> None:
    """To another name, folder or root; with the same inode, or saved as a new file."""
    before = place.engine.document("heron.md")
    place.engine.curation.edit(edits.tag, [before.id], ("mine",))
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


# -- file systems within a folder --------------------------------------------------------------------------


class Disk:
    """A file system that is mounted within the folder, by a bind mount, so that it can go and come back."""

    def __init__(self, device: Path, point: Path) -> None:
        self.device, self.point = device, point
        self._mounted: list[Path] = []

    def mount(self, point: Path | None = None) -> None:
        point = point or self.point
        point.mkdir(parents=True, exist_ok=True)
        _call("mount", "--bind", self.device, point)
        self._mounted.append(point)

    def unmount(self) -> Path:
        point = self._mounted.pop()
        _call("umount", point)
        return point

    def close(self) -> None:
        while self._mounted:
            self.unmount()


def _call(*command: str | Path) -> None:
    subprocess.run([*command], check=True, capture_output=True)


@pytest.fixture
def within(place: Place) -> Iterator[Disk]:
    """A disk that is mounted at `media/disk` of the folder and was read there, with a note about herons."""
    device = place.root.parent / "device"
    device.mkdir()
    try:
        _call("mount", "-t", "tmpfs", "-o", "size=4m", "none", device)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting a file system takes the rights of root, in a namespace that allows it")
    disk = Disk(device, place.root / "media" / "disk")
    try:
        disk.mount()
        (device / "deep").mkdir()
        (device / "deep" / "heron.md").write_text(HERON, "utf-8")
        place.write("tides.md", OTHER)
        place.index()
        yield disk
    finally:
        disk.close()
        _call("umount", device)


@pytest.mark.parametrize("leaving", [False, True], ids=["nothing is left", "an empty mount point is left"])
def test_a_disk_within_a_folder_is_away_likewise(place: Place, within: Disk, leaving: bool) -> None:
    before = place.engine.document("heron.md")
    place.engine.curation.edit(edits.tag, [before.id], ("mine",))
    point = within.unmount()
    if not leaving:
        point.rmdir()
    place.write("new.md", "# New\n\nAbout the estuary.")
    for expected in ({"added": 1, "unchanged": 1}, {"unchanged": 2}):
        report = place.index()
        assert counts(report) == expected
        assert report.notices == (
            f"{point} is empty or missing; its document stays searchable, marked away, until it is back.",
        )
    found = hit(place, "heron")
    assert (found.id, found.away, found.tags) == (before.id, True, ("mine",))
    assert not hit(place, "tide").away
    assert place.engine.show("heron.md").document.away
    assert place.engine.reading.about("heron.md").document.away
    assert not any(row.path == "media/disk/deep/heron.md" for row in health.upkeep(place.engine).moved)
    status = place.engine.status()
    assert not any(one.missing for one in status.collections)
    assert status.coverage["away"] == 1
    rows = health.coverage(place.engine, states=("away",)).rows
    assert [row.path for row in rows] == ["media/disk/deep/heron.md"]
    assert [check.detail for check in place.engine.doctor() if not check.ok] == [
        f"{point} is empty or missing; its documents stay searchable."
    ]
    within.mount()
    assert not hit(place, "heron").away
    assert counts(place.index()) == {"unchanged": 3}
    (within.device / "deep" / "heron.md").unlink()
    assert counts(place.index()) == {"removed": 1, "unchanged": 2}, "it is there, and the file is not"


def test_a_copy_of_what_lies_on_a_disk_that_is_away_is_no_move(
    place: Place, within: Disk, disk: Path
) -> None:
    """Neither in the same folder, nor in another one that is followed."""
    before = place.engine.document("media/disk/deep/heron.md").id
    within.unmount()
    (disk / "deep" / "heron.md").unlink()
    place.write("copy.md", HERON)
    (disk / "deep" / "other.md").write_text(HERON, "utf-8")
    place.engine.index([place.root, disk])
    assert place.engine.document("media/disk/deep/heron.md").id == before
    assert place.engine.document("copy.md").id != before


def test_a_disk_that_is_mounted_elsewhere_in_the_folder_has_moved(place: Place, within: Disk) -> None:
    before = place.engine.document("heron.md").id
    within.unmount()
    within.mount(place.root / "volumes" / "disk")
    assert counts(place.index()) == {"renamed": 1, "unchanged": 1}
    assert place.engine.document("volumes/disk/deep/heron.md").id == before


def test_a_disk_that_was_emptied_is_empty_and_one_that_is_left_out_is_let_go(
    place: Place, within: Disk
) -> None:
    shutil.rmtree(within.device / "deep")
    assert counts(place.index()) == {"removed": 1, "unchanged": 1}
    (within.device / "tern.md").write_text("# Tern\n\nAbout terns.", "utf-8")
    assert counts(place.index()) == {"added": 1, "unchanged": 1}
    within.unmount()
    assert counts(place.index()) == {"unchanged": 1}
    place.write(".arkignore", "media/\n")
    report = place.index()
    assert (counts(report), report.notices) == ({"removed": 1, "unchanged": 1}, ())
    (place.root / ".arkignore").unlink()
    assert place.index().notices == ()


def test_what_was_read_of_a_disk_in_a_run_that_was_broken_off_stays_too(place: Place, within: Disk) -> None:
    for n in range(3):
        (within.device / f"{n}.md").write_text(f"Note {n}.", "utf-8")
    within.unmount()
    within.mount(place.root / "other")

    def stop(at: Progress) -> None:
        if (at.stage, at.done) == ("read", at.total):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        place.engine.index([place.root], progress=stop)
    point = within.unmount()
    assert place.index().notices[0].startswith(f"{point} is empty or missing; its 4 documents stay")


@pytest.mark.parametrize(("edited", "back"), [(False, True), (True, False)])
def test_a_move_across_file_systems_keeps_the_document(
    place: Place, within: Disk, edited: bool, back: bool
) -> None:
    """There it gets another inode."""
    old, new = within.point / "deep" / "heron.md", place.root / "birds" / "heron.md"
    new.parent.mkdir()
    if not back:
        old.rename(old.with_name("other.md"))
        old, new = place.root / "tides.md", within.point / "tides.md"
        place.index()
    before = place.engine.document(str(old.relative_to(place.root))).id
    shutil.move(old, new)
    if edited:
        new.write_text(new.read_text("utf-8").replace("day 7 ", "day seven "), "utf-8")
    assert place.index().renamed == 1
    assert place.engine.document(str(new.relative_to(place.root))).id == before


@pytest.mark.parametrize("copied", [False, True], ids=["renamed", "moved to another disk"])
def test_a_followed_folder_that_has_moved_keeps_its_documents(place: Place, copied: bool) -> None:
    place.write("heron.md", HERON)
    place.engine.index([place.root])
    before = place.engine.document("heron.md")
    place.engine.curation.edit(edits.tag, ["heron.md"], ["keep"])
    moved = place.root.with_name("elsewhere")
    if copied:
        shutil.copytree(place.root, moved)
        shutil.rmtree(place.root)
    else:
        place.root.rename(moved)

    report = place.engine.index([moved])

    after = place.engine.document("heron.md")
    assert counts(report) == {"unchanged": 1}
    assert (after.id, after.tags, after.collection) == (before.id, ("keep",), "elsewhere")
    assert [one.name for one in place.engine.status().collections if one.documents] == ["elsewhere"]


def test_a_copy_of_a_folder_that_is_still_there_is_a_folder_of_its_own(place: Place) -> None:
    place.write("heron.md", HERON)
    place.engine.index([place.root])
    shutil.copytree(place.root, place.root.with_name("copy"))

    assert counts(place.engine.index([place.root.with_name("copy")])) == {"added": 1}
