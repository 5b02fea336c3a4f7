"""Curation by keys in the workbench: on the hit under the cursor and on marked ones, shown at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.app import App

from ark_tui.interfaces.tui.screens.dialogs import ConfirmScreen
from ark_tui.interfaces.tui.screens.picking import PickScreen
from ark_tui.interfaces.tui.screens.queue import MergeScreen
from ark_tui.interfaces.tui.widgets.reader import Reader
from tests.tui.bench import Bench, bench


async def at_the_results(b: Bench, query: str = "spectral gap") -> None:
    await b.searched(query)
    b.hits.results.focus()
    await b.until(lambda: b.hits.results.has_focus)


async def picking(b: Bench, title: str = "") -> PickScreen:
    """The picker is open, under that title."""
    await b.until(lambda: isinstance(b.app.screen, PickScreen) and title in b.text())
    screen = b.app.screen
    assert isinstance(screen, PickScreen)
    return screen


async def merging(b: Bench) -> MergeScreen:
    """What is to become one is shown."""
    await b.until(lambda: isinstance(b.app.screen, MergeScreen))
    screen = b.app.screen
    assert isinstance(screen, MergeScreen)
    await b.until(lambda: screen.merged.stakes)
    return screen


async def answer(b: Bench, text: str) -> None:
    await picking(b)
    await b.type(text)
    await b.pilot.press("enter")
    await b.until(lambda: b.app.screen is b.workbench)


def said(b: Bench, text: str) -> bool:
    return any(text in one.text for one in b.app.context.said)


async def test_marked_hits_are_tagged_together_and_one_undo_takes_it_back(filled: Path) -> None:
    async with bench(filled) as b:
        await at_the_results(b)
        await b.pilot.press("space", "space")
        assert "2 marked" in b.text()
        assert b.hits.results.cursor == 2
        third = b.hits.results.hits[2].document.id
        await b.pilot.press("t")
        await answer(b, "draft")
        await b.until(lambda: sum("draft" in hit.document.tags for hit in b.hits.results.hits) == 2)
        await b.until(lambda: said(b, "Tagged 2 documents with draft · u undo"))
        assert b.hits.results.hits[b.hits.results.cursor].document.id == third
        await b.pilot.press("u")
        await b.until(lambda: not any("draft" in hit.document.tags for hit in b.hits.results.hits))
        await b.pilot.press("ctrl+r")
        await b.until(lambda: sum("draft" in hit.document.tags for hit in b.hits.results.hits) == 2)
        await b.pilot.press("escape")
        assert "marked" not in b.text()
        assert b.hits.results.has_focus


async def test_a_tag_is_renamed_wherever_it_is_after_its_count_was_seen(filled: Path) -> None:
    async with bench(filled) as b:
        await at_the_results(b)
        hits = b.hits.results.hits
        with_it = {hit.document.id for hit in hits if "graphs" in hit.document.tags}
        assert len(with_it) == 2
        await b.pilot.press("number_sign")
        await picking(b, "Which tag do you want to rename?")
        await b.type("graphs")
        await b.until(lambda: "2 documents: " in b.text())
        await b.pilot.press("enter")
        screen = await picking(b, "Another name for graphs")
        await b.until(lambda: "Type a new name, or a tag to merge it with." in b.text())
        screen.line.value = "numerics"
        await b.until(lambda: "2 documents of graphs" in b.text() and "1 has it already" in b.text())
        await b.pilot.press("enter")

        def tagged(tag: str) -> set[str]:
            return {hit.document.id for hit in b.hits.results.hits if tag in hit.document.tags}

        await b.until(lambda: not tagged("graphs") and len(tagged("numerics")) == 3)
        await b.until(lambda: said(b, "Renamed the tag graphs to numerics on 2 documents · u undo"))
        await b.pilot.press("u")
        await b.until(lambda: tagged("graphs") == with_it)


async def test_trash_takes_the_hit_away_the_cursor_stays_in_its_row_and_undo_brings_it_back(
    filled: Path,
) -> None:
    async with bench(filled) as b:
        await at_the_results(b)
        titles = b.titles()
        await b.pilot.press("j", "j", "x")
        await b.until(lambda: titles[2] not in b.titles())
        assert b.hits.results.cursor == 2
        await b.until(lambda: said(b, "to the trash · u undo"))
        await b.pilot.press("j", "u")
        await b.until(lambda: titles[2] in b.titles())
        await b.until(
            lambda: (here := b.hits.results.hit) and here.document.title == titles[2],
            "what came back selected",
        )


async def test_a_judgment_shows_beside_the_score_and_keeps_its_search(filled: Path) -> None:
    async with bench(filled) as b:
        await at_the_results(b)
        hit = b.hits.results.hit
        assert hit is not None
        await b.pilot.press("plus")
        b.hits.show_judgments("spectral gap", ())  # a look that began before the key
        await b.pilot.press("plus", "j", "minus")
        await b.until(lambda: " ++ " in b.text() and " − " in b.text())
        engine = b.app.context.opening.wait()
        await b.until(lambda: len(engine.curation.judgments("spectral gap")) == 2)
        first, second = engine.curation.judgments("spectral gap")
        assert (first.document.id, first.grade, second.grade) == (hit.document.id, 2, 0)
        await b.until(lambda: len(engine.search_log()) == 1)
    async with bench(filled) as b:
        await b.searched("spectral gap")
        await b.until(lambda: " ++ " in b.text(), "the judgment of the run before")


async def test_marked_hits_are_judged_in_one_step_with_one_message_and_one_undo(filled: Path) -> None:
    async with bench(filled) as b:
        await at_the_results(b)
        await b.pilot.press("space", "space", "space", "minus")
        engine = b.app.context.opening.wait()
        await b.until(lambda: len(engine.curation.judgments("spectral gap")) == 3)
        await b.until(lambda: said(b, "undo"))
        assert len(b.app.context.said) == 1
        await b.pilot.press("u")
        await b.until(lambda: not engine.curation.judgments("spectral gap"))


async def test_a_link_leads_to_a_document_that_is_picked_and_seen_and_then_says_how(filled: Path) -> None:
    async with bench(filled) as b:
        await at_the_results(b)
        here = b.titles()[0]
        await b.pilot.press("l")
        screen = await picking(b, "Link")
        await b.until(lambda: screen.choices.count)
        assert here not in [one.label for one in screen.choices.rows], "no document links to itself"
        await b.type("lanczos")
        await b.until(lambda: "Krylov subspaces find" in b.text(), "how the other one begins")
        await b.pilot.press("enter")
        await picking(b, "How are they related?")
        await b.type("builds")
        await b.pilot.press("enter")
        await b.until(lambda: said(b, "undo"))
        assert said(b, "builds_on")


@pytest.mark.parametrize("size", [(120, 34)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_what_merging_shows_at_three_sizes(
    filled: Path, frame: Callable[[App[None], str], None], size: tuple[int, int]
) -> None:
    async with bench(filled, size) as b:
        await at_the_results(b)
        await b.pilot.press("space", "space", "space", "m")
        screen = await merging(b)
        await b.until(lambda: all(one.query_one(Reader).passage for one in screen.query("Side")))
        b.search.query_line.say("6 of 6")  # without how long it took
        frame(b.app, f"merge-{size[0]}x{size[1]}")


async def test_how_much_goes_is_said_before_several_go_into_the_trash(filled: Path) -> None:
    async with bench(filled) as b:
        await at_the_results(b)
        titles = b.titles()
        await b.pilot.press("space", "space", "x")
        await b.until(lambda: isinstance(b.app.screen, ConfirmScreen))
        assert "Put 2 documents into the trash?" in b.text()
        assert "2 documents, 2 passages, 0 links to them:" in b.text()
        await b.pilot.press("escape")
        await b.until(lambda: b.app.screen is b.workbench)
        assert b.titles() == titles, "nothing has gone"
        await b.pilot.press("x")
        await b.until(lambda: isinstance(b.app.screen, ConfirmScreen))
        await b.pilot.press("y")
        await b.until(lambda: not {*titles[:2]} & {*b.titles()})
        assert titles[2] in b.titles()
