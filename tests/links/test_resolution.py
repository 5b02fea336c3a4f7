"""Links lead to documents, through renames (I13); what was superseded is hidden (S17)."""

from __future__ import annotations

import pytest

from ark_tui.domain.documents import Link
from tests.links.conftest import Place


def ends(place: Place, ref: str, direction: str = "out") -> dict[str, str]:
    """Target as written → path at the other end, or what has become of the link."""
    return {
        link.target: link.document.path if link.document else link.state
        for link in place.engine.reading.links(ref)
        if link.direction == direction and link.relation != "occurred_in"
    }


def the_link(place: Place, ref: str, target: str) -> Link:
    return next(link for link in place.engine.reading.links(ref) if link.target == target)


def test_a_target_may_be_a_stem_a_file_a_path_or_a_part_of_one(place: Place) -> None:
    place.write("theory/graphs/gap.md", "The gap.")
    targets = ("gap", "gap.md", "graphs/gap", "theory/graphs/gap.md", "Theory/Graphs/GAP")
    place.write("from.md", " ".join(f"[[{target}]]" for target in targets))
    place.index()
    assert ends(place, "from.md") == dict.fromkeys(targets, "theory/graphs/gap.md")


def test_a_markdown_link_is_read_from_where_it_stands(place: Place) -> None:
    place.write("a/note.md", "[up](../b/note.md) and [beside](other.md#part)")
    place.write("a/other.md", "Other.")
    place.write("b/note.md", "B.")
    place.index()
    assert ends(place, "a/note.md") == {"b/note.md": "b/note.md", "a/other.md": "a/other.md"}
    assert the_link(place, "a/note.md", "a/other.md").anchor == "part"


def test_source_ids_document_ids_and_item_ids_are_names_too(place: Place) -> None:
    place.write("paper.md", "---\nsource_id: doi:10.1000/182\n---\nA paper.")
    place.write("cards.jsonl", '{"_id": "c1", "text": "one card"}\n{"_id": "c2", "text": "two cards"}\n')
    place.write("plain.md", "Plain.")
    place.index()
    plain = place.engine.document("plain.md").id
    place.write(
        "from.md", f"---\nderives_from: [doi:10.1000/182, {plain}]\n---\n[[c1]] and [[cards.jsonl#c2]]\n"
    )
    place.index()
    found = {(link.target, link.anchor): link.document for link in place.engine.reading.links("from.md")}
    assert {key: (document.path, document.item) for key, document in found.items() if document} == {
        ("doi:10.1000/182", ""): ("paper.md", ""),
        (plain, ""): ("plain.md", ""),
        ("c1", ""): ("cards.jsonl", "c1"),
        ("cards.jsonl", "c2"): ("cards.jsonl", "c2"),
    }


def test_records_may_state_links_and_a_source_id(place: Place) -> None:
    place.write(
        "cards.jsonl",
        '{"_id": "a", "text": "old card", "superseded_by": "b"}\n'
        '{"_id": "b", "text": "new card", "metadata": {"source_id": "deck:7", "derives_from": ["a"]}}\n',
    )
    place.write("from.md", "[[deck:7]]")
    place.index()
    relations = {
        (link.relation, link.direction, link.document.item if link.document else "")
        for link in place.engine.reading.links(place.item("b"))
    }
    assert relations == {("superseded_by", "in", "a"), ("derives_from", "out", "a"), ("links_to", "in", "")}


def test_a_note_comes_before_another_file_of_the_same_stem(place: Place) -> None:
    place.write("sm2.py", "def interval(): ...")
    place.write("deep/sm2.md", "SM-2 in words.")
    place.write("from.md", "[[sm2]] [[sm2.py]]")
    place.index()
    assert ends(place, "from.md") == {"sm2": "deep/sm2.md", "sm2.py": "sm2.py"}


def test_a_stub_resolves_by_itself_when_the_document_arrives(place: Place) -> None:
    place.write("from.md", "[[later]]")
    place.index()
    assert ends(place, "from.md") == {"later": "stub"}
    place.write("later.md", "Here I am.")
    place.index()
    assert ends(place, "from.md") == {"later": "later.md"}
    assert ends(place, "later.md", "in") == {"later": "from.md"}


def test_a_link_follows_a_renamed_document_and_keeps_to_it_when_its_own_document_is_edited(
    place: Place,
) -> None:
    place.write("x.md", "A text that is moved as it is.")
    place.write("from.md", "[[x]]")
    place.index()
    place.move("x.md", "elsewhere/y.md")
    assert place.index().renamed == 1
    assert ends(place, "from.md") == {"x": "elsewhere/y.md"}
    place.write("from.md", "[[x]], edited")
    place.index()
    assert ends(place, "from.md") == {"x": "elsewhere/y.md"}


