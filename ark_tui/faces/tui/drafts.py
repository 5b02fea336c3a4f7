"""A note that is being written: kept in the home until it is saved, so that nothing typed is lost."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import StoreError
from ark_tui.settings.home import write_file

if TYPE_CHECKING:
    from pathlib import Path

FILE = "note-draft.json"


@dataclass(frozen=True, slots=True)
class Draft:
    """What has been typed so far."""

    title: str = ""
    text: str = ""

    def __bool__(self) -> bool:
        return bool(self.title.strip() or self.text.strip())


def load(home: Path) -> Draft:
    """What was typed and not saved; a file that is missing or broken holds nothing."""
    try:
        read: Any = json.loads((home / FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return Draft()
    known = read if isinstance(read, dict) else {}
    title, text = (value if isinstance(value := known.get(name), str) else "" for name in ("title", "text"))
    return Draft(title, text)


def keep(home: Path, draft: Draft) -> None:
    """Write it, or delete it where it says nothing; raises `StoreError`."""
    path = home / FILE
    try:
        if draft:
            write_file(path, f"{json.dumps(asdict(draft))}\n".encode())
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(
            f"The draft cannot be kept: {error.strerror or error}.", "Save the note before you leave."
        ) from error
