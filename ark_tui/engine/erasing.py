"""Erasing what was deleted for good from every file of the home but the backups, and from its table."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.domain.errors import ArkError, Hint, StoreError
from ark_tui.domain.failures import explained
from ark_tui.domain.work import Check
from ark_tui.engine.services import Services
from ark_tui.settings import secrets
from ark_tui.settings.home import Home, remove
from ark_tui.store import Lease, erasure
from ark_tui.store.erasure import Due

if TYPE_CHECKING:
    from ark_tui.settings import Settings

WAIT = 5.0  # seconds for another thread that is writing the same index
FEW = 2_000  # chunks of messages whose index is built anew at once; a larger one when it is next searched


@dataclass(frozen=True, slots=True)
class Erased:
    """What was erased, and how many vectors went with it."""

    due: Due
    vectors: int = 0


def due(parts: Services) -> Due:
    """What was deleted and may still be in the files."""
    with parts.store.read() as lease:
        return erasure.due(lease)


def finish(parts: Services, *, removed: bool = False) -> Erased:
    """Erase what is due; with `removed` also when nothing is due but texts that left with their files.

    The count of what is due is settled at the very end: killed before, all of it is done again. Raises
    `ArkError`, saying that the deletion itself holds.
    """
    try:
        with parts.store.read() as lease:
            left, upto = erasure.due(lease), erasure.deleted(lease)
        if not (left.asked or (removed and left.removed)):
            return Erased(Due())
        with explained(parts.settings.home.path):
            vectors = _erase(parts, left)
        with parts.store.write() as lease:
            erasure.settle(lease, upto)
    except (ArkError, OSError) as error:
        kind, why = (type(error), error.what) if isinstance(error, ArkError) else (StoreError, str(error))
        hint = Hint.run("doc purge", yes=True, say="Run `{}`, which takes it out.")
        raise kind(f"It is deleted, but its text is still in files of the home: {why}", hint) from error
    return Erased(left, vectors)


def _erase(parts: Services, left: Due) -> int:
    from ark_tui.engine import copies, survey

    parts.feed.close()
    vectors = _documents(parts) if left.documents or left.removed else 0
    if left.messages:
        follower = parts.messages_follower()
        follower.clear(WAIT)
        if follower.state().behind <= FEW:
            follower.sync(wait=WAIT)
        if meant := parts.meant():
            vectors += meant.erase()
    parts.store.rewrite()
    survey.forget(parts.settings.home)
    copies.clear(parts.settings.home)
    if parts.settings.index and (left.documents or left.removed):
        from ark_tui.engine import publishing

        publishing.erase(parts, parts.settings.index)
    return vectors


def _documents(parts: Services) -> int:
    """Vectors, words, and what models that are no longer used have left; returns how many vectors went."""
    from ark_tui.index.vectors.follower import VectorsFollower

    with parts.store.read() as lease:
        living = _living(lease)
    followers = [follower for follower in parts.followers() if isinstance(follower, VectorsFollower)]
    vectors = sum(follower.erase(living, WAIT) for follower in followers)
    for folder in _folders(parts.settings.home.vectors) - {follower.folder for follower in followers}:
        vectors += _unused(folder, living)
    parts.words_follower().rebuild()
    return vectors


def _unused(folder: Path, living: set[str]) -> int:
    """Keep only living texts' vectors of a model that is not in use; how many went."""
    from ark_tui.index.vectors.table import VectorTable, hash_keys

    (folder / "mark.json").unlink(missing_ok=True)
    table = VectorTable(folder, 0)
    gone = table.retain("hash", hash_keys(living))
    table.seal()
    return gone


def _living(lease: Lease) -> set[str]:
    """The texts that some chunk has, in the trash or out of it; those of messages want no vector."""
    rows = lease.rows(
        "SELECT text_hash FROM ark.chunks WHERE document NOT IN (SELECT document FROM ark.messages) "
        "UNION SELECT text_hash FROM ark.trashed_chunks"
    )
    return {str(row[0]) for row in rows}


def _folders(vectors: Path) -> set[Path]:
    return {*vectors.glob("*.lance")}


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
