"""Asking in the workbench: an answer with its sources, or the sources alone; never in the way."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from textual.app import App

from ark_tui.engine import Engine
from ark_tui.interfaces.tui.screens.reading import ReadingScreen
from ark_tui.interfaces.tui.screens.think import ThinkScreen
from ark_tui.interfaces.tui.widgets.reader import Reader
from tests.ollama_server import Model, OllamaServer
from tests.tui.bench import Bench, bench, settings_of
from tests.tui.test_hostile_text import HOSTILE, harmless

CHAT = "qwen3:4b"
QUESTION = "what does the spectral gap bound"


@pytest.fixture
def server() -> Iterator[OllamaServer]:
    with OllamaServer(Model(CHAT, embeds=False)) as server:
        yield server


def served(server: OllamaServer) -> dict[str, str]:
    """The environment in which a chat model is set."""
    return {"OLLAMA_HOST": server.host, "ARK_CHAT_MODEL": CHAT, "ARK_EMBEDDING": "static"}


def over(home: Path, server: OllamaServer) -> AbstractAsyncContextManager[Bench]:
    """The workbench with that model."""
    return bench(home, OLLAMA_HOST=server.host, ARK_CHAT_MODEL=CHAT, ARK_EMBEDDING="static")


async def asked(b: Bench, question: str = QUESTION) -> ThinkScreen:
    await b.opened()
    await b.pilot.press("f12")
    await b.until(lambda: isinstance(b.app.screen, ThinkScreen) and b.app.screen.question.has_focus)
    screen = b.app.screen
    assert isinstance(screen, ThinkScreen)
    screen.question.value = question
    await b.pilot.press("enter")
    return screen


async def answered(b: Bench, question: str = QUESTION) -> ThinkScreen:
    screen = await asked(b, question)
    await b.until(lambda: screen.thought is not None and not screen.thinking, "an answer")
    return screen


async def test_without_a_model_the_passages_are_there_and_a_source_opens_at_its_lines(filled: Path) -> None:
    async with bench(filled) as b:
        screen = await answered(b)
        assert "No answer: no chat model is set; see `chat_model`." in b.text()
        assert "[1] Spectral gaps and mixing time" in b.text()
        assert "# Spectral" not in b.text(), "as it reads, and not its title once more"
        assert "The spectral gap of a reversible chain" in b.text()
        assert screen.sources.has_focus
        await b.pilot.press("enter")
        await b.shown(ReadingScreen)
        reader = b.app.screen.query_one(Reader)
        await b.until(lambda: reader.passage is not None)
        assert "▎" in b.text(), "the lines that were found are marked"
        assert reader.match >= 0, "and so are the words of the question"
        await b.pilot.press("escape", "2")
        await b.shown(ReadingScreen)
        await b.pilot.press("escape", "y")
        assert b.app.clipboard.startswith(f"{QUESTION}\n\nNo answer: no chat model is set")
        assert "[1] Spectral gaps and mixing time, notes/graphs/gap.md" in b.app.clipboard
        await b.pilot.press("escape")
        await b.until(lambda: not isinstance(b.app.screen, ThinkScreen))
        await b.pilot.press("f12")
        await b.until(
            lambda: isinstance(b.app.screen, ThinkScreen) and "Spectral gaps" in b.text(), "it is kept"
        )
        assert "Passages on" not in b.text()
        again = b.app.screen
        assert isinstance(again, ThinkScreen)
        again.question.value = "another"
        await b.until(lambda: f"Passages on “{QUESTION}”" in b.text(), "of which question the passages are")


async def test_an_answer_cites_by_numbers_that_open_the_sources(filled: Path, server: OllamaServer) -> None:
    with Engine(settings_of(filled, **served(server))) as engine:
        labels = [source.label for source in engine.memory.think(QUESTION).sources]
    server.answer = json.dumps(
        {"answer": f"The mixing time [{labels[1]}] {HOSTILE} [feed01].", "gaps": ["How tightly."]}
    )
    async with over(filled, server) as b:
        screen = await answered(b)
        await b.until(lambda: "The mixing time [2]" in b.text())
        assert f"Answer by {CHAT}" in b.text()
        assert "Not in the sources" in b.text()
        assert "not among the sources: feed01" in b.text()
        harmless(b)
        place = screen.answer.region
        await b.pilot.click(offset=(place.x + 2 + len("The mixing time ") + 1, place.y + 1))
        await b.shown(ReadingScreen)
        shown = b.app.screen.query_one(Reader).passage
        assert shown is not None
        assert shown.document.id.startswith(labels[1])


async def test_a_model_that_does_not_answer_is_stopped_by_esc_and_the_sources_stay(
    filled: Path, server: OllamaServer
) -> None:
    server.hang("/api/chat")
    async with over(filled, server) as b:
        screen = await asked(b)
        await b.until(lambda: f"{CHAT} reads the sources" in b.text())
        assert screen.sources.count
        assert "esc stop" in b.text()
        await b.pilot.press("escape")
        await b.until(lambda: f"{CHAT} was stopped before it answered" in b.text())
        assert not screen.thinking
        assert not [one for one in screen.workers if one.is_running], "nothing is waited for"
        await b.pilot.press("escape")
        await b.until(lambda: not isinstance(b.app.screen, ThinkScreen))
    server.let_go()


async def test_asking_as_it_looks(filled: Path, frame: Callable[[App[None], str], None]) -> None:
    async with bench(filled) as b:
        screen = await answered(b)
        await b.until(lambda: "[1] Spectral gaps" in b.text() and screen.sources.has_focus)
        frame(b.app, "ask-120x34")
