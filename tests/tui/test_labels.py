"""Labels tell the truth: what a key does is what the screen says at that moment."""

from __future__ import annotations

from pathlib import Path

from ark_tui.domain.query import Request
from ark_tui.engine import Engine
from ark_tui.interfaces.tui.screens.palette import HelpScreen
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


async def test_an_empty_query_line_has_help_at_its_question_mark(filled: Path) -> None:
    async with bench(filled) as b:
        await b.opened()
        await b.pilot.press("question_mark")
        await b.until(lambda: isinstance(b.app.screen, HelpScreen))
        await b.pilot.press("escape")
        await b.type("why?")
        assert b.search.query_line.value == "why?"


async def test_with_nothing_to_search_digits_lead_to_the_panes(home: Path, notes: Path) -> None:
    async with bench(home) as b:
        await b.opened()
        await b.until(lambda: b.app.screen.focused is None)
        assert "2 Library" in b.lines()[0]
        assert "alt+" not in b.lines()[0]
        await b.pilot.press("2")
        await b.until(lambda: b.workbench.panes.current == "library")
        await b.pilot.press("1")
        await b.until(lambda: b.app.screen.focused is None and b.workbench.panes.current == "search")
        assert "alt+" not in b.lines()[0]
        await b.pilot.press("slash")
        await b.until(lambda: b.search.query_line.has_focus, "where one asks for it")
        b.workbench.set_focus(None)
        b.workbench.index(notes)
        await b.until(
            lambda: b.search.query_line.has_focus, "the query line, once there is something to find"
        )


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


async def test_a_hit_that_is_read_has_the_window_and_its_reasons_in_a_drawer(filled: Path) -> None:
    async with bench(filled, (80, 24)) as b:
        await b.listed("spectral gap")
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.reader.has_focus and not b.hits.results.display)
    async with bench(filled) as b:
        await b.listed("spectral gap")
        await b.pilot.press("enter")
        await b.until(lambda: b.hits.reader.has_focus and not b.hits.breakdown.display)
        await b.pilot.press("w")
        await b.until(lambda: b.hits.breakdown.display)
        await b.pilot.press("w")
        await b.until(lambda: not b.hits.breakdown.display)
        await b.pilot.press("w", "escape")
        await b.until(
            lambda: not b.hits.is_reading and not b.hits.has_class("-why"), "what was before is back"
        )


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
        await b.until(lambda: "tab takes it" not in b.text(), "nothing fits")
        await b.pilot.press("backspace", "backspace")
        await b.type("nmr")
        await b.until(lambda: "numerics" in b.text())
        assert b.search.query_line.value == "gap tag:nmr"
        await b.pilot.press("tab")
        assert b.search.query_line.value == "gap tag:numerics "
        assert b.search.query_line.has_focus
        await b.until(lambda: b.titles() == ["Lanczos, restarted"])


async def test_a_query_that_is_selected_whole_is_as_good_as_empty(filled: Path) -> None:
    async with bench(filled) as b:
        await b.listed("spectral gap")
        b.search.query_line.select_all()
        await b.type("/")
        assert b.search.query_line.value == "spectral gap"
        await b.type("@")
        await b.until(lambda: "None yet: ^n saves a search." in b.text())
        await b.type("?")
        assert b.search.query_line.value == "@?"


async def test_the_last_line_shows_the_keys_of_the_dialog_that_is_open(filled: Path) -> None:
    async with bench(filled, (80, 24)) as b:
        await b.listed("spectral gap")
        await b.pilot.press("down")
        await b.until(lambda: "t tag" in b.lines()[-1])
        await b.pilot.press("at")
        await b.until(lambda: b.lines()[-1].startswith("⏎ run a add r rename"))
        assert b.lines()[-1].endswith("esc close F1 help")
        await b.pilot.press("escape")
        await b.until(lambda: "t tag" in b.lines()[-1])


async def test_enter_searches_unless_an_arrow_has_chosen_what_is_offered(filled: Path) -> None:
    async with bench(filled) as b:
        await b.opened()
        await b.type("gap in:no")
        await b.until(lambda: "tab takes it" in b.text())
        await b.pilot.press("enter")
        await b.until(lambda: "tab takes it" not in b.text())
        assert b.search.query_line.value == "gap in:no"
        await b.pilot.press("ctrl+u")
        await b.type("tier:")
        await b.until(lambda: "tab takes it" in b.text())
        await b.pilot.press("down", "enter")
        await b.until(lambda: b.search.query_line.value in {"tier:wiki ", "tier:doc "})
        await b.type("type:")
        await b.pilot.press("escape")
        assert b.search.query_line.has_focus, "the first step back is out of what is offered"


async def test_fields_that_documents_state_are_offered_by_their_first_letters_and_their_values_with_counts(
    home: Path, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number, author in enumerate(("Ann Lee", "Ann Lee", "Bo")):
        (notes / f"{number}.md").write_text(f"---\nauthor: {author}\n---\n# Pears {number}\n\nA pear.\n")
    with Engine(settings_of(home)) as engine:
        engine.index([notes])
    async with bench(home) as b:
        await b.opened()
        await b.type("pear aut")
        await b.until(lambda: "▌author" in b.text() and "3 documents" in b.text())
        await b.pilot.press("tab")
        assert b.search.query_line.value == "pear author:"
        await b.until(lambda: "▌Ann Lee" in b.text() and "2 documents" in b.text(), "its values")
        await b.pilot.press("tab")
        assert b.search.query_line.value == 'pear author:"Ann Lee" '
        await b.until(lambda: len(b.titles()) == 2)
        await b.pilot.press("ctrl+u")
        await b.type("has:")
        await b.until(lambda: "▌author" in b.text())
        await b.pilot.press("ctrl+u")
        await b.type("pear aut")
        await b.until(lambda: "▌author" in b.text())
        await b.pilot.press("down")
        await b.until(lambda: b.hits.results.has_focus, "it may as well be a word: arrows lead to the hits")


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


async def test_a_list_of_tags_is_completed_one_by_one_and_enter_takes_a_new_one_as_it_is(
    filled: Path,
) -> None:
    async with bench(filled) as b:
        await b.listed("spectral gap")
        await b.pilot.press("t")
        await b.until(lambda: "Tags for" in b.text())
        await b.type("mine, -thr")
        await b.until(lambda: "▌-thr" in b.text() and "a new tag" in b.text())
        await b.pilot.press("down")
        await b.until(lambda: "2 documents: " in b.text(), "which have it")
        await b.pilot.press("tab", "enter")
        await b.until(lambda: b.app.screen is b.workbench)
        await b.until(lambda: (hit := b.hits.results.hit) and set(hit.document.tags) == {"graphs", "mine"})


async def test_what_is_offered_leaves_in_view_what_is_said_of_the_query(filled: Path) -> None:
    async with bench(filled, (80, 24)) as b:
        await b.opened()
        await b.type("tag:theor")
        await b.until(lambda: "tab takes it" in b.text() and "in no document" in b.text())
        assert "tag:theor: in no document · did you mean tag:theory?  ^t takes it" in b.text()


async def test_a_tag_that_nobody_has_is_said_with_the_nearest_and_a_key_takes_it(filled: Path) -> None:
    async with bench(filled) as b:
        await b.opened()
        await b.type("tag:theroy gap")
        await b.until(lambda: "tag:theroy: in no document · did you mean tag:theory gap?" in b.text())
        await b.pilot.press("ctrl+t")
        await b.until(lambda: b.search.query_line.value == "tag:theory gap" and bool(b.titles()))
