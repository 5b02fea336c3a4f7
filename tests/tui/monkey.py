"""A monkey at the workbench: random keys, clicks, wheels, pastes and window sizes, the same for a seed."""

from __future__ import annotations

from asyncio import sleep
from pathlib import Path
from random import Random
from typing import Any

import pytest
from textual.events import (
    Event,
    Key,
    MouseDown,
    MouseEvent,
    MouseMove,
    MouseScrollDown,
    MouseScrollUp,
    MouseUp,
    Paste,
)
from textual.keys import _character_to_key

from ark_tui.interfaces.tui.screens.workbench import Workbench
from ark_tui.interfaces.tui.state import actions
from tests.tui import painting
from tests.tui.bench import Bench

LEAVING = {"ctrl+q"}
"""Keys that end the app; the monkey would have to be started again."""

KEYS = sorted({key for action in actions.ACTIONS for key in action.all_keys} - LEAVING)
EDITING = ("backspace", "delete", "left", "right", "ctrl+a", "ctrl+e", "ctrl+k", "ctrl+w", "enter", "tab")
LETTERS = " spectral gap eigenvalue-\"():/äß0123456789zöl@#'\\$[]{}<>*?"
WORDS = (
    "spectral gap",
    "gap tag:theory",
    '"mixing time" -chain',
    "in:notes before:2026",
    "forgetting OR cards",
)
PASTES = (
    *WORDS, "[/ [b [@click=app.quit]x[/]", "\x1b]52;c;aGFja2Vk\x07", "\u202edesrever", "日本語 ноты", "(",
    '"', "x" * 5000, "a\nb\tc", "",
)  # fmt: skip
SIZES = ((80, 24), (120, 34), (200, 50), (60, 16), (59, 15), (1, 1), (30, 60), (240, 12), (100, 20))
CHARACTERS = {"space": " ", "plus": "+", "minus": "-", "question_mark": "?", "enter": "\r", "tab": "\t"}
GESTURES: dict[str, tuple[type[MouseEvent], ...]] = {
    "click": (MouseDown, MouseUp),
    "double click": (MouseDown, MouseUp, MouseDown, MouseUp),
    "drag": (MouseDown, MouseMove),
    "let go": (MouseUp,),
    "move": (MouseMove,),
    "wheel down": (MouseScrollDown,) * 3,
    "wheel up": (MouseScrollUp,) * 3,
}
APART = 0.002
"""Seconds between two events."""

SETTLE = 25
"""Steps between two times that the monkey waits for what it has set off."""


class Monkey:
    """What it does depends on nothing but its seed; what it has done is told when something breaks."""

    def __init__(self, b: Bench, seed: int) -> None:
        self._b = b
        self._seed = seed
        self._random = Random(seed)
        self._done: list[str] = []

    async def play(self, steps: int) -> None:
        """So many keys and other steps; fails where the app does."""
        while len(self._done) < steps:
            for _ in range(min(SETTLE, steps - len(self._done))):
                self._done.append(await self._step())
                self._check()
            await self._b.pilot.pause()
            self._check()

    def _check(self) -> None:
        app = self._b.app
        broken = [said.text for said in app.context.said if "unexpected" in said.text]
        if app._exception is None and app.is_running and not broken:
            return
        last = "\n  ".join(self._done[-40:])
        what = "\n".join(broken) or repr(app._exception) or "it has ended"
        pytest.fail(
            f"seed {self._seed}, step {len(self._done)}: {what}\nlast steps:\n  {last}\n{self._b.text()}"
        )

    async def _step(self) -> str:
        chance = self._random.random()
        if chance < 0.60:
            return await self._press(self._random.choice(KEYS))
        if chance < 0.72:
            return await self._press(*self._random.choices(LETTERS, k=3))
        if chance < 0.80:
            return await self._press(self._random.choice(EDITING))
        if chance < 0.84:
            text = self._random.choice(PASTES)
            self._b.app.post_message(Paste(text))
            return f"paste {text[:40]!r}"
        if chance < 0.96:
            return await self._mouse()
        size = self._random.choice(SIZES)
        await self._b.pilot.resize_terminal(*size)
        return f"resize {size}"

    async def _press(self, *keys: str) -> str:
        """As the terminal sends keys: one after the other, whether the app has done with the last or not."""
        for key in keys:
            name = _character_to_key(key) if len(key) == 1 else key
            await self._send(Key(name, key if len(key) == 1 else CHARACTERS.get(name)))
        return f"press {' '.join(keys)}"

    async def _mouse(self) -> str:
        """A click, a second one at once, or the wheel, anywhere on the screen."""
        size = self._b.app.size
        at = (self._random.randrange(max(1, size.width)), self._random.randrange(max(1, size.height)))
        name, kinds = self._random.choice(list(GESTURES.items()))
        for kind in kinds:
            pressed = int(kind in {MouseDown, MouseUp})
            await self._send(kind(None, *at, 0, 0, pressed, False, False, False, *at))
        return f"{name} {at}"

    async def _send(self, event: Event) -> None:
        driver = self._b.app._driver
        assert driver is not None
        driver.send_message(event)
        await sleep(APART)


async def home_again(b: Bench) -> None:
    """From wherever the monkey was to the query line of a window of an ordinary size."""
    await b.pilot.resize_terminal(120, 34)
    for _ in range(30):
        if b.app.screen is b.workbench:
            break
        await b.pilot.press("escape")
    assert b.app.screen is b.workbench, f"the way back is barred by {b.app.screen}"
    b.app.set_keymap({})
    await b.pilot.press("f8", "ctrl+f")
    await b.until(lambda: b.search.query_line.has_focus, "the query line")
    b.search.query_line.value = ""
    await b.until(lambda: b.search.result is None, "an empty query line")


def tame(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    """Keep the monkey within a folder: that is its home, no program starts, nothing else is indexed.

    Whatever it does is painted.
    """
    painting.always(monkeypatch)
    index = Workbench.index

    def inside(self: Workbench, folder: Path, *rest: Any, **named: Any) -> None:
        if folder.resolve().is_relative_to(place.resolve()):
            index(self, folder, *rest, **named)

    monkeypatch.setenv("HOME", str(place))
    monkeypatch.chdir(place)
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.setenv(name, "true")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Workbench, "index", inside)
