"""The library by the page; collections renamed and let go; other names that a note gives itself."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from ark_tui.curation import edits
from ark_tui.domain.errors import NotFound, UsageError
from ark_tui.domain.library import Listing
from ark_tui.domain.query import Request
from ark_tui.domain.work import Progress
from ark_tui.ingest import frontmatter
from tests.engine.conftest import Place

NAMES = ("Bees", "ants", "Cicadas", "Dragonflies")


def filled(place: Place) -> Place:
    for day, name in enumerate(NAMES, 1):
        tag = "\ntags: [six-backends]" if name == "ants" else ""
        text = f"---\ndate: 2025-01-0{day}{tag}\n---\n\n# {name}\n\nA text on {name.lower()}.\n"
        place.write(f"field/{name.lower()}.md", text)
    place.index()
    return place


def titles(place: Place, start: int = 0, count: int = 200, **listing: Any) -> list[str]:
    page = place.engine.library.documents(Listing(**listing), start, count)
    return [one.title for one in page.rows]


def names(place: Place) -> list[str]:
    return [one.name for one in place.engine.status().collections if one.documents]


def test_documents_come_by_the_page_in_the_order_that_is_asked_for(place: Place) -> None:
    filled(place)
    assert titles(place) == ["ants", "Bees", "Cicadas", "Dragonflies"]
    assert titles(place, order="date") == ["Dragonflies", "Cicadas", "ants", "Bees"]
    assert titles(place, order="path") == ["ants", "Bees", "Cicadas", "Dragonflies"]
    assert titles(place, start=2, count=1) == ["Cicadas"]
    page = place.engine.library.documents(Listing(), 2, 1)
    assert (page.offset, page.total) == (2, 4)
    assert titles(place, start=9) == []


def test_a_page_is_found_around_a_document_and_says_its_row(place: Place) -> None:
    filled(place)
    cicadas = place.engine.document("cicadas")
    page = place.engine.library.documents(Listing(), 0, 2, around=cicadas.id)
    assert (page.offset, page.row) == (2, 2)
    assert cicadas in page.rows
    assert place.engine.library.documents(Listing(words="bees"), 0, 2, around=cicadas.id).row is None


def test_words_narrow_the_list_by_title_path_and_tag_and_pinned_documents_come_first(place: Place) -> None:
    filled(place)
    assert titles(place, words="FIELD bee") == ["Bees"]
    assert titles(place, words="#six") == ["ants"]
    assert titles(place, words="ants bees") == []
    assert titles(place, collection="nowhere") == []
    place.engine.curation.edit(edits.pin, ["dragonflies"])
    assert titles(place)[0] == "Dragonflies"
    place.engine.curation.edit(edits.trash, ["dragonflies"])
    assert titles(place) == ["ants", "Bees", "Cicadas"]


def test_documents_are_listed_by_their_tags_their_tier_pins_and_the_trash(place: Place) -> None:
    filled(place)
    curation = place.engine.curation
    curation.edit(edits.tag, ["bees", "cicadas"], ["wings"])
    curation.edit(edits.tag, ["cicadas"], ["loud"])
    curation.edit(edits.tier, ["bees"], "raw")
    curation.edit(edits.pin, ["ants"])
    assert titles(place, tags=("wings",)) == ["Bees", "Cicadas"]
    assert titles(place, tags=("wings", "loud")) == ["Cicadas"]
    assert titles(place, tags=("wing",)) == []
    assert titles(place, tier="raw", tags=("wings",)) == ["Bees"]
    assert titles(place, pinned=True) == ["ants"]
    curation.edit(edits.trash, ["bees", "ants"])
    assert titles(place, trashed=True) == ["ants", "Bees"]
    assert titles(place, trashed=True, pinned=True) == ["ants"]
    assert titles(place, trashed=True, collection="nowhere") == []


def test_a_collection_gets_another_name_and_its_documents_keep_what_was_said_of_them(place: Place) -> None:
    filled(place)
    place.engine.curation.edit(edits.tag, ["bees"], ["wings"])
    before = place.engine.document("bees")
    place.engine.curation.edit(edits.rename_collection, "notes", "insects")
    after = place.engine.document("bees")
    assert (after.collection, after.id, after.tags) == ("insects", before.id, ("wings",))
    assert place.paths("bees in:insects")[0] == "field/bees.md"
    assert place.index().unchanged == 4
    for name in ("default", "memory", "", "a/b"):
        with pytest.raises(UsageError):
            place.engine.curation.edit(edits.rename_collection, "insects", name)
    with pytest.raises(NotFound, match="There is no collection notes"):
        place.engine.curation.edit(edits.rename_collection, "notes", "x")


def test_a_folder_that_is_removed_leaves_its_files_and_comes_back_with_everything_that_was_said(
    place: Place,
) -> None:
    filled(place)
    place.engine.curation.edit(edits.tag, ["bees"], ["wings"])
    place.engine.curation.edit(edits.trash, ["ants"])
    with pytest.raises(UsageError, match="1 of its documents is in the trash"):
        place.engine.library.remove("notes")
    place.engine.curation.edit(edits.untrash, ["ants"])
    known = place.engine.document("bees").id
    assert place.engine.library.remove("notes") == 4
    assert place.paths("bees") == []
    assert place.engine.status(rows=True).documents == 0
    assert (place.root / "field/bees.md").exists()
    assert all(check.ok is not False for check in place.engine.doctor())
    place.index()
    after = place.engine.document("bees")
    assert (after.id, after.tags, after.collection) == (known, ("wings",), "notes")


@pytest.mark.parametrize("name", ["", "insects"])
def test_a_folder_that_is_removed_or_renamed_while_it_is_read_leaves_nothing_behind(
    place: Place, name: str
) -> None:
    for number in range(450):
        place.write(f"{number}.md", f"beetle number {number}")

    def progress(now: Progress) -> None:
        if now.stage == "read" and now.done == 420 and "notes" in names(place):
            place.engine.curation.edit(
                edits.rename_collection, "notes", name
            ) if name else place.engine.library.remove("notes")

    with pytest.raises(UsageError, match="removed or renamed while its folder was being read"):
        place.index(progress=progress)
    assert names(place) == ([name] if name else [])
    assert place.engine.runs.unfinished() == (), "nobody goes on with it by himself"
    assert name or place.engine.status().documents == 0
    place.index()
    assert place.engine.status().documents == 450


def test_texts_without_a_file_are_not_let_go_for_nothing_could_bring_them_back(place: Place) -> None:
    place.engine.ingest_text("A text of its own.", collection="inbox")
    with pytest.raises(UsageError, match="texts without a file"):
        place.engine.library.remove("inbox")
    with pytest.raises(NotFound):
        place.engine.library.remove("nothing")
    assert titles(place, collection="inbox")


def test_status_says_when_a_folder_was_read_and_whether_it_is_there(place: Place) -> None:
    filled(place)
    (one,) = (c for c in place.engine.status().collections if c.root)
    assert one.read == place.engine.now()
    assert not one.missing
    shutil.rmtree(place.root)
    (one,) = (c for c in place.engine.status().collections if c.root)
    assert one.missing


FUSION = "# Reciprocal rank fusion\n\nRanks are summed by their inverses.\n"


def linked(place: Place) -> list[str]:
    """Where the links of from.md lead."""
    links = place.engine.reading.links("from.md")
    return [link.document.path for link in links if link.document]


def aliased(*names: str) -> str:
    return f"---\naliases: [{', '.join(names)}]\n---\n{FUSION}"


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ('aliases: [RRF, "Cormack, Clarke"]', ("RRF", "Cormack, Clarke")),
        ("aliases:\n- RRF\n- rank fusion", ("RRF", "rank fusion")),
        ("aliases: RRF, rank fusion", ("RRF", "rank fusion")),
        ("alias: RRF", ("RRF",)),
        ("aliases:", ()),
        ("aliases: {a: b}", ()),
    ],
)
def test_aliases_are_a_list_or_one_line_with_commas(written: str, names: tuple[str, ...]) -> None:
    assert frontmatter.read(f"---\n{written}\n---\ntext").aliases() == names


@pytest.mark.parametrize("query", ["quokka", '"quokka method"'])
def test_a_note_is_found_by_its_alias_and_the_hit_says_so(place: Place, query: str) -> None:
    place.write("fusion.md", aliased("Quokka method"))
    place.write("other.md", "# Bread\n\nFlour and water.")
    place.index()
    (hit,) = place.engine.search(Request(query, mode="keyword")).hits
    assert hit.document.path == "fusion.md"
    assert [around.said for around in hit.around] == ["by its alias: quokka method"]


def test_a_note_in_other_words_is_found_by_the_alias_of_another(place: Place) -> None:
    place.write("fusion.md", aliased("RRF"))
    place.write("where.md", "# Notes\n\nWe sum lists by reciprocal rank fusion.")
    place.index()
    result = place.engine.search(Request("RRF", below=True))
    assert {hit.document.path for hit in result.hits} == {"fusion.md", "where.md"}


def test_a_changed_alias_takes_the_place_of_the_old_one(place: Place) -> None:
    place.write("fusion.md", aliased("quokka"))
    place.index()
    place.write("fusion.md", aliased("wombat"), fresh=True)
    place.index()
    assert place.engine.search(Request("quokka", mode="keyword")).hits == ()
    (hit,) = place.engine.search(Request("wombat", mode="keyword")).hits
    assert hit.document.path == "fusion.md"


def test_a_link_may_name_a_note_by_its_alias_but_a_file_of_that_name_comes_first(place: Place) -> None:
    place.write("fusion.md", aliased("RRF"))
    place.write("from.md", "See [[rrf]].")
    place.index()
    assert linked(place) == ["fusion.md"]
    place.write("rrf.md", "# Another\n\nA file of that name.", fresh=True)
    place.index()
    assert linked(place) == ["rrf.md"]
