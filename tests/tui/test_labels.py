"""Labels tell the truth: what a key does is what the screen says at that moment."""

from __future__ import annotations

from pathlib import Path

from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from tests.tui.bench import bench, settings_of


async def test_in_the_query_line_digits_are_text_and_the_tabs_say_what_leads_to_them(filled: Path) -> None:
    async with bench(filled) as b:
        await b.searched("spectral gap")
        assert "alt+2 Library" in b.text()
        await b.pilot.press("space", "2")
        assert b.search.query_line.value.endswith(" 2")
        await b.pilot.press("backspace", "backspace", "escape")
        await b.until(lambda: b.hits.results.has_focus, "the results")
        assert "alt+" not in b.lines()[0]
        await b.pilot.press("2")
        await b.until(lambda: b.workbench.panes.current == "library")


async def test_escape_is_one_step_back_and_never_leads_out(filled: Path) -> None:
    async with bench(filled) as b:
        await b.listed("spectral gap")
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.reader.has_focus)
        assert b.hits.results.region.width < 40, "the document has the window"
        await b.pilot.press("escape")
        await b.until(lambda: b.hits.results.has_focus)
        assert b.hits.results.region.width > 40
        await b.pilot.press("escape", "escape")
        assert b.hits.results.has_focus
        await b.pilot.press("4")
        await b.until(lambda: b.workbench.panes.current == "history")
        await b.pilot.press("escape", "escape")
        assert b.workbench.panes.current == "history"


async def test_what_documents_say_is_offered_with_counts_as_it_is_typed_and_tab_takes_it(
    filled: Path,
) -> None:
    async with bench(filled) as b:
        await b.opened()
        await b.type("gap tag:")
        await b.until(
            lambda: "theory" in b.text() and "documents" in b.text(), "tags, the most frequent first"
        )
        assert b.lines()[2].startswith("│ gap tag:"), "what is offered leaves the line to be seen"
        await b.type("qq")
        await b.until(lambda: "tab select" not in b.text(), "nothing fits")
        await b.pilot.press("backspace", "backspace")
        await b.type("nmr")
        await b.until(lambda: "numerics" in b.text())
        assert b.search.query_line.value == "gap tag:nmr"
        await b.pilot.press("tab")
        assert b.search.query_line.value == "gap tag:numerics "
        assert b.search.query_line.has_focus
        await b.until(lambda: b.titles() == ["Lanczos, restarted"])


async def test_enter_searches_unless_an_arrow_has_chosen_what_is_offered(filled: Path) -> None:
    async with bench(filled) as b:
        await b.opened()
        await b.type("gap in:no")
        await b.until(lambda: "tab select" in b.text())
        await b.pilot.press("enter")
        await b.until(lambda: "tab select" not in b.text())
        assert b.search.query_line.value == "gap in:no"
        await b.pilot.press("ctrl+u")
        await b.type("tier:")
        await b.until(lambda: "tab select" in b.text())
        await b.pilot.press("down", "enter")
        await b.until(lambda: b.search.query_line.value in {"tier:wiki ", "tier:doc "})
        await b.type("type:")
        await b.pilot.press("escape")
        assert b.search.query_line.has_focus, "the first step back is out of what is offered"


async def test_an_at_sign_offers_the_saved_searches(filled: Path) -> None:
    with Engine(settings_of(filled)) as engine:
        engine.curation.save_search("gaps", Request("spectral gap"))
    async with bench(filled) as b:
        await b.opened()
        await b.type("@")
        await b.until(lambda: "@gaps" in b.text() and "spectral gap" in b.text())
        await b.pilot.press("tab")
        assert b.search.query_line.value == "@gaps "
        await b.until(lambda: b.search.has_hits)


async def test_a_tag_that_nobody_has_is_said_with_the_nearest_and_a_key_takes_it(filled: Path) -> None:
    async with bench(filled) as b:
        await b.opened()
        await b.type("tag:theroy gap")
        await b.until(lambda: "tag:theroy: in no document · did you mean tag:theory gap?" in b.text())
        await b.pilot.press("ctrl+t")
        await b.until(lambda: b.search.query_line.value == "tag:theory gap" and bool(b.titles()))
