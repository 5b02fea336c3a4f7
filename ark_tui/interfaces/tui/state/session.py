"""How the workbench was left, in the home's `session.json`: it comes back like that.

The file is small and written whole beside the old one, which it then replaces. Of several workbenches on one
home the last to write wins. A file that cannot be understood is left aside with a sentence.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeAlias

from ark_tui.domain.errors import StoreError
from ark_tui.domain.untrusted import read_json
from ark_tui.settings.home import write_file

FILE = "session.json"
VERSION = 1
LARGEST = 1 << 20  # bytes of a file that is read before the first frame
AFRESH = "The workbench starts afresh; the file is written anew."


Place: TypeAlias = tuple[int, str]
"""A row, and what it was known by: the list may have changed until it is looked for. Empty: nothing."""


@dataclass(frozen=True, slots=True)
class Session:
    """The pane, the query and what it shows, how each pane is turned, and where every cursor was."""

    pane: str = "search"
    focus: str = ""  # the id of the part
    query: str = ""
    typing: bool = True  # the query was still being typed
    superseded: bool = False
    without: tuple[str, ...] = ()  # terms that no search is to add
    literally: tuple[str, ...] = ()  # words of the query that are read as they stand
    logged: dict[str, Any] = field(default_factory=dict)  # the search of the log that it is, as JSON
    below: bool = False  # what lies below the floor is listed
    document: str = ""  # the id of the one under the cursor of the results
    offset: int = 0  # of the reader's first line, in characters
    match: int = -1  # that the reader is at
    marked: tuple[str, ...] = ()  # ids
    rows: dict[str, Place] = field(default_factory=dict)  # cursors of the lists of other panes, by their ids
    panes: dict[str, dict[str, str]] = field(default_factory=dict)  # how the others are turned, by their ids


def load(home: Path) -> tuple[Session, str]:
    """The session that was kept, and a sentence where there is one that cannot be used."""
    path = home / FILE
    try:
        if path.stat().st_size > LARGEST:
            return Session(), f"{path} is damaged: it is too large. {AFRESH}"
        said: Any = read_json(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return Session(), ""
    except OSError as error:
        return Session(), f"{path} cannot be read: {error.strerror or error}. The workbench starts afresh."
    except ValueError:
        return Session(), f"{path} is damaged. {AFRESH}"
    version = said.get("version") if isinstance(said, dict) else None
    if isinstance(version, int) and version > VERSION:
        return Session(), f"{path} is of a newer ark-tui. {AFRESH}"
    found = _checked(said) if version == VERSION else None
    return (found, "") if found is not None else (Session(), f"{path} is damaged. {AFRESH}")


def save(home: Path, session: Session) -> None:
    """Keep a session; raises `StoreError` where that fails. A home that is not there is not made for it."""
    if not home.is_dir():
        return
    path = home / FILE
    try:
        write_file(path, f"{json.dumps({'version': VERSION, **asdict(session)})}\n".encode(), synced=True)
    except OSError as error:
        raise StoreError(
            f"{path} cannot be written: {error.strerror or error}.",
            "The next start does not come back to where you were.",
        ) from error


def _checked(said: dict[str, Any]) -> Session | None:
    """The session that a file holds; None where any value is not of its kind."""
    values: dict[str, Any] = {}
    for one in fields(Session):
        value: Any = said.get(one.name)
        if not _fits(one.name, value):
            return None
        values[one.name] = TAKEN[one.name](value) if one.name in TAKEN else value
    return Session(**values)


def _fits(name: str, value: object) -> bool:
    if name == "rows":
        return isinstance(value, dict) and all(map(_is_place, value.values()))
    if name == "panes":
        return isinstance(value, dict) and all(map(_is_turned, value.values()))
    if name in {"marked", "without", "literally"}:
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    return type(value) is type(getattr(Session(), name))


def _is_place(value: object) -> bool:
    """A row with its name, or without one, as older sessions have it."""
    row, name = value if isinstance(value, list) and len(value) == 2 else (value, "")
    return type(row) is int and row >= 0 and isinstance(name, str)


def _is_turned(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())


def _places(value: dict[str, Any]) -> dict[str, Place]:
    return {
        id_: (place[0], place[1]) if isinstance(place, list) else (place, "") for id_, place in value.items()
    }


TAKEN: dict[str, Callable[[Any], object]] = {
    **dict.fromkeys(("marked", "without", "literally"), tuple),
    "rows": _places,
}
"""How values become what they were."""
