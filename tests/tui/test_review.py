"""The review pane: a candidate beside its sources, and a key for each decision."""

from __future__ import annotations

from pathlib import Path

from ark_tui.domain.memory import Saying, Scope
from ark_tui.engine import Engine
from ark_tui.interfaces.tui.panes.review import ReviewPane
from ark_tui.interfaces.tui.screens.ask import AskScreen
from tests.memory.talks import BEGAN, Reader, Truth
from tests.ollama_server import Model, OllamaServer
from tests.tui.bench import Bench, bench, settings_of

HERE = Scope("default", "default")
FACTS = {
    "So, Ann feeds the otters at 15:15, from now on.": "Ann feeds the otters at 15:15.",
    "So, Ben feeds the [b]owls[/b] at 16:15.": "Zelda feeds the [b]owls[/b] at 16:15.",
}


def filled(home: Path) -> None:
    with OllamaServer(Model("writer", embeds=False)) as server:
        server.says = Reader(Truth(facts=FACTS))
        with Engine(settings_of(home, ARK_CHAT_MODEL="writer", OLLAMA_HOST=server.host)) as engine:
            said = [Saying("user", text, timestamp=BEGAN) for text in FACTS]
            engine.memory.conversations.extend(HERE, said)
            assert engine.memory.consolidate().proposed == 2


async def review(b: Bench) -> ReviewPane:
    await b.opened()
    await b.pilot.press("alt+7")
    await b.until(lambda: b.workbench.panes.current == "review")
    pane = b.workbench.query_one(ReviewPane)
    await b.until(lambda: pane.candidates.has_focus)
    return pane


async def test_a_candidate_stands_beside_its_sources(home: Path) -> None:
    filled(home)
    async with bench(home) as b:
        pane = await review(b)
        await b.until(lambda: pane.candidates.count == 2)
        assert "default/1 user" in b.text()
        assert "from now on" in b.text()
        await b.pilot.press("j")
        await b.until(lambda: "not named: Zelda" in b.text())
        assert "not held by its sources" in b.text()
        assert "Zelda feeds the [b]owls[/b]" in b.text()


async def test_one_key_lets_in_refuses_puts_off_and_takes_back(home: Path) -> None:
    filled(home)
    async with bench(home) as b:
        pane = await review(b)
        await b.until(lambda: pane.candidates.count == 2)
        await b.pilot.press("s")
        await b.until(lambda: pane.candidates.rows[-1].state == "later")
        await b.pilot.press("g", "x")
        await b.until(lambda: pane.candidates.count == 1)
        await b.pilot.press("u")
        await b.until(lambda: pane.candidates.count == 2)
        await b.pilot.press("G", "a")
        await b.until(lambda: pane.candidates.count == 1)
        await b.pilot.press("e")
        await b.until(lambda: isinstance(b.app.screen, AskScreen))
        await b.pilot.press("ctrl+u", *"Ben", "space", *"helps", "enter")
        await b.until(lambda: pane.candidates.count == 0)
        assert "Nothing waits for you" in b.text()
    with Engine(settings_of(home)) as engine:
        assert {one.text for one in engine.memory.facts.list()} == {
            "Ann feeds the otters at 15:15.",
            "Ben helps",
        }
