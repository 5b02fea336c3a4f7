"""Keys as terminals send them: bytes, read by Textual's own parser, sent to a focused text field."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from textual._xterm_parser import XTermParser

from ark_tui.interfaces.tui import terminal
from tests.tui.bench import Bench, bench

PANES = {"1": "search", "2": "library", "3": "notebook", "5": "analysis"}


def sent(bench: Bench, sequence: str) -> None:
    """What the terminal sends, as the driver hands it to the app; the end of it is a pause."""
    parser = XTermParser()
    for event in (*parser.feed(sequence), *parser.feed("")):
        bench.app.post_message(event)


def shows(bench: Bench, pane: str) -> bool:
    return bench.workbench.panes.current == pane


async def test_alt_and_a_digit_change_the_pane_from_inside_the_query_line(filled: Path) -> None:
    async with bench(filled) as b:
        await b.opened()
        await b.type("gap")
        for digit, pane in [*list(PANES.items())[1:], ("1", "search")]:
            await b.workbench.show_pane("search")
            b.search.query_line.focus()
            await b.pilot.pause()
            sent(b, f"\x1b{digit}")
            await b.until(partial(shows, b, pane), pane)
            assert b.search.query_line.value == "gap"


@pytest.mark.parametrize("digit", terminal.DIGITS)
def test_no_digit_with_alt_is_a_letter_of_a_mac(digit: str) -> None:
    terminal.learn()
    (event,) = XTermParser().feed(f"\x1b{digit}")
    assert (event.key, event.character) == (f"alt+{digit}", None)  # type: ignore[attr-defined]
