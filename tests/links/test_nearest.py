"""The table in docs/files.md of which document is meant by a name that several bear (I13, I20)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.links.conftest import Place

PAGE = (Path(__file__).parents[2] / "docs" / "files.md").read_text("utf-8")
TABLE = PAGE.split("| leads to | because |\n")[1].split("\n\n")[0]
ROWS = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in TABLE.splitlines()[1:]]


@pytest.mark.parametrize(("link", "there", "wanted", "why"), ROWS, ids=[row[3] for row in ROWS])
def test_the_line_is_true(place: Place, link: str, there: str, wanted: str, why: str) -> None:
    here, _, elsewhere = there.partition("another collection")
    for path in re.findall(r"`([\w/.]+\.\w+)`", elsewhere):
        place.write(f"../other/{path}", "Another.")
    for path in re.findall(r"`([\w/.]+\.\w+)`", here):
        stated = re.search(rf"`{path}` with `(.+?)`", here)
        place.write(path, f"---\n{stated[1]}\n---\nText." if stated else "Text.")
    place.write("a/deep/today.md", link.strip("`"))
    if elsewhere:
        place.engine.index([place.root.parent / "other"])
    place.index()
    (end,) = (one for one in place.engine.reading.links("a/deep/today.md") if one.direction == "out")
    if wanted == "nothing":
        assert (end.state, len(end.candidates)) == ("ambiguous", 2), why
    else:
        assert end.document, why
        assert (end.document.path, end.document.collection) == (wanted.strip("`"), "notes"), why


def test_a_markdown_link_finds_its_end_when_a_note_of_that_name_arrives_and_a_nearer_one_wins(
    place: Place,
) -> None:
    place.write("daily/today.md", "[text](Heron.md)")
    place.index()
    for path in ("birds/Heron.md", "daily/Heron.md"):
        place.write(path, f"The heron of {path}.")
        place.index()
        ends = [one.document.path for one in place.engine.reading.links("daily/today.md") if one.document]
        assert ends == [path]
