"""What was superseded is hidden, unless it is asked for, and then shows its successor (S17)."""

from __future__ import annotations

import pytest

from tests.links.conftest import Place

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
