"""A note that is being written: kept in the home until it is saved, so that nothing typed is lost."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ark_tui.domain.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

FILE = "note-draft.json"
PRIVATE = 0o600


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
    """Write it beside the old one and rename it into place, or delete it where it says nothing.

    Raises `StoreError`.
    """
    path = home / FILE
    fresh = path.with_name(f".{FILE}.{os.getpid()}")
    try:
        if not draft:
            path.unlink(missing_ok=True)
            return
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh.touch(PRIVATE)
        fresh.write_text(json.dumps(asdict(draft)) + "\n", "utf-8")
        fresh.replace(path)
    except OSError as error:
        raise StoreError(
            f"The draft cannot be kept: {error.strerror or error}.", "Save the note before you leave."
        ) from error
