"""The table of links in docs/files.md is true."""

from __future__ import annotations

import re
from pathlib import Path

from ark_tui.engine import Engine
from ark_tui.settings import load

PAGE = (Path(__file__).parents[2] / "docs" / "files.md").read_text("utf-8")
TABLE = PAGE.split("| leads to |\n")[1].split("\n\n")[0].replace("\\|", "|")
LINKS = re.findall(r"(?:`` `(.+?)` ``|`([^`]*[\[(<][^`]*)`)", TABLE)
WRITTEN = [f"`{code}`" if code else link for code, link in LINKS]


def test_a_link_leads_where_the_page_says(tmp_path: Path) -> None:
    assert len(WRITTEN) == 17
    notes = tmp_path / "notes"
    (notes / "birds").mkdir(parents=True)
    (notes / "daily").mkdir()
    (notes / "birds" / "Heron.md").write_text(
        "---\naliases: [grey fisher]\n---\n## Winter\n\nIt waits. ^a1b2c3\n"
    )
    (notes / "daily" / "other.md").write_text("Another.\n")
    for number, link in enumerate(WRITTEN):
        (notes / "daily" / f"{number}.md").write_text(f"{link}\n")
    with Engine(load(tmp_path / "home", environ={})) as engine:
        engine.index([notes])
        for number, link in enumerate(WRITTEN):
            links = engine.reading.links(f"daily/{number}.md")
            found = [one for one in links if one.relation == "links_to"]
            ends = [one.document.path if one.document else "" for one in found]
            wanted = "daily/other.md" if "other" in link else "birds/Heron.md"
            assert ends == ([] if link.startswith("`") else [wanted]), link
            if "#" in link:
                assert found[0].anchor.casefold() in ("winter", "^a1b2c3")


def test_a_heading_that_is_a_date_is_no_title(tmp_path: Path) -> None:
    titles = {"2026-03-14": "standup", "14 March 2026": "standup", "2026-03-14 plan": "2026-03-14 plan"}
    (tmp_path / "notes").mkdir()
    for heading in titles:
        (tmp_path / "notes" / heading).mkdir()
        (tmp_path / "notes" / heading / "standup.md").write_text(f"# {heading}\n\nText.\n")
    with Engine(load(tmp_path / "home", environ={})) as engine:
        engine.index([tmp_path / "notes"])
        assert {one: engine.document(f"{one}/standup.md").title for one in titles} == titles
