"""The table of actions: no key twice; every action is carried out, in the palette and in the help."""

from __future__ import annotations

from pathlib import Path

from ark_tui.interfaces.tui.app import ArkApp
from ark_tui.interfaces.tui.panes.analysis import AnalysisPane
from ark_tui.interfaces.tui.panes.history import HistoryPane
from ark_tui.interfaces.tui.panes.history_view import HistoryView
from ark_tui.interfaces.tui.panes.hits import Hits
from ark_tui.interfaces.tui.panes.library import LibraryPane
from ark_tui.interfaces.tui.panes.notebook import NotebookPane
from ark_tui.interfaces.tui.panes.review import ReviewPane
from ark_tui.interfaces.tui.panes.search import SearchPane
from ark_tui.interfaces.tui.screens.dialog import Dialog
from ark_tui.interfaces.tui.screens.lab import LabScreen
from ark_tui.interfaces.tui.screens.note import NoteScreen
from ark_tui.interfaces.tui.screens.picking import ABOVE, SILENT, Commands, HelpScreen, Palette
from ark_tui.interfaces.tui.screens.queue import MergeScreen, QueueScreen
from ark_tui.interfaces.tui.screens.think import ThinkScreen
from ark_tui.interfaces.tui.screens.workbench import Workbench
from ark_tui.interfaces.tui.state import actions, keymap
from ark_tui.interfaces.tui.widgets.choices import Choices
from ark_tui.interfaces.tui.widgets.document_lists import (
    Collections,
    Documents,
    LeftOut,
    Trash,
)
from ark_tui.interfaces.tui.widgets.query_line import QueryLine
from ark_tui.interfaces.tui.widgets.reader import Reader
from ark_tui.interfaces.tui.widgets.results import Results
from tests.tui.bench import bench

OWNERS: dict[actions.Scope, tuple[type, ...]] = {
    "app": (ArkApp,),
    "everywhere": (Workbench,),
    "query": (QueryLine,),
    "search": (SearchPane,),
    "hits": (Hits,),
    "curation": (Hits, LibraryPane),
    "reader": (Reader,),
    "results": (Results,),
    "move": (Results, Reader, Collections, Documents),
    "library": (LibraryPane,),
    "collections": (Collections,),
    "documents": (Documents,),
    "left_out": (LeftOut,),
    "trash": (Trash,),
    "notebook": (NotebookPane,),
    "views": (HistoryPane, LibraryPane),
    "history": (HistoryView,),
    "ask": (ThinkScreen,),
    "analysis": (AnalysisPane,),
    "review": (ReviewPane,),
    "note": (NoteScreen,),
    "queue": (QueueScreen,),
    "merge": (MergeScreen,),
    "lab": (LabScreen,),
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
