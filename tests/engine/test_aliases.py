"""Other names that a note gives itself in its front matter, under `aliases`."""

from __future__ import annotations

import pytest

from ark_tui.domain.query import Request
from ark_tui.ingest import frontmatter
from tests.engine.conftest import Place

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
