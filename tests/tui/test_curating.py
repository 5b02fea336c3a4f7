"""Curation by keys in the workbench: on the hit under the cursor and on marked ones, shown at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from textual.app import App

from ark_tui.engine import searches
from ark_tui.interfaces.tui.screens.dialog import ConfirmScreen
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
    screen = await b.shown(MergeScreen)
    await b.until(lambda: screen.merged.stakes)
    return screen


async def test_marked_hits_are_tagged_together_and_one_undo_takes_it_back(filled: Path) -> None:
    async with bench(filled) as b:
        await at_the_results(b)
        await b.pilot.press("space", "space")
        assert "2 marked" in b.text()
        assert b.hits.results.cursor == 2
        third = b.hits.results.hits[2].document.id
        await b.pilot.press("t")
        await b.answer("draft")
        await b.until(lambda: sum("draft" in hit.document.tags for hit in b.hits.results.hits) == 2)
        await b.until(lambda: b.said("Tagged 2 documents with draft · u undo"))
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
        await b.until(lambda: "New name for the tag graphs" in b.text())
        await b.pilot.press("ctrl+u", *"numerics", "enter")

        def tagged(tag: str) -> set[str]:
            return {hit.document.id for hit in b.hits.results.hits if tag in hit.document.tags}

        await b.until(lambda: not tagged("graphs") and len(tagged("numerics")) == 3)
        await b.until(lambda: b.said("Renamed the tag graphs to numerics on 2 documents · u undo"))
        await b.pilot.press("u")
        await b.until(lambda: tagged("graphs") == with_it)


async def test_trash_takes_a_hit_at_once_and_several_after_saying_how_much_goes_and_undo_brings_them_back(
    filled: Path,
) -> None:
    async with bench(filled) as b:
        await at_the_results(b)
        titles = b.titles()
        await b.pilot.press("j", "j", "x")
        await b.until(lambda: titles[2] not in b.titles())
        assert b.hits.results.cursor == 2
        await b.until(lambda: b.said("to the trash · u undo"))
        await b.pilot.press("j", "u")
        await b.until(lambda: titles[2] in b.titles())
        await b.until(
            lambda: (here := b.hits.results.hit) and here.document.title == titles[2],
            "what came back selected",
        )
        await b.pilot.press("g", "space", "space", "x")
        await b.shown(ConfirmScreen)
        assert "Move 2 documents to the trash?" in b.text()
        assert "2 documents, 2 passages, 0 links to them:" in b.text()
        await b.pilot.press("escape")
        await b.until(lambda: b.app.screen is b.workbench)
        assert b.titles() == titles, "nothing has gone"
        await b.pilot.press("x")
        await b.shown(ConfirmScreen)
        await b.pilot.press("y")
        await b.until(lambda: not {*titles[:2]} & {*b.titles()})
        assert titles[2] in b.titles()


async def test_a_judgment_shows_beside_the_score_and_keeps_its_search(filled: Path) -> None:
    async with bench(filled) as b:
        await at_the_results(b)
        hit = b.hits.results.hit
        assert hit is not None
        await b.pilot.press("plus")
        b.hits.show_judgments("spectral gap", ())  # a look that began before the key
        await b.pilot.press("plus", "j", "minus")
        await b.until(lambda: " ++ " in b.text() and " − " in b.text())
        engine = b.app.context.opening.home().engine
        await b.until(lambda: len(engine.curation.judgments("spectral gap")) == 2)
        first, second = engine.curation.judgments("spectral gap")
        assert (first.document.id, first.grade, second.grade) == (hit.document.id, 2, 0)
        await b.until(lambda: len(searches.latest(engine)) == 1)
    async with bench(filled) as b:
        await b.searched("spectral gap")
        await b.until(lambda: " ++ " in b.text(), "the judgment of the run before")


async def test_marked_hits_are_judged_in_one_step_with_one_message_and_one_undo(filled: Path) -> None:
    async with bench(filled) as b:
        await at_the_results(b)
        await b.pilot.press("space", "space", "space", "minus")
        engine = b.app.context.opening.home().engine
        await b.until(lambda: len(engine.curation.judgments("spectral gap")) == 3)
        await b.until(lambda: b.said("undo"))
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
        await b.until(lambda: b.said("undo"))
        assert b.said("builds_on")


async def test_what_merging_shows(filled: Path, frame: Callable[[App[None], str], None]) -> None:
    async with bench(filled) as b:
        await at_the_results(b)
        await b.pilot.press("space", "space", "space", "m")
        screen = await merging(b)
        await b.until(lambda: all(one.query_one(Reader).passage for one in screen.query("Side")))
        b.search.query_line.say("6 of 6")  # without how long it took
        frame(b.app, "merge-120x34")
