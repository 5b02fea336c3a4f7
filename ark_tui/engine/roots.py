"""The folders that are followed: which are away now, and what is left out of each."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.settings.tree import absent
from ark_tui.store import Lease, files

if TYPE_CHECKING:
    from ark_tui.ingest.ignore import Ignore
    from ark_tui.settings import Settings

ASKED = "asked"
"""Noted of a root from which files would leave by `.gitignore`, until somebody says whether they may."""

KEPT = "kept"
"""Noted of a root whose files may not leave by `.gitignore`, until somebody says that they may."""


def away(lease: Lease) -> dict[str, str]:
    """The collections whose folder is away, with it.

    An empty folder is away unless it is the one that was read before: then it has been emptied.
    """
    noted = files.noted(lease)
    return {
        name: root
        for name, root in files.roots(lease).items()
        if absent(root, noted.get(f"place {root}", ""))
    }


def rules(settings: Settings, root: Path, noted: Mapping[str, str]) -> Ignore:
    """What leaves out files of a folder; by `.gitignore`, too, unless that is asked or not wanted."""
    from ark_tui.ingest.ignore import Ignore

    honoured = settings.gitignore == "yes" or noted.get(f"git {root}") not in (ASKED, KEPT)
    return Ignore.of(root, settings.ignore, git=settings.gitignore != "no" and honoured)
