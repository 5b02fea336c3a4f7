"""Each of the first tasks is done by at most six keys, all of which the screen names when they are needed."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ark_tui.engine import Engine
from ark_tui.interfaces.tui.state import configured
from tests.journeys.tasks import TASKS, Press, Task
from tests.terminal import Terminal, needs_tmux
from tests.tui.bench import settings_of

MOST = 6
"""Keys besides what is typed."""

QUICK = {"take in a folder", "mark two and merge them", "filter by a tag"}
"""Tasks that every run of the suite does; the others are for `make soak`."""

SIZES = ((120, 34), (80, 24))

WRITTEN = {
    "⏎": "Enter", "↓": "Down", "↑": "Up", "←": "Left", "→": "Right", "space": "Space", "esc": "Escape",
    "tab": "Tab", "pgdn": "PageDown", "pgup": "PageUp",
}  # fmt: skip
"""How tmux calls keys that people write otherwise."""

pytestmark = needs_tmux


def named(screen: str, does: str) -> str:
    """The key that stands before some words on the screen, as tmux calls it; empty where none does."""
    found = re.search(rf"(?:^|[\s│╭╰─·])(?P<key>\S{{1,7}}) {{1,3}}{re.escape(does)}\b", screen, re.MULTILINE)
    key = found["key"] if found else ""
    if key.startswith("^"):
        return f"C-{key[1:]}"
    if key.startswith("alt+"):
        return f"M-{key[4:]}"
    return WRITTEN.get(key, key)


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the sample notes, never to be used itself."""
    home, notes = tmp_path_factory.mktemp("sample") / "home", configured.sample()
    assert notes is not None
    with Engine(settings_of(home)) as engine:
        engine.index([notes])
    return home


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def terminal(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    made = Terminal(tmp_path / "tmux", request.param)
    yield made
    made.end()


def test_there_are_twenty_tasks_and_none_takes_more_than_six_keys() -> None:
    assert len(TASKS) >= 20
    keys = {task.name: sum(isinstance(move, Press) for move in task.moves) for task in TASKS}
    assert {name: count for name, count in keys.items() if count > MOST} == {}


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
        shutil.copytree(request.getfixturevalue("sample"), home)
    environ = {"ARK_HOME": str(home), "HOME": str(tmp_path), "ARK_WATCH": "0"}
    terminal.start(["sh", "-c", f"cd {tmp_path} && exec {sys.executable} -m ark_tui"], environ)
    terminal.until(lambda s: "begins a tour" in s if task.new else "120 doc" in s, "the workbench")
    for move in task.moves:
        if isinstance(move, Press):
            screen = terminal.until(
                lambda s, does=move.does: named(s, does),  # type: ignore[misc]
                f"a key for “{move.does}” on the screen",
            )
            terminal.press(named(screen, move.does))
            terminal.until(lambda s, before=screen: s != before, f"what the key for “{move.does}” does")  # type: ignore[misc]
        else:
            terminal.type(move.text)
            wanted = move.shows or move.text
            terminal.until(lambda s, wanted=wanted: wanted in s, f"“{wanted}”")  # type: ignore[misc]
    terminal.until(lambda s: task.shows in s, f"“{task.shows}”")
