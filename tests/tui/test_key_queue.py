"""What is typed ahead of the screen goes to where the keys before it have led."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.events import Key

from ark_tui.interfaces.tui import terminal
from tests.tui.bench import NAMES, Bench, bench


def at_once(b: Bench, *keys: str) -> None:
    """Keys that are all there before the first of them is looked at."""
    for key in keys:
        b.app.post_message(Key(NAMES.get(key, key), key if len(key) == 1 else None))


async def test_letters_behind_the_key_of_the_query_line_are_typed_into_it(filled: Path) -> None:
    """As keys of the list, x trashes a document, and t asks for tags."""
    async with bench(filled) as b:
        await b.listed("spectral gap")
        at_once(b, "/", "ctrl+u", *"xt x")
        await b.until(lambda: b.search.query_line.value == "xt x")
        assert b.app.screen is b.workbench
        assert not b.app.context.said


async def test_a_key_whose_end_is_not_heard_of_holds_up_the_next_ones_for_a_while_only(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal.KeyQueue, "_settle", lambda *_: None)
    async with bench(filled) as b:
        await b.opened()
        b.search.query_line.value = "spectral gap"
        await b.until(lambda: b.search.has_hits)
        at_once(b, "enter", "/", "ctrl+u", "x")
        await b.until(lambda: b.search.query_line.value == "x")
