"""The table of actions: no key twice; every action is carried out, in the palette and in the help."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.interfaces.tui.app import ArkApp
from ark_tui.interfaces.tui.panes.analysis import AnalysisPane
from ark_tui.interfaces.tui.panes.browsing import FilterLine
from ark_tui.interfaces.tui.panes.history import HistoryPane
from ark_tui.interfaces.tui.panes.hits import Hits
from ark_tui.interfaces.tui.panes.library import LibraryPane
from ark_tui.interfaces.tui.panes.notebook import NotebookPane
from ark_tui.interfaces.tui.panes.review import ReviewPane
from ark_tui.interfaces.tui.panes.search import SearchPane
from ark_tui.interfaces.tui.panes.settings import SettingsPane
from ark_tui.interfaces.tui.screens.dialog import Dialog
from ark_tui.interfaces.tui.screens.lab import LabScreen
from ark_tui.interfaces.tui.screens.note import NoteScreen
from ark_tui.interfaces.tui.screens.picking import ABOVE, SILENT, Commands, HelpScreen, Palette
from ark_tui.interfaces.tui.screens.queue import MergeScreen, QueueScreen
from ark_tui.interfaces.tui.screens.reading import Facts
from ark_tui.interfaces.tui.screens.saved import SavedScreen
from ark_tui.interfaces.tui.screens.think import ThinkScreen
from ark_tui.interfaces.tui.screens.whynot import WhyNotScreen
from ark_tui.interfaces.tui.screens.workbench import Workbench
from ark_tui.interfaces.tui.state import actions, keymap
from ark_tui.interfaces.tui.widgets.choices import Choices
from ark_tui.interfaces.tui.widgets.document_lists import (
    Collections,
    Documents,
    Duplicates,
    LeftOut,
    Stale,
    Trash,
)
from ark_tui.interfaces.tui.widgets.query_line import QueryLine
from ark_tui.interfaces.tui.widgets.reader import Reader
from ark_tui.interfaces.tui.widgets.results import Results
from ark_tui.interfaces.tui.widgets.terms import Terms
from tests.tui.bench import bench

OWNERS: dict[actions.Scope, tuple[type, ...]] = {
    "app": (ArkApp,),
    "everywhere": (Workbench,),
    "query": (QueryLine,),
    "terms": (Terms,),
    "search": (SearchPane,),
    "hits": (Hits,),
    "curation": (Hits, LibraryPane),
    "reader": (Reader,),
    "facts": (Facts,),
    "results": (Results,),
    "move": (Results, Reader, Collections, Documents),
    "library": (LibraryPane,),
    "collections": (Collections,),
    "listed": (Documents, Duplicates, Stale),
    "documents": (Documents,),
    "filter": (FilterLine,),
    "left_out": (LeftOut,),
    "trash": (Trash,),
    "notebook": (NotebookPane,),
    "history": (HistoryPane,),
    "ask": (ThinkScreen,),
    "saved": (SavedScreen,),
    "analysis": (AnalysisPane,),
    "settings": (SettingsPane,),
    "review": (ReviewPane,),
    "note": (NoteScreen,),
    "queue": (QueueScreen,),
    "merge": (MergeScreen,),
    "lab": (LabScreen,),
    "remedies": (WhyNotScreen,),
    "dialog": (Dialog,),
}

NEVER_ALONE = {*(f"ctrl+{key}" for key in "hijmabs"), "ctrl+enter", "shift+enter"}
"""Keys that terminals, tmux or screen take or cannot tell from others."""


def test_no_key_means_two_things_in_one_place() -> None:
    assert keymap.made({}).troubles == ()


def test_every_action_is_carried_out_in_its_scope_and_says_what_it_does() -> None:
    for action in actions.ACTIONS:
        for owner in OWNERS[action.scope]:
            assert callable(getattr(owner, f"action_{action.name}", None)), (action.id, owner)
        assert action.label
        assert action.help.endswith(".")
        assert not set(action.all_keys) <= NEVER_ALONE, action.id


def test_the_key_list_has_every_action() -> None:
    listed = actions.key_list()
    assert all(f"`{action.id}`" in listed and action.help in listed for action in actions.ACTIONS)


async def test_the_palette_has_every_action_and_runs_it(filled: Path) -> None:
    async with bench(filled) as b:
        await b.opened()
        palette = Commands(b.app.context, ())
        offered = {one.label for one in palette.known}
        for action in actions.ACTIONS:
            if action.id not in SILENT and action.scope not in ABOVE:
                title = f"{actions.SCOPE_TITLES[action.scope]}: {action.label}"
                assert title in offered
                assert title in [one.label for one in palette.fitting(action.label, palette.known)]
        await b.searched("spectral gap")
        await b.pilot.press("ctrl+p")
        await b.shown(Palette)
        await b.pilot.press("ctrl+p")  # there is one, not two
        await b.type("copy path")
        await b.until(lambda: "Copy the path" in b.text())
        await b.pilot.press("enter")
        await b.until(lambda: b.app.clipboard.endswith("gap.md"))


async def test_the_help_of_the_focused_part_has_every_key_that_works_there(filled: Path) -> None:
    async with bench(filled, (100, 160)) as b:
        await b.listed("spectral gap")
        await b.pilot.press("question_mark")
        await b.shown(HelpScreen)
        screen = b.app.screen
        await b.until(lambda: screen.query_one(Choices).count)
        text = "\n".join(one.label for one in screen.query_one(Choices).rows)
        for action in actions.ACTIONS:
            if action.scope in {"results", "hits", "curation", "search", "move", "everywhere", "app"}:
                assert action.help in text
                assert actions.displayed(action) in text
        for info in b.app.context.signals.values():
            assert info.name in text
        await b.pilot.press("escape")
        assert b.hits.results.has_focus


@pytest.mark.parametrize("theme", ["textual-dark", "ansi-dark"])
async def test_jumping_takes_one_letter(filled: Path, theme: str) -> None:
    async with bench(filled, ARK_THEME=theme) as b:
        await b.searched("spectral gap")
        await b.pilot.press("ctrl+o")
        await b.until(lambda: "Press a letter to jump." in b.lines()[-1])
        assert "the spectral gap" in b.text().lower(), "what is jumped to stays in view"
        for part, letter in ((b.hits.results, "r"), (b.hits.reader, "d"), (b.hits.breakdown, "w")):
            assert b.lines()[part.region.y][part.region.x :].startswith(f" {letter} ")
        assert "alt+1" not in b.lines()[0]
        assert " 2 " in b.lines()[0]
        await b.pilot.press("w")
        await b.until(lambda: b.hits.breakdown.has_focus)
        await b.pilot.press("ctrl+o", "2")
        await b.until(lambda: b.workbench.panes.current == "library")
        await b.pilot.press("ctrl+o", "s")
        await b.until(lambda: b.search.query_line.has_focus)


async def test_help_is_searched_by_typing_and_enter_does_what_it_tells_of(filled: Path) -> None:
    async with bench(filled) as b:
        await b.listed("spectral gap")
        await b.pilot.press("f1")
        await b.shown(HelpScreen)
        assert "⏎            Read the document." in b.text(), "it begins with keys"
        screen = b.app.screen
        assert isinstance(screen, HelpScreen)
        groups = [*dict.fromkeys(one.group for one in screen.names.known)]
        assert groups[:2] == ["Results", "Document"]
        assert groups.index("Curation") < groups.index("Lists and reader") < groups.index("Everywhere")
        await b.type("pin it")
        await b.until(lambda: "Pin or unpin it." in b.text())
        await b.pilot.press("enter")
        await b.until(lambda: "Pinned" in b.app.context.said[-1].text if b.app.context.said else False)
