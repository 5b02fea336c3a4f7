"""The table of links in docs/files.md is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ark_tui.engine import Engine
from ark_tui.settings import load

PAGE = (Path(__file__).parents[2] / "docs" / "files.md").read_text("utf-8")
TABLE = PAGE.split("| leads to |\n")[1].split("\n\n")[0].replace("\\|", "|")
LINKS = re.findall(r"(?:`` `(.+?)` ``|`([^`]*[\[(<][^`]*)`)", TABLE)
WRITTEN = [f"`{code}`" if code else link for code, link in LINKS]


@pytest.mark.parametrize("link", WRITTEN)
def test_a_link_leads_where_the_page_says(link: str, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    (notes / "birds").mkdir(parents=True)
    (notes / "daily").mkdir()
    (notes / "birds" / "Heron.md").write_text(
        "---\naliases: [grey fisher]\n---\n## Winter\n\nIt waits. ^a1b2c3\n"
    )
    (notes / "daily" / "other.md").write_text("Another.\n")
    (notes / "daily" / "today.md").write_text(f"{link}\n")
    with Engine(load(tmp_path / "home", environ={})) as engine:
        engine.index([notes])
        found = [one for one in engine.reading.links("daily/today.md") if one.relation == "links_to"]
        ends = [one.document.path if one.document else "" for one in found]
        wanted = "daily/other.md" if "other" in link else "birds/Heron.md"
        assert ends == ([] if link.startswith("`") else [wanted])
        if "#" in link:
            assert found[0].anchor.casefold() in ("winter", "^a1b2c3")


def test_every_line_has_been_tried() -> None:
    assert len(WRITTEN) == 17


@pytest.mark.parametrize(
    ("heading", "title"),
    [("2026-03-14", "standup"), ("14 March 2026", "standup"), ("2026-03-14 plan", "2026-03-14 plan")],
)
def test_a_heading_that_is_a_date_is_no_title(heading: str, title: str, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "standup.md").write_text(f"# {heading}\n\nText.\n")
    with Engine(load(tmp_path / "home", environ={})) as engine:
        engine.index([tmp_path / "notes"])
        assert engine.document("standup.md").title == title
