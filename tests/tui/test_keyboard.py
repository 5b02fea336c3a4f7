"""Keys as terminals send them, in their order, and keys of the user: what works and what clashes."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from textual._xterm_parser import XTermParser
from textual.events import Key

from ark_tui.interfaces.tui import terminal
from ark_tui.interfaces.tui.screens.picking import Commands, HelpScreen
from ark_tui.interfaces.tui.state import actions, keymap
from ark_tui.interfaces.tui.widgets.footing import Footer
from tests.tui.bench import NAMES, Bench, bench

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


def keys_of(wanted: dict[str, str], action: str) -> str:
    return next(one.keys for one in keymap.made(wanted).actions if one.id == action)


def said(wanted: dict[str, str]) -> list[str]:
    return [trouble.what for trouble in keymap.made(wanted).troubles]


def test_without_a_keymap_everything_is_as_shipped() -> None:
    made = keymap.made({})
    assert made.actions == actions.ACTIONS
    assert made.changed() == {}
    assert not made.troubles


def test_the_users_key_goes_before_a_shipped_one_and_both_actions_are_named() -> None:
    wanted = {"hits.copy": "e"}
    assert keys_of(wanted, "hits.copy") == "e"
    assert keys_of(wanted, "hits.edit") == ""
    assert said(wanted) == ["e is both hits.copy and hits.edit: hits.copy has it, hits.edit has no key."]
    assert keymap.made(wanted).changed() == {"hits.copy": "e", "hits.edit": actions.NO_KEY}


def test_of_two_keys_of_the_users_the_first_in_reach_wins_and_both_actions_are_named() -> None:
    wanted = {"hits.copy": "B", "everywhere.index": "B"}
    assert (keys_of(wanted, "hits.copy"), keys_of(wanted, "everywhere.index")) == ("B", "")
    assert said(wanted) == [
        "B is both hits.copy and everywhere.index: hits.copy has it, everywhere.index has no key."
    ]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"hits.copi": "c"}, "there is no action hits.copi; did you mean hits.copy?"),
        ({"hits.copy": "contrl+y"}, "there is no key contrl+y; hits.copy does not get it."),
        ({"app.quit": "q"}, "app.quit cannot have q, which types text."),
        ({"query.run": "space"}, "query.run cannot have space, which types text."),
    ],
)
def test_what_cannot_be_is_said_and_changes_nothing(wanted: dict[str, str], expected: str) -> None:
    made = keymap.made(wanted)
    assert [trouble.what for trouble in made.troubles] == [expected]
    assert made.actions == actions.ACTIONS


def footer(b: Bench) -> str:
    return b.lines()[b.workbench.query_one(Footer).region.y]


async def on_the_results(b: Bench) -> None:
    await b.searched("spectral gap")
    await b.pilot.press("enter")
    await b.until(lambda: b.hits.results.has_focus)


async def test_footer_help_palette_and_what_happens_agree_on_a_clash(filled: Path) -> None:
    (filled / "config.toml").write_text('[keymap]\n"hits.copy" = "t"\n"everywhere.maximise" = "f20"\n')
    async with bench(filled, (110, 160)) as b:
        await on_the_results(b)
        at = f"{filled / 'config.toml'}:2: keymap.hits.copy: "
        assert [one.text for one in b.app.context.said] == [
            f"{at}t is both hits.copy and curation.tag: hits.copy has it, curation.tag has no key."
        ]
        assert " t copy" in footer(b)
        assert " tag" not in footer(b)
        await b.pilot.press("t")
        assert "spectral" in b.app.clipboard
        keys = {one.label: one.about for one in Commands(b.app.context, ()).known}
        assert (keys["Document: copy"], keys["Curation: tag"]) == ("t", "no key")
        await b.pilot.press("f1")
        await b.until(lambda: isinstance(b.app.screen, HelpScreen))
        await b.type("remove tags")
        await b.until(lambda: "1 of" in b.text())
        line = next(line for line in b.lines() if "Add or remove tags." in line)
        assert "no key" in line


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
