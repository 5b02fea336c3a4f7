"""A note that is being written: kept in the home until it is saved, so that nothing typed is lost.

Each workbench has a file of its own, named after its process: several on one home do not meet.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ark_tui.domain.errors import StoreError
from ark_tui.domain.untrusted import read_json
from ark_tui.settings.home import write_file


@dataclass(frozen=True, slots=True)
class Draft:
    """What has been typed so far."""

    title: str = ""
    text: str = ""

    def __bool__(self) -> bool:
        return bool(self.title.strip() or self.text.strip())


def own(home: Path) -> Path:
    """The file of this workbench; every other one on the home has its own."""
    return home / f"note-draft-{os.getpid()}.json"


def take_up(home: Path) -> Draft:
    """What was typed here and not saved, else what a workbench has left that is no more.

    That becomes this one's: of several that want it the first to rename the file has it.
    """
    mine = own(home)
    if draft := load(mine):
        return draft
    for path in sorted(home.glob("note-draft*.json")):
        if not _somebodys(path) and load(path):
            try:
                path.replace(mine)
            except OSError:
                continue
            return load(mine)
    return Draft()


def load(path: Path) -> Draft:
    """What is in a file; one that is missing or broken holds nothing."""
    try:
        read: Any = read_json(path.read_text("utf-8"))
    except (OSError, ValueError):
        return Draft()
    known = read if isinstance(read, dict) else {}
    title, text = (value if isinstance(value := known.get(name), str) else "" for name in ("title", "text"))
    return Draft(title, text)


def keep(home: Path, draft: Draft) -> None:
    """Write it as this workbench's, or delete it where it says nothing; raises `StoreError`."""
    path = own(home)
    try:
        if draft:
            write_file(path, f"{json.dumps(asdict(draft))}\n".encode(), synced=True)
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(
            f"The draft cannot be kept: {error.strerror or error}.", "Save the note before you leave."
        ) from error


def _somebodys(path: Path) -> bool:
    """Whether the workbench of a draft is still there, or another program under its number: then it waits."""
    number = path.stem.rpartition("-")[2]
    if not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
