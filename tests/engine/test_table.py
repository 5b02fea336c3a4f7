"""A home that publishes to a table elsewhere, and one that searches it: reading, mending, purging."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ark_tui import settings
from ark_tui.domain.errors import Ambiguous, NotFound, StoreError, UsageError
from ark_tui.domain.query import Request
from ark_tui.engine import Engine

GAP = "# Gaps\n\nThe *spectral* gap bounds the mixing time.\n\n## Chains\n\nSee [[tea]].\n\n- one\n- two\n"
NOTES = {
    "gap.md": GAP,
    "front.md": "---\ntags: [theory]\n---\n# Rings\n\nOn a ring the spectral gap is small.\n",
    "tea.md": "# Tea\n\nGreen tea is steeped at eighty degrees.\n",
    "old/tea.md": "# Old tea\n\nBlack tea is steeped in boiling water.\n",
    "code.py": 'def gap(chain: str) -> str:\n    return chain\n\n\nclass Ring:\n    """A ring."""\n',
    "long.md": "\n\n".join(f"Paragraph {n} of a long text about harbours and ledgers." for n in range(200)),
}


def opened(folder: Path, name: str = "home") -> Engine:
    return Engine(settings.load(folder / name, {"index": str(folder / "table")}, environ={}))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    (folder / "notes" / "old").mkdir(parents=True)
    for name, text in NOTES.items():
        (folder / "notes" / name).write_text(text, "utf-8")
    with opened(folder) as engine:
        engine.index([folder / "notes"])
    return folder


@pytest.fixture(scope="module")
def here(made: Path) -> Iterator[Engine]:
    with opened(made) as engine:
        yield engine


@pytest.fixture(scope="module")
def there(made: Path) -> Iterator[Engine]:
    with opened(made, "reader") as engine:
        yield engine


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of the home and its table, to damage."""
    for name in ("home", "table", "notes"):
        shutil.copytree(made / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("ref", ["gap.md", "notes/tea.md", "code", "long.md", "gap.md:3:2", "old/tea.md"])
def test_a_document_of_the_table_is_read_as_at_home(here: Engine, there: Engine, ref: str) -> None:
    expected, found = here.show(ref, "spectral gap"), there.show(ref, "spectral gap")
    assert found.text.rstrip("\n") == expected.text.rstrip("\n")
    assert (found.start_line, found.end_line) == (expected.start_line, expected.end_line)
    assert found.total_lines == expected.total_lines
    assert found.highlights == expected.highlights
    assert found.document == expected.document
    assert not found.file


def test_each_chunk_of_the_table_is_read_by_its_id(here: Engine, there: Engine) -> None:
    document = here.document("long.md")
    for ordinal in range(3):
        ref = f"{document.short_id}:{ordinal}"
        assert there.show(ref).text == here.show(ref).text
    with pytest.raises(NotFound, match="has no chunk 999"):
        there.show(f"{document.short_id}:999")


def test_what_stands_before_the_first_chunk_is_left_empty_so_that_lines_keep_their_numbers(
    here: Engine, there: Engine
) -> None:
    expected, found = here.show("front.md"), there.show("front.md")
    assert found.text.split("\n")[3:] == expected.text.rstrip("\n").split("\n")[3:]
    assert not "".join(found.text.split("\n")[:3]).strip()


def test_a_hit_of_the_last_search_is_read_by_its_rank(there: Engine) -> None:
    result = there.search(Request("spectral gap"))
    there.unkept()
    assert there.show("@1").document == result.hits[0].document
    assert there.opened("@1") is None


def test_names_that_fit_none_or_several_documents_are_said(there: Engine) -> None:
    with pytest.raises(NotFound, match="no document rye"):
        there.show("rye.md")
    with pytest.raises(Ambiguous, match="fits several"):
        there.show("tea")
    for asked in (there.reading.about, there.reading.present, there.reading.links):
        with pytest.raises(UsageError, match="not their links and files"):
            asked("gap.md")


def test_what_is_searched_is_counted(here: Engine, there: Engine) -> None:
    assert there.status().documents == here.status().documents == len(NOTES)
    assert there.status().chunks == here.status().chunks


def test_documents_alike_are_those_of_the_home(here: Engine, there: Engine) -> None:
    expected, found = here.similar("gap.md", 3), there.similar("gap.md", 3)
    assert [hit.document for hit in found.hits] == [hit.document for hit in expected.hits]
    assert [hit.score for hit in found.hits] == pytest.approx([hit.score for hit in expected.hits], abs=1e-4)


def removed(table: str) -> Callable[[Path], None]:
    def damage(place: Path) -> None:
        for folder in place.glob(table):
            shutil.rmtree(folder)

    return damage


def cut(files: str) -> Callable[[Path], None]:
    def damage(place: Path) -> None:
        for file in place.glob(files):
            file.write_bytes(file.read_bytes()[:50])

    return damage


DAMAGES = {
    "no chunks": removed("chunks-*"),
    "no terms": removed("terms-*"),
    "no parts": removed("parts.lance"),
    "nothing at all": removed("*.lance"),
    "chunks are cut": cut("chunks-*/data/*"),
    "terms are cut": cut("terms-*/data/*"),
    "parts are cut": cut("parts.lance/data/*"),
    "versions are cut": cut("current.lance/_versions/*.manifest"),
    "what is in force is cut": cut("current.lance/data/*"),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_whatever_is_damaged_at_the_place_is_said_and_published_anew(
    folder: Path, damage: Callable[[Path], None]
) -> None:
    damage(folder / "table")
    with opened(folder) as engine:
        (check,) = [one for one in engine.doctor() if one.name == "index table"]
        assert not check.ok
        (check,) = [one for one in engine.doctor(repair=True) if one.name == "index table"]
        assert check.ok, check.detail
        assert check.repaired
        (check,) = [one for one in engine.doctor() if one.name == "index table"]
        assert check.ok, check.detail
    with opened(folder, "reader") as reader:
        assert reader.search(Request("eighty degrees")).hits[0].document.path == "tea.md"


def written(place: Path, word: str) -> list[Path]:
    return [file for file in place.rglob("*") if file.is_file() and word.encode() in file.read_bytes()]


def test_what_is_purged_leaves_no_byte_at_the_place(folder: Path) -> None:
    place = folder / "table"
    with opened(folder) as engine:
        secret = engine.ingest_text("The word xylophone stands here.\n\nAnd quokkas.")
        engine.sync()
        engine.curation.trash([secret.id])
        assert written(place, "xylophon")
        purged = engine.curation.purge()
    assert not purged.remains
    assert not written(place, "xylophon")
    assert not written(place, "quokka")
    with opened(folder, "reader") as reader:
        assert reader.show("gap.md").text == GAP.rstrip("\n")


def test_a_purge_that_cannot_reach_the_place_says_so_and_is_finished_later(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ark_tui.index.table.place import Place

    place = folder / "table"

    def away(self: Place) -> None:
        raise StoreError(f"The place of the table {self.uri} cannot be reached.", "Try again.")

    with opened(folder) as engine:
        secret = engine.ingest_text("The word xylophone stands here.")
        engine.sync()
        engine.curation.trash([secret.id])
        with monkeypatch.context() as patch:
            patch.setattr(Place, "published", away)
            with pytest.raises(StoreError, match=r"It is deleted, but .* cannot be reached"):
                engine.curation.purge()
        assert written(place, "xylophon")
        assert engine.curation.purge().earlier == 1
    assert not written(place, "xylophon")
