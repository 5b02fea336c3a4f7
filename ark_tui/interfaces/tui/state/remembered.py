"""What the workbench remembers from one run to the next, in the home's `workbench.json`."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from ark_tui.domain.errors import StoreError
from ark_tui.domain.untrusted import read_json
from ark_tui.settings.home import write_file

FILE = "workbench.json"


@dataclass(frozen=True, slots=True)
class Remembered:
    """Choices that are made by looking, not in a configuration file."""

    theme: str = ""
    lines: str = ""  # of a hit in the list, 1 to 3; empty: as many as fit
    panel: str = "reader"
    blink: str = ""  # on, off; empty: as the settings say
    profile: str = ""  # the ranking profile; empty: that of the settings
    form: str = "rendered"  # of Markdown in the reader; else "raw"
    sizes: str = ""  # of parts of panes, a line each: see `widgets/dividers.py`


def load(home: Path) -> Remembered:
    """What was remembered; a file that is missing, broken or of another version counts as far as it goes."""
    try:
        read: Any = read_json((home / FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return Remembered()
    known = {field.name for field in fields(Remembered)}
    texts = (
        {name: value for name, value in read.items() if isinstance(value, str)}
        if isinstance(read, dict)
        else {}
    )
    return Remembered(**{name: value for name, value in texts.items() if name in known})


def save(home: Path, remembered: Remembered) -> None:
    """Keep it for the next run; raises `StoreError` where that fails."""
    path = home / FILE
    try:
        write_file(path, f"{json.dumps(asdict(remembered), indent=2)}\n".encode(), synced=True)
    except OSError as error:
        raise StoreError(
            f"{path} cannot be written: {error.strerror or error}.", "The choice holds until you quit."
        ) from error
