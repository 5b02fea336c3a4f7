"""The review pane: a candidate beside its sources, and a key for each decision."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from textual.app import App

from ark_tui.domain.memory import Saying, Scope
from ark_tui.engine import Engine
from ark_tui.interfaces.tui.panes.review import ReviewPane
from ark_tui.interfaces.tui.screens.dialog import AskScreen
from tests.memory.talks import BEGAN, Reader, Truth, made
from tests.ollama_server import Model, OllamaServer
from tests.tui.bench import Bench, bench, settings_of

HERE = Scope("default", "default")
FACTS = {
    "So, Ann feeds the otters at 15:15, from now on.": "Ann feeds the otters at 15:15.",
    "So, Ben feeds the [b]owls[/b] at 16:15.": "Zelda feeds the [b]owls[/b] at 16:15.",
}


def filled(home: Path) -> None:
    said = [Saying("user", text, timestamp=BEGAN) for text in FACTS]
    assert proposed(home, Truth([(HERE.session, said)], facts=FACTS)) == 2


def proposed(home: Path, truth: Truth) -> int:
    """How many candidates a model makes of conversations."""
    with OllamaServer(Model("writer", embeds=False)) as server:
        server.says = Reader(truth)
        with Engine(settings_of(home, ARK_CHAT_MODEL="writer", OLLAMA_HOST=server.host)) as engine:
            for session, said in truth.talks:
                engine.memory.conversations.extend(Scope(HERE.agent, session), said)
            return engine.memory.consolidate().proposed


async def review(b: Bench) -> ReviewPane:
    await b.opened()
    await b.pilot.press("alt+6")
    await b.until(lambda: b.workbench.panes.current == "review")
    pane = b.workbench.query_one(ReviewPane)
    await b.until(lambda: pane.candidates.has_focus)
    return pane


async def test_a_candidate_stands_beside_its_sources_and_one_key_decides(home: Path) -> None:
    filled(home)
    async with bench(home) as b:
        pane = await review(b)
        await b.until(lambda: pane.candidates.count == 2)
        for edge in ("╭─ Proposed ─", "╭─ Sources ─", " 2 to review ─╯"):
            assert edge in b.text(), "framed as the parts of every pane"
        assert "default/1 user" in b.text()
        assert "from now on" in b.text()
        await b.pilot.press("j")
        await b.until(lambda: "not named: Zelda" in b.text())
        assert "not supported by its sources" in b.text()
        assert "Zelda feeds the [b]owls[/b]" in b.text()
        await b.pilot.press("k", "s")
        await b.until(lambda: pane.candidates.rows[-1].state == "later")
        await b.pilot.press("g", "x")
        await b.until(lambda: pane.candidates.count == 1)
        await b.pilot.press("u")
        await b.until(lambda: pane.candidates.count == 2)
        await b.pilot.press("G", "a")
        await b.until(lambda: pane.candidates.count == 1)
        assert "Accepted: Ann feeds the otters at 15:15. · u undo" in b.app.context.said[-1].text
        await b.pilot.press("e")
        await b.shown(AskScreen)
        await b.pilot.press("ctrl+u", *"Ben", "space", *"helps", "enter")
        await b.until(lambda: pane.candidates.count == 0)
        assert "Nothing to review" in b.text()
    with Engine(settings_of(home)) as engine:
        assert {one.text for one in engine.memory.facts.list()} == {
            "Ann feeds the otters at 15:15.",
            "Ben helps",
        }


async def test_a_candidate_is_merged_with_an_item_that_is_picked_by_what_it_says(home: Path) -> None:
    filled(home)
    with Engine(settings_of(home)) as engine:
        for text in ("The gate is green.", "Otters are fed by Ann at a quarter past three."):
            engine.memory.facts.add(text)
    async with bench(home) as b:
        pane = await review(b)
        await b.until(lambda: pane.candidates.count == 2)
        await b.pilot.press("m")
        await b.until(lambda: "Which fact is the same?" in b.text() and "2 of 2" in b.text())
        await b.pilot.press("enter")  # the one that shares most words
        await b.until(lambda: pane.candidates.count == 1)
    with Engine(settings_of(home)) as engine:
        (merged,) = engine.memory.review.list(states=("merged",))
        assert merged.made == engine.memory.facts.list()[1].document.id


async def test_the_review_as_it_looks(home: Path, frame: Callable[[App[None], str], None]) -> None:
    count = proposed(home, made(seed=4, count=4))
    async with bench(home) as b:
        pane = await review(b)
        await b.until(lambda: pane.candidates.count == count)
        await b.pilot.press("j", "j")  # an episode, which rests on several messages
        await b.until(lambda: "every night" in b.text())
        frame(b.app, "review-120x34")
