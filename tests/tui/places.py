"""Every place of the workbench that keys lead to, for who looks at all of them."""

from __future__ import annotations

from collections.abc import AsyncIterator

from tests.tui.bench import Bench
from tests.tui.conftest import LONG

QUERY = "spectral gap"

SEARCH: dict[str, tuple[str, ...]] = {
    "one line": ("v", "v"), "three lines": ("v", "v"), "why": ("w",), "text": ("w",),
    "why not": ("X",), "why not this one": ("X", *"forgetting", "enter"), "lab": ("L",),
    "weigh": ("equals_sign",), "answer": ("A",), "saved": ("at",), "edit saved": ("R",), "save": ("W",),
    "note": ("a",), "queue": ("Q",), "tag": ("t",), "tier": ("r",), "link": ("l",), "supersede": ("S",),
    "merge": ("space", "space", "m"), "theme": ("f6",), "palette": ("ctrl+p",),
    "help": ("f1",), "folder": ("f2",), "said": ("f4",), "checks": ("f10",),
    "reading": ("enter",), "about": ("i",), "contents": ("c",), "links": ("f",),
}  # fmt: skip
"""What is opened by keys from a hit, one after the other; `esc` closes what is above the workbench."""

PANES: dict[str, tuple[str, ...]] = {
    "collections": ("2",), "let go": ("D",), "rename": ("c",), "documents": ("right",), "filter": ("f",),
    "left out": ("escape", "right"), "trash": ("right",),
    "in the trash": ("enter",), "purge": ("D",),
    "pad": ("3",), "value": ("e",), "tasks": ("tab",), "task": ("a",),
    "conversations": ("4",), "delete": ("x",), "messages": ("enter",), "find": ("f",), "searches": ("right",),
    "search": ("enter",),
    "analysis": ("5",), **{f"measure {number}": ("j",) for number in range(2, 11)},
    "review": ("6",), "settings": ("0",), "a setting": ("0", "down", "enter"),
}  # fmt: skip

OPENED = {
    "AskScreen", "HelpScreen", "LabScreen",
    "MergeScreen", "NoteScreen", "Palette", "PickScreen", "QueueScreen",
    "ThemeScreen", "ThinkScreen", "ConfirmScreen", "Workbench",
}  # fmt: skip
"""What all of that shows; a key that leads nowhere is seen by what is missing."""


READS = {"pages", "trashed"}
"""Workers that read what the next key is about."""


async def everywhere(b: Bench) -> AsyncIterator[str]:
    """Go from place to place, and say where it is."""
    await b.opened()
    yield "start"
    for query in ("gapp", "nothing tag:nowhere", '"', "tag:journl", LONG):
        b.search.query_line.value = query
        await b.pilot.pause()
        yield query
    b.search.query_line.value = ""
    await b.listed(QUERY)
    yield "results"
    for place, keys in (SEARCH | PANES).items():
        for key in keys:
            await b.pilot.press(key)
            await b.until(lambda: not any(one.is_running and one.group in READS for one in b.app.workers))
        await b.pilot.pause()  # what was read has its place
        yield place
        while b.app.screen is not b.workbench:
            await b.pilot.press("escape")
    b.app.context.say(f"{LONG}, {LONG}.", "error")
    await b.pilot.pause()
    yield "message"
