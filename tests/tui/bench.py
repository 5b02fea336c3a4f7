"""The workbench over a small home, driven by a pilot: opened, waited for, looked at."""

from __future__ import annotations

import builtins
import faulthandler
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

import pytest
from textual.events import Paste
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from ark_tui import settings
from ark_tui.engine.jobs import Jobs
from ark_tui.interfaces.tui.app import ArkApp
from ark_tui.interfaces.tui.panes.hits import Hits
from ark_tui.interfaces.tui.panes.search import SearchPane
from ark_tui.interfaces.tui.screens.dialog import AskScreen
from ark_tui.interfaces.tui.screens.picking import PickScreen
from ark_tui.interfaces.tui.screens.workbench import Workbench
from ark_tui.settings import Settings

Shown = TypeVar("Shown", bound=Screen[Any])

NOW = "2026-01-01T00:00:00Z"
PATIENCE = 20.0  # seconds for a condition on a busy machine

NAMES = {" ": "space", "/": "slash", ":": "colon", "-": "minus", '"': "quotation_mark", ".": "full_stop"}


def settings_of(home: Path, **environ: str) -> Settings:
    """The settings of a home under a clock that stands still; nothing is watched unless a test says so."""
    return settings.load(home, environ={"ARK_NOW": NOW, "ARK_WATCH": "0", **environ})


class Bench:
    """A running workbench."""

    def __init__(self, pilot: Pilot[None], app: ArkApp) -> None:
        self.pilot = pilot
        self.app = app

    @property
    def workbench(self) -> Workbench:
        screen = self.app.screen_stack[0]
        assert isinstance(screen, Workbench)
        return screen

    @property
    def jobs(self) -> Jobs:
        """The long work of its engine."""
        jobs: Jobs = self.app.context.opening.home().engine.jobs
        return jobs

    @property
    def looked(self) -> bool:
        """Whether the first look at the folders is over, and nothing that came of it is under way."""
        background = self.app.context.opening.home().engine.background
        return background.looked and not [job for job in self.jobs.live if job.kind != "watch"]

    @property
    def search(self) -> SearchPane:
        return self.workbench.search_pane

    @property
    def hits(self) -> Hits:
        return self.search.hits

    async def until(self, condition: Callable[[], object], what: str = "") -> None:
        """Let the app run until something is so."""
        end = monotonic() + PATIENCE
        while not condition():
            if monotonic() > end:
                faulthandler.dump_traceback(2)  # what every thread is waiting for
                pytest.fail(f"waited in vain for {what or condition}\n{self.text()}\n{self.app.context.said}")
            await self.pilot.pause(0.01)
        await self.pilot.pause()

    async def opened(self) -> None:
        await self.until(lambda: self.workbench.status is not None, "the engine")

    async def type(self, text: str) -> None:
        await self.pilot.press(*(NAMES.get(character, character) for character in text))

    async def searched(self, text: str) -> None:
        """Paste a query and wait for its complete result, and for the document under the cursor."""
        self.search.query_line.post_message(Paste(text))
        await self.until(lambda: self.complete(text), f"hits for {text!r}")

    async def listed(self, text: str) -> None:
        """Search for a query, and go to its results."""
        await self.searched(text)
        await self.pilot.press("enter")
        await self.until(lambda: self.hits.results.has_focus)

    async def shown(self, kind: builtins.type[Shown]) -> Shown:
        """Wait for a screen of a kind."""
        await self.until(lambda: isinstance(self.app.screen, kind), kind.__name__)
        screen = self.app.screen
        assert isinstance(screen, kind)
        return screen

    async def answer(self, text: str) -> None:
        """Wait for a question or a picker, and answer it."""
        await self.until(lambda: isinstance(self.app.screen, AskScreen | PickScreen))
        asked = self.app.screen
        asked.query_one(Input).value = text
        await self.pilot.press("enter")
        await self.until(lambda: self.app.screen is not asked)

    def said(self, text: str) -> bool:
        """Whether a message contains a text."""
        return any(text in one.text for one in self.app.context.said)

    def complete(self, text: str) -> bool:
        """Whether the hits for a query are all there, and the reader shows the one under the cursor."""
        result = self.search.result
        if result is None or result.partial or result.query.raw != text:
            return False
        hit, passage = self.hits.results.hit, self.hits.reader.passage
        read = passage is not None and hit is not None and passage.document.id == hit.document.id
        return hit is None or read or not self.hits.reader.display

    def lines(self) -> list[str]:
        """What is on the screen, line by line."""
        return [strip.text.rstrip() for strip in self.app.screen._compositor.render_strips()]

    def text(self) -> str:
        return "\n".join(self.lines())

    def titles(self) -> list[str]:
        return [hit.document.title for hit in self.hits.results.hits]


@asynccontextmanager
async def bench(home: Path, size: tuple[int, int] = (120, 34), **environ: str) -> AsyncIterator[Bench]:
    """The workbench over a home, from its first frame to its end."""
    app = ArkApp(settings_of(home, **environ))
    try:
        async with app.run_test(size=size, notifications=True) as pilot:
            b = Bench(pilot, app)
            yield b
            workbench = app.screen_stack[0]
            b.text()  # the last frame is painted, whatever the test has looked at
    finally:
        app.context.opening.close()
    assert isinstance(workbench, Workbench)
