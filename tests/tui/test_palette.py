"""The palette finds an action by everyday words, also by those that its label does not have."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from ark_tui.interfaces.tui.screens.picking import ACTION, Commands
from ark_tui.interfaces.tui.state import keymap
from ark_tui.interfaces.tui.state.actions import Scope
from ark_tui.interfaces.tui.state.context import PaneContext
from tests.tui.bench import bench

AT_THE_RESULTS: tuple[Scope, ...] = ("results", "move", "hits", "curation", "search", "everywhere", "app")

WORDS = {
    "add": "everywhere.index", "answer": "search.ask", "backlinks": "reader.about",
    "bookmark": "curation.pin", "browse": "everywhere.library", "cancel": "everywhere.stop",
    "capture": "curation.note", "chat": "search.ask", "cite": "hits.cite", "clipboard": "hits.copy",
    "close": "app.quit", "collections": "everywhere.library", "color": "everywhere.theme",
    "config": "everywhere.settings", "conversations": "everywhere.history", "copy": "hits.copy",
    "create": "curation.note", "dark": "everywhere.theme", "delete": "curation.trash",
    "demo": "everywhere.sample", "doctor": "everywhere.repair", "documents": "everywhere.library",
    "duplicates": "curation.queue", "edit": "hits.edit", "editor": "hits.edit",
    "errors": "everywhere.messages", "exit": "app.quit", "explain": "hits.turn",
    "export": "everywhere.export", "find": "everywhere.query", "folder": "everywhere.index",
    "fullscreen": "everywhere.maximise", "graph": "everywhere.analysis", "headings": "reader.contents",
    "help": "app.help", "import": "everywhere.index", "keys": "app.help", "label": "curation.tag",
    "log": "everywhere.history", "map": "everywhere.analysis", "merge": "curation.merge",
    "model": "everywhere.settings", "new": "curation.note", "note": "curation.note",
    "ollama": "everywhere.settings", "open": "results.open", "outline": "reader.contents",
    "path": "hits.copy_path", "preferences": "everywhere.settings", "print": "everywhere.export",
    "quit": "app.quit", "refresh": "everywhere.reload", "remove": "curation.trash",
    "rename": "curation.rename_tag", "report": "everywhere.export", "restore": "trash.restore",
    "save": "search.save", "search": "everywhere.search", "shortcut": "app.help",
    "tag": "curation.tag", "task": "notebook.add", "theme": "everywhere.theme",
    "todo": "everywhere.notebook", "trash": "curation.trash", "undo": "curation.undo",
    "weights": "search.lab",
}  # fmt: skip
"""What people type, and the action that they mean at the results of a search."""


@pytest.mark.parametrize("word", WORDS)
def test_an_everyday_word_finds_its_action_among_the_first_three(word: str) -> None:
    context = SimpleNamespace(keymap=keymap.made({}), opening=SimpleNamespace(opened=None))
    palette = Commands(cast("PaneContext", context), AT_THE_RESULTS, ["textual-dark", "nord"])
    first = [one.name.removeprefix(ACTION) for one in palette.fitting(word, palette.known)[:3]]
    assert WORDS[word].replace("_", "-") in first


async def test_a_report_is_exported_from_the_workbench(filled: Path, tmp_path: Path) -> None:
    async with bench(filled) as b:
        await b.searched("spectral gap")
        await b.pilot.press("escape", "ctrl+e", "ctrl+u")
        report = tmp_path / "report.md"
        await b.type(str(report))
        await b.pilot.press("enter")
        await b.until(lambda: any(f"Report written to {report}" in one.text for one in b.app.context.said))
        assert "Spectral gaps and mixing time" in report.read_text()
