"""Keys of the user's own: what works, what clashes, and that everything on the screen is true to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.interfaces.tui.screens.palette import Commands, HelpScreen
from ark_tui.interfaces.tui.state import actions, keymap
from ark_tui.interfaces.tui.widgets.footing import Footer
from tests.tui.bench import Bench, bench


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
        await b.shown(HelpScreen)
        await b.type("remove tags")
        await b.until(lambda: "1 of" in b.text())
        line = next(line for line in b.lines() if "Add or remove tags." in line)
        assert "no key" in line
