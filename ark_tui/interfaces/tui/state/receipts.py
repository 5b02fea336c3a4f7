"""Where a receipt of a search is written: the name that is offered for it."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path

ABOUT = "A file, from the folder in which ark-tui was started. `ark-tui verify FILE` runs the search again."
LONGEST = 40  # letters of a query that a name has


def offered(query: str, folder: Path) -> str:
    """A name after the words of a query, of which there is no file yet: `spectral-gap.json`."""
    words = "-".join(re.findall(r"\w+", query.lower()))[:LONGEST].strip("-") or "search"
    names = (f"{words}.json" if number == 1 else f"{words}-{number}.json" for number in count(1))
    return next(name for name in names if not (folder / name).exists())


def taken(name: str) -> bool:
    """Whether there is a file of that name, which a receipt would replace."""
    return Path(name).expanduser().is_file()
