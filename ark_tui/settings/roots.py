"""Where the folders to index are named (requirement I2)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ark_tui.settings.kinds import Unfit, shown, unset

VARIABLES = ("ARK_DIRS", "RALPH_KNOWLEDGE_DIRS")
FALLBACK = "thoughts"
EXPECTED = 'a list of folders, each a text or a table such as { path = "~/notes", name = "notes" }'

Complain = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Root:
    """A folder to index; `name` is what its collection shall be called, empty for the folder's own name."""

    path: Path
    name: str = ""


def split(text: str, relative_to: Path) -> tuple[Root, ...]:
    """The folders of a comma-separated variable."""
    return tuple(Root(folder(part, relative_to)) for part in text.split(",") if not unset(part))


def listed(value: object, relative_to: Path, complain: Complain) -> tuple[Root, ...]:
    """The folders of a `roots` list; items that make no sense are complained of and left out.

    Raises `Unfit` when it is no list at all. A single text is a list of one.
    """
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        raise Unfit(EXPECTED)
    return tuple(_items(value, relative_to, complain))


def folder(text: str, relative_to: Path) -> Path:
    """An absolute path; `~` is the user's home."""
    return Path(os.path.normpath(relative_to / os.path.expanduser(text.strip())))  # noqa: PTH111 - an unknown ~user stays


def _items(value: list[object], relative_to: Path, complain: Complain) -> Iterator[Root]:
    for item in value:
        path = item.get("path") if isinstance(item, dict) else item
        name = item.get("name", "") if isinstance(item, dict) else ""
        if not isinstance(path, str) or not isinstance(name, str):
            complain(f"must hold folders only, not {shown(item)}")
        elif not unset(path):
            yield Root(folder(path, relative_to), "" if unset(name) else name.strip())
