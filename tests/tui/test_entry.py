"""Inputs of one line."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.events import Paste
from textual.widgets import Input

import ark_tui.interfaces.tui
from ark_tui.interfaces.tui.widgets.query_line import Entry


class OneLine(App[None]):
    def compose(self) -> ComposeResult:
        yield Entry("see ", select_on_focus=False)


@pytest.mark.parametrize(
    ("pasted", "value"),
    [
        ("spectral\ngap of\r\n  a chain\n", "see spectral gap of a chain"),
        ("\n\nspectral\n\ngap", "see spectral gap"),
        (" two  blanks ", "see  two  blanks "),
        ("\n", "see "),
    ],
)
async def test_pasted_lines_are_joined_by_blanks(pasted: str, value: str) -> None:
    app = OneLine()
    async with app.run_test() as pilot:
        entry = app.query_one(Entry)
        entry.focus()
        await pilot.pause()
        app.post_message(Paste(pasted))
        await pilot.pause()
        assert entry.value == value


def test_every_input_of_the_app_is_an_entry() -> None:
    """Textual's own inputs drop all but the first pasted line."""
    (folder,) = ark_tui.interfaces.tui.__path__
    trees = [ast.parse(path.read_text("utf-8")) for path in Path(folder).rglob("*.py")]
    made = [
        node.func.id
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    assert "Entry" in made
    assert Input.__name__ not in made
