"""What people do in the first five minutes, as a table.

A move is a key, by what the screen says that it does, or a text that is typed. The key itself stands nowhere
here: whoever does a task looks for it on the screen, and where there is no room for it, in the palette.
"""

from __future__ import annotations

from typing import NamedTuple


class Press(NamedTuple):
    """A key, by the words that stand behind it on the screen; what it `shows` is waited for."""

    does: str
    shows: str = ""


class Type(NamedTuple):
    """Text; what it `shows` is waited for, else the text itself."""

    text: str
    shows: str = ""


class Task(NamedTuple):
    """Something to do: in a home with the sample notes, or in a new one; `shows` on the screen at the end."""

    name: str
    moves: tuple[Press | Type, ...]
    shows: str
    new: bool = False


FIND = Type("spectral gap", "▌The spectral gap")
TO_HITS = Press("results")

TASKS = (
    Task(
        "index a folder",
        (Press("index a folder"), Type("~/notes", "this folder"), Press("select")),
        "2 doc",
        new=True,
    ),
    Task("index the sample notes", (Press("index the sample notes"),), "120 doc", new=True),
    Task("find a note", (FIND,), " ms ─╯"),
    Task("read it", (FIND, TO_HITS, Press("read")), "esc back"),
    Task("see why it is there", (FIND, TO_HITS, Press("read"), Press("score details")), "weight"),
    Task("tag it", (FIND, TO_HITS, Press("tag"), Type("keystone"), Press("apply")), "Tagged"),
    Task("undo", (FIND, TO_HITS, Press("tag"), Type("keystone"), Press("apply"), Press("undo")), "redo"),
    Task("pin it", (FIND, TO_HITS, Press("pin")), "Pinned"),
    Task(
        "mark two and merge them",
        (FIND, TO_HITS, Press("mark"), Press("mark"), Press("merge", "which one stays"), Press("merge")),
        "Merged",
    ),
    Task(
        "link it to another",
        (FIND, TO_HITS, Press("link"), Type("cheeger", "▌Cheeger"), Press("choose"), Press("link")),
        "undo",
    ),
    Task(
        "trash it and bring it back",
        (FIND, TO_HITS, Press("move to trash", "to the trash?"), Press("move to trash"), Press("undo")),
        "rought",
    ),
    Task(
        "save a search and run it",
        (FIND, Press("saved searches"), Press("add"), Type("gaps"), Press("confirm", "@gaps"), Press("run")),
        "@gaps is",
    ),
    Task(
        "ask why a note is not there",
        (FIND, Press("why not"), Type("pageran", "▌PageRank"), Press("explain")),
        "Rank by each signal",
    ),
    Task("filter by a tag", (Type("tag:spectr", "▌spectral"), Press("select")), "tag:spectral"),
    Task("find what is like it", (FIND, TO_HITS, Press("read"), Press("details")), "Similar documents"),
    Task("copy it with its source", (FIND, TO_HITS, Press("copy")), "Copied"),
    Task("write a note", (FIND, TO_HITS, Press("new note"), Type("Buy rice"), Press("save")), "undo"),
    Task("add a task", (Press("Notebook"), Press("add"), Type("Read on"), Press("confirm")), "1 open"),
    Task(
        "keep a value in the scratchpad",
        (Press("Notebook"), Press("next part"), Press("add"), Type("rice two bags"), Press("confirm")),
        "two bags",
    ),
    Task("look at the map", (Press("Analysis"), *(Press("down"),) * 4), "Map"),
    Task(
        "change the colors",
        (Press("palette"), Type("theme nord", "▌Theme: nord"), Press("run"), Press("palette")),
        "what do you want to do?",
    ),
    Task("look a key up", (FIND, TO_HITS, Press("help"), Type("why not", "▌X")), "is not in the results"),
    Task("quit", (Press("palette"), Type("quit", "▌Program: quit"), Press("run")), "ended with 0"),
)
