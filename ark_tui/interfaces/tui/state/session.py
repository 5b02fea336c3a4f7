"""What the workbench keeps in the home: how it was left, what was chosen on the screen, an unsaved note.

Each is one small JSON file that only its owner can read. Of several workbenches on one home the last to
write wins.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from ark_tui.domain.errors import StoreError
from ark_tui.interfaces.tui.state import strings
from ark_tui.settings.home import write_file

LARGEST = 1 << 20
"""Bytes of a file that is read before the first frame."""


@dataclass(frozen=True, slots=True)
class Session:
    """The pane, the query, and the document under the cursor of the results."""

    pane: str = "search"
    query: str = ""
    typing: bool = True  # the query was still being typed
    superseded: bool = False
    document: str = ""  # its id


@dataclass(frozen=True, slots=True)
class Choices:
    """Choices that are made by looking, not in a configuration file."""

    theme: str = ""
    lines: str = ""  # of a hit in the list, 1 to 3; empty: as many as fit
    panel: str = "reader"
    blink: str = ""  # on, off; empty: as the settings say
    profile: str = ""  # the ranking profile; empty: that of the settings
    form: str = "rendered"  # of Markdown in the reader; else "raw"


@dataclass(frozen=True, slots=True)
class Draft:
    """A note that has been typed and not saved."""

    title: str = ""
    text: str = ""

    def __bool__(self) -> bool:
        return bool(self.title.strip() or self.text.strip())


Kept = TypeVar("Kept", Session, Choices, Draft)

FILES: dict[type, tuple[str, str]] = {
    Session: ("session.json", strings.SESSION_LOST),
    Choices: ("workbench.json", strings.CHOICES_LOST),
    Draft: ("note-draft.json", strings.DRAFT_LOST),
}
"""The file of each, and what follows where it cannot be written."""


def load(home: Path, kind: type[Kept]) -> tuple[Kept, str]:
    """What was kept, and a sentence where its file cannot be used."""
    path = home / FILES[kind][0]
    try:
        if path.stat().st_size <= LARGEST:
            return msgspec.json.decode(path.read_bytes(), type=kind), ""
    except (FileNotFoundError, NotADirectoryError):
        return kind(), ""
    except OSError as error:
        return kind(), strings.FILE_UNREADABLE.format(path=path, reason=error.strerror or error)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    return kind(), strings.FILE_DAMAGED.format(path=path)


def save(home: Path, kept: Session | Choices | Draft) -> None:
    """Keep it for the next run; raises `StoreError` where that fails. No home is made for a session."""
    name, hint = FILES[type(kept)]
    path = home / name
    try:
        if isinstance(kept, Draft) and not kept:
            path.unlink(missing_ok=True)
        elif home.is_dir() or not isinstance(kept, Session):
            write_file(path, msgspec.json.encode(asdict(kept)) + b"\n", synced=True)
    except OSError as error:
        what = strings.FILE_NOT_WRITTEN.format(path=path, reason=error.strerror or error)
        raise StoreError(what, hint) from error
