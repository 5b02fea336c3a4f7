"""What ranking reads of links agrees with the store, at once and after whatever happens (I13)."""

from __future__ import annotations

import numpy as np

from ark_tui.store import documents, links
from tests.links.conftest import Place


def served(place: Place, path: str) -> set[tuple[str, str, str]]:
    """Path of the neighbour, relation, direction, from the serving files."""
    view = place.engine.vectors.refresh()
    assert view is not None
    with place.engine.store.read() as lease:
        number = documents.resolve(lease, path)
        relations = links.all_edges(lease).relations
    found = view.linked(np.array([number]))
    with place.engine.store.read() as lease:
        paths = {n: d.path for n, d in documents.documents(lease, found.target.tolist()).items()}
    return {
        (paths[target], relations[abs(code) - 1], "out" if code > 0 else "in")
        for target, code in zip(found.target.tolist(), found.relation.tolist(), strict=True)
    }


def test_links_are_served_from_both_ends_with_their_relation(place: Place) -> None:
    place.write("a.md", "[[b]]\n\n- builds_on:: [[b]]\n\n[[a]] [[nobody]]")
    place.write("b.md", "[[c]]")
    place.write("c.md", "Alone but for b.")
    place.index()
    assert served(place, "a.md") == {("b.md", "links_to", "out"), ("b.md", "builds_on", "out")}
    assert served(place, "b.md") == {
        ("a.md", "links_to", "in"),
        ("a.md", "builds_on", "in"),
        ("c.md", "links_to", "out"),
    }


def test_a_link_that_only_front_matter_has_gained_is_served_too(place: Place) -> None:
    place.write("a.md", "---\ntitle: A\n---\nThe same text before and after.")
    place.write("b.md", "B.")
    place.index()
    place.write("a.md", "---\ntitle: A\nderives_from: b\n---\nThe same text before and after.")
    place.index()
    assert served(place, "a.md") == {("b.md", "derives_from", "out")}


def test_a_stub_is_served_when_it_has_resolved_and_no_more_when_its_document_goes(place: Place) -> None:
    place.write("a.md", "[[b]]")
    place.index()
    assert served(place, "a.md") == set()
    file = place.write("b.md", "B.")
    place.index()
    assert served(place, "a.md") == {("b.md", "links_to", "out")}
    file.unlink()
    place.index()
    assert served(place, "a.md") == set()


def test_documents_are_found_by_the_periods_they_name(place: Place) -> None:
    place.write("a.md", "We met in March 2026.")
    place.write("2026-03-14 b.md", "No date in the text.")
    place.write("c.md", "April 2026.")
    place.index()
    with place.engine.store.read() as lease:
        numbers = [one.document for one in links.occurrences(lease, ["month:2026-03"])]
        found = {document.path for document in documents.documents(lease, numbers).values()}
    assert found == {"a.md", "2026-03-14 b.md"}
