"""The small files of a home and its permissions: what doctor says of them, and mends."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.domain.errors import ArkError, Hint
from ark_tui.domain.work import Check
from ark_tui.settings import secrets
from ark_tui.settings.home import Home, remove

if TYPE_CHECKING:
    from ark_tui.settings import Settings

NAMED = 3  # files that a check names


def checks(home: Home, *, repair: bool) -> Iterator[Check]:
    """What is wrong with the files around the store and the indexes."""
    yield _permissions(home, repair=repair)
    yield from _keys(home)
    for path in home.path.glob("*.json"):
        if not _is_json(path):
            yield _damaged_state(path, repair=repair)
    for path in home.backups.glob("*.zip"):
        if not readable(path):
            yield Check(
                "backup",
                False,
                f"{path} is damaged. " + Hint.run("backup", say="Remove it, and make another: {}"),
            )


def remains(settings: Settings) -> tuple[str, ...]:
    """What may hold texts that were deleted: backups, and copies that were put aside."""
    folder = settings.home.backups
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    return tuple(str(file) for file in files if file.suffix in {".zip", ".duckdb"})


REPAIR = Hint.run("doctor", repair=True, say="Run `{}`.")


def readable(path: Path) -> bool:
    """Whether every part of a zip file has the checksum that it says."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.testzip() is None
    except (OSError, ValueError, EOFError, RuntimeError, zlib.error, zipfile.BadZipFile):
        return False


def _permissions(home: Home, *, repair: bool) -> Check:
    open_ = home.shared(tighten=repair)
    if not open_:
        return Check("permissions", True, "the home is for its owner alone")
    named = ", ".join(str(path) for path in open_[:NAMED]) + (" …" if len(open_) > NAMED else "")
    return Check("permissions", False, f"Others may use {named}. " + REPAIR)


def _keys(home: Home) -> Iterator[Check]:
    try:
        for name in secrets.NAMES:
            secrets.key(name, home, {})
    except ArkError as error:
        yield Check("keys", False, error.told)


def _is_json(path: Path) -> bool:
    try:
        return isinstance(json.loads(path.read_bytes()), dict | list)
    except (OSError, ValueError, RecursionError):
        return False


def _damaged_state(path: Path, *, repair: bool) -> Check:
    """What was left of a run or of the workbench; without it they start afresh."""
    if not repair:
        return Check(
            "file",
            False,
            f"{path} is damaged. " + Hint.run("doctor", repair=True, say="Run `{}` to remove it."),
        )
    remove(path)
    return Check("file", True, f"{path} was damaged and is removed", repaired=True)
