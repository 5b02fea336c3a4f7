"""Each of the first tasks is done by at most six keys, all of which the screen names when they are needed."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.journeys.tasks import TASKS, Task, Type
from tests.terminal import Terminal, needs_tmux

MOST = 6
"""Keys besides what is typed."""

QUICK = {"index a folder", "mark two and merge them", "filter by a tag"}
"""Tasks that every run of the suite does; the others are for `make soak`."""

OPENING = 3.0
"""Seconds that a dialog may take to open, before the palette is taken."""

SIZES = (pytest.param((120, 34), marks=pytest.mark.soak), (80, 24))

WRITTEN = {
    "⏎": "Enter", "↓": "Down", "↑": "Up", "←": "Left", "→": "Right", "space": "Space", "esc": "Escape",
    "tab": "Tab", "pgdn": "PageDown", "pgup": "PageUp",
}  # fmt: skip
"""How tmux calls keys that people write otherwise."""

KEY = rf"alt\+\S|\^\S|F\d+|{'|'.join(WRITTEN)}|\S"
"""What a key looks like."""

pytestmark = needs_tmux


def named(screen: str, does: str) -> str:
    """The key that stands before some words on the screen, as tmux calls it; empty where none does."""
    found = re.search(rf"(?:^|[\s│╭╰─·])(?P<key>{KEY}) {{1,3}}{re.escape(does)}\b", screen, re.MULTILINE)
    key = found["key"] if found else ""
    if found and key.isdigit() and screen.lstrip().startswith("alt+") and found.end() < screen.index("\n"):
        key = f"alt+{key}"  # the tabs say it once, for all of them
    if key.startswith("^"):
        return f"C-{key[1:]}"
    if key.startswith("alt+"):
        return f"M-{key[4:]}"
    return WRITTEN.get(key, key)


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def terminal(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    made = Terminal(tmp_path / "tmux", request.param)
    yield made
    made.end()


@pytest.mark.parametrize(
    "task",
    [pytest.param(one, marks=() if one.name in QUICK else pytest.mark.soak) for one in TASKS],
    ids=lambda one: one.name,
)
def test_it_is_done_by_keys_that_the_screen_names(
    task: Task, terminal: Terminal, home: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "apples.md").write_text("# Apples\n\nSome apples are green.\n")
    (notes / "pears.md").write_text("# Pears\n\nA pear is green until it is not.\n")
    if not task.new:
        shutil.copytree(request.getfixturevalue("sampled"), home)
    environ = {"ARK_HOME": str(home), "HOME": str(tmp_path), "ARK_WATCH": "0"}
    terminal.start(["sh", "-c", f"cd {tmp_path} && exec {sys.executable} -m ark_tui"], environ)
    terminal.until(lambda s: "Nothing here yet" in s if task.new else "120 doc" in s, "the workbench")
    pressed = 0
    for move in task.moves:
        if isinstance(move, Type):
            terminal.type(move.text)
            wait(terminal, move.shows or move.text)
            continue
        if appears(terminal, move.does):
            pressed += press(terminal, move.does)
        else:
            pressed += press(terminal, "palette")
            terminal.type(move.does)
            wait(terminal, f"{move.does}  ")
            pressed += press(terminal, "run")
        wait(terminal, move.shows)
    wait(terminal, task.shows)
    assert pressed <= MOST


def appears(terminal: Terminal, does: str) -> bool:
    """Whether the screen comes to name a key; what is opening just now has its time."""
    end = monotonic() + OPENING
    while not (there := bool(named(terminal.screen(), does))) and monotonic() < end:
        sleep(0.05)
    return there


def press(terminal: Terminal, does: str) -> int:
    """Press the key that the screen names, and see that it does something; how many keys that were."""
    screen = terminal.until(lambda s: named(s, does), f"a key for “{does}” on the screen")
    before = terminal.coloured()
    terminal.press(named(screen, does))
    terminal.until(lambda _: terminal.coloured() != before, f"what the key for “{does}” does")
    return 1


def wait(terminal: Terminal, shows: str) -> None:
    """Until this is on the screen."""
    terminal.until(lambda s: shows in s, f"“{shows}”")
