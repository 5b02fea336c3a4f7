"""State of the workbench stored in the home: last session, choices on the screen, unsaved note.

Each is one small JSON file that only its owner can read. If several workbenches use one home, the last write
wins.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from ark_tui.domain.errors import StoreError
from ark_tui.domain.failures import NotFlushed, not_written
from ark_tui.interfaces.tui.state import strings
from ark_tui.settings.home import write_file

LARGEST = 1 << 20
"""Maximum size in bytes of a file that is read before the first frame."""


@dataclass(frozen=True, slots=True)
class Session:
    """Pane, query, and the selected result."""

    pane: str = "search"
    query: str = ""
    typing: bool = True  # the query was incomplete
    superseded: bool = False
    document: str = ""  # its id


@dataclass(frozen=True, slots=True)
class Choices:
    """Choices made on the screen instead of in a configuration file."""

    theme: str = ""
    lines: str = ""  # lines per hit, 1 to 3; empty: as many as fit
    panel: str = "reader"
    profile: str = ""  # ranking profile; empty: from the settings
    form: str = "rendered"  # form of Markdown in the reader; else "raw"


@dataclass(frozen=True, slots=True)
class Draft:
    """A typed note that was not saved."""

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
"""The file of each, and the consequence if it cannot be written."""


def load(home: Path, kind: type[Kept]) -> tuple[Kept, str]:
    """Load the stored state. Also return a message if the file is invalid."""
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
    """Store the state for the next run. Raises `StoreError`. A session never creates a home."""
    name, hint = FILES[type(kept)]
    path = home / name
    try:
        if isinstance(kept, Draft) and not kept:
            path.unlink(missing_ok=True)
        elif home.is_dir() or not isinstance(kept, Session):
            write_file(path, msgspec.json.encode(asdict(kept)) + b"\n", synced=True)
    except NotFlushed as error:
        raise not_written(error, path) from error
    except OSError as error:
        what = strings.FILE_NOT_WRITTEN.format(path=path, reason=error.strerror or error)
        raise StoreError(what, hint) from error
