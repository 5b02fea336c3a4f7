"""Nothing is cut unmarked: panes, dialogs and messages, in windows from the smallest to a large one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.tui.bench import bench
from tests.tui.conftest import LONG
from tests.tui.cut import Cuts

SIZES = (
    (60, 16),
    (80, 24),
    *(pytest.param(size, marks=pytest.mark.soak) for size in ((120, 34), (200, 50))),
)
QUERY = "spectral gap"

SEARCH: dict[str, tuple[str, ...]] = {
    "one line": ("v", "v"), "three lines": ("v", "v"), "why": ("w",), "text": ("w",), "duel": ("D",),
    "why not": ("X",), "why not this one": ("X", *"forgetting", "enter"), "lab": ("L",),
    "weigh": ("equals_sign",), "answer": ("A",), "saved": ("at",), "save": ("W",),
    "note": ("a",), "queue": ("Q",), "tag": ("t",), "tier": ("r",), "link": ("l",), "supersede": ("S",),
    "merge": ("space", "space", "m"), "jump": ("ctrl+o",), "theme": ("f6",), "palette": ("ctrl+p",),
    "help": ("f1",), "folder": ("f2",), "said": ("f4",), "checks": ("f10",), "receipt": ("R",),
    "reading": ("enter",), "about": ("i",), "contents": ("c",), "links": ("f",),
}  # fmt: skip
"""What is opened by keys from a hit, one after the other; `esc` closes what is above the workbench."""

PANES: dict[str, tuple[str, ...]] = {
    "collections": ("2",), "let go": ("D",), "rename": ("c",), "documents": ("right",), "filter": ("f",),
    "left out": ("escape", "right"), "duplicates": ("right",), "stale": ("right",), "trash": ("right",),
    "in the trash": ("enter",), "purge": ("D",),
    "pad": ("3",), "value": ("e",), "tasks": ("tab",), "task": ("a",),
    "conversations": ("4",), "delete": ("x",), "messages": ("enter",), "find": ("f",), "searches": ("right",),
    "search": ("enter",), "outcomes": ("right",), "outcome": ("enter",),
    "analysis": ("5",), **{f"measure {number}": ("j",) for number in range(2, 11)},
    "settings": ("6",), **{f"section {number}": ("j",) for number in range(2, 8)},
    "value of a setting": ("tab",), "change": ("enter",), "review": ("7",),
}  # fmt: skip

OPENED = {
    "AboutScreen", "AskScreen", "ChecksScreen", "ChooseScreen", "DuelScreen", "HelpScreen", "LabScreen",
    "MergeScreen", "NoteScreen", "Palette", "PickScreen", "QueueScreen", "SaidScreen", "SavedScreen",
    "ThemeScreen", "ThinkScreen", "TrashedScreen", "WhyNotScreen", "Workbench",
}  # fmt: skip
"""What all of that shows; a key that leads nowhere is seen by what is missing."""


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_nothing_is_cut_unmarked(
    lived_in: Path, home: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    cuts = Cuts(monkeypatch)
    opened: set[str] = set()
    found: list[str] = []
    async with bench(shutil.copytree(lived_in, home), size) as b:

        def look(place: str) -> None:
            opened.add(type(b.app.screen).__name__)
            found.extend(f"{place}: {fault}" for fault in cuts.found(b.app.screen))

        async def visit(places: dict[str, tuple[str, ...]]) -> None:
            for place, keys in places.items():
                await b.pilot.press(*keys)
                look(place)
                while b.app.screen is not b.workbench:
                    await b.pilot.press("escape")

        await b.opened()
        look("start")
        for query in ("gapp", "nothing tag:nowhere", '"', "tag:journl", LONG):
            b.search.query_line.value = query
            await b.pilot.pause()
            look(query)
        b.search.query_line.value = ""
        await b.listed(QUERY)
        look("results")
        await visit(SEARCH)
        await visit(PANES)
        b.app.context.say(f"{LONG}, {LONG}.", "error")
        await b.pilot.pause()
        look("message")
    assert not found, "\n".join(dict.fromkeys(found))
    assert opened >= OPENED


async def test_a_new_home_in_the_smallest_window(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cuts = Cuts(monkeypatch)
    async with bench(home, (60, 16)) as b:
        await b.opened()
        assert not [*cuts.found(b.app.screen)]
        for pane in "23456":
            await b.pilot.press(f"alt+{pane}")
            assert not [*cuts.found(b.app.screen)]