def test_a_link_is_a_stub_again_when_its_document_goes_and_comes_back_with_it(place: Place) -> None:
    file = place.write("x.md", "A text.")
    place.write("from.md", "[[x]]")
    place.index()
    file.unlink()
    place.index()
    assert ends(place, "from.md") == {"x": "stub"}
    place.write("x.md", "Another text.")
    place.index()
    assert ends(place, "from.md") == {"x": "x.md"}


def test_a_name_that_several_bear_leads_nowhere_and_lists_them_until_one_is_left(place: Place) -> None:
    place.write("a/x.md", "One.")
    file = place.write("b/x.md", "Two.")
    place.write("from.md", "[[x]]")
    place.index()
    link = the_link(place, "from.md", "x")
    assert (link.state, [d.path for d in link.candidates]) == ("ambiguous", ["a/x.md", "b/x.md"])
    assert ends(place, "a/x.md", "in") == {}
    file.unlink()
    place.index()
    assert ends(place, "from.md") == {"x": "a/x.md"}


def test_the_own_collection_comes_first_then_others(place: Place) -> None:
    other = place.root.parent / "other"
    place.write("from.md", "[[x]] [[only-there]]")
    place.index()
    place.write("../other/x.md", "The other x.")
    place.write("../other/only-there.md", "Only there.")
    place.engine.index([other])
    assert place.collections("from.md") == {"x": "other", "only-there": "other"}
    place.write("x.md", "My own x.")
    place.index()
    assert place.collections("from.md") == {"x": "notes", "only-there": "other"}


def test_links_in_code_are_none_and_typed_ones_keep_their_relation(place: Place) -> None:
    place.write("base.md", "Base.")
    place.write("from.md", "```\n[[base]]\n```\n\n- builds_on:: [[base]]\n- tensions:: [[base]]\n")
    place.index()
    out = [(link.relation, link.line) for link in place.engine.reading.links("from.md")]
    assert out == [("builds_on", 5), ("tensions", 6)]


def test_periods_are_nodes_and_no_documents(place: Place) -> None:
    place.write("from.md", "We met in March 2026.")
    place.index()
    assert [(link.target, link.state) for link in place.engine.reading.links("from.md")] == [
        ("month:2026-03", "period"),
        ("quarter:2026-Q1", "period"),
    ]


OLD = "---\nsuperseded_by: plan-2026\n---\nThe backup plan with tapes."
NEW = "The backup plan with disks."


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
def test_a_superseded_document_is_found_only_when_it_is_asked_for(place: Place, mode: str) -> None:
    place.write("plan-2024.md", OLD)
    place.write("plan-2026.md", NEW)
    place.index()
    assert set(place.hits("backup plan", mode=mode)) == {"plan-2026.md"}
    hits = place.hits("backup plan", mode=mode, superseded=True, below=True)
    successor = hits["plan-2026.md"].document
    assert hits["plan-2024.md"].document.superseded_by == f"{successor.short_id} Plan 2026"
    assert successor.superseded_by == ""


def test_it_is_hidden_before_ranking_so_that_the_limit_is_filled_with_others(place: Place) -> None:
    for number in range(5):
        place.write(f"old-{number}.md", f"Tapes and tapes {number}.\n\n- superseded_by:: [[new]]")
    place.write("new.md", "Disks, no tapes, nothing else to be said about it at all.")
    place.index()
    assert list(place.hits("tapes", limit=1)) == ["new.md"]


def test_it_stays_while_its_successor_is_only_a_name_and_goes_when_that_arrives(place: Place) -> None:
    place.write("plan-2024.md", OLD)
    place.index()
    assert set(place.hits("backup plan")) == {"plan-2024.md"}
    new = place.write("plan-2026.md", NEW)
    place.index()
    assert set(place.hits("backup plan")) == {"plan-2026.md"}
    new.unlink()
    place.index()
    assert set(place.hits("backup plan")) == {"plan-2024.md"}


def test_documents_that_supersede_each_other_are_all_shown(place: Place) -> None:
    place.write("a.md", "The backup plan, one.\n\n- superseded_by:: [[b]]")
    place.write("b.md", "The backup plan, two.\n\n- superseded_by:: [[a]]")
    place.write("c.md", "The backup plan, three.\n\n- superseded_by:: [[a]]")
    place.index()
    assert set(place.hits("backup plan")) == {"a.md", "b.md"}
