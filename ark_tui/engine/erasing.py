"""Erasing permanently deleted texts from all files of the home, except backups, and from its table."""

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

WAIT = 5.0  # seconds to wait for another thread that writes the same index
FEW = 2_000  # most message chunks to reindex at once; a larger index is rebuilt on its next search


@dataclass(frozen=True, slots=True)
class Erased:
    """What was erased, and the number of vectors deleted."""

    due: Due
    vectors: int = 0


def due(parts: Services) -> Due:
    """Deleted texts that may still be in the files."""
    with parts.store.read() as lease:
        return erasure.due(lease)


def finish(parts: Services, *, removed: bool = False) -> Erased:
    """Erase deleted texts; with `removed`, also if only texts of removed files are due.

    The erasure is recorded as done at the very end, so it is repeated after a crash. Raises `ArkError` if it
    fails; the deletion itself is still valid.
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
    from ark_tui.engine import copies

    parts.feed.close()
    vectors = _documents(parts) if left.documents or left.removed else 0
    if left.messages:
        follower = parts.messages_follower()
        follower.clear(WAIT)
        if follower.state().behind <= FEW:
            follower.sync(wait=WAIT)
    parts.store.database.rewrite()
    parts.measures.clear()
    copies.clear(parts.settings.home)
    if parts.settings.index and (left.documents or left.removed):
        from ark_tui.engine import publishing

        publishing.erase(parts, parts.settings.index)
    return vectors


def _documents(parts: Services) -> int:
    """Erase texts from vectors (also of unused models) and words; return the number of vectors deleted."""
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
    """Delete vectors of deleted texts from the table of an unused model; return their number."""
    from ark_tui.index.vectors.table import VectorTable, hash_keys

    (folder / "mark.json").unlink(missing_ok=True)
    table = VectorTable(folder, 0)
    gone = table.retain("hash", hash_keys(living))
    table.seal()
    return gone


def _living(lease: Lease) -> set[str]:
    """Hashes of all chunk texts, including the trash; messages are not in these vectors."""
    rows = lease.rows(
        "SELECT text_hash FROM ark.chunks WHERE document NOT IN (SELECT document FROM ark.messages) "
        "UNION SELECT text_hash FROM ark.trashed_chunks"
    )
    return {str(row[0]) for row in rows}


def _folders(vectors: Path) -> set[Path]:
    return {*vectors.glob("*.lance")}


NAMED = 3  # most files listed in a check


def checks(home: Home, *, repair: bool) -> Iterator[Check]:
    """Check permissions, keys, state files and backups."""
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
    """Files that may contain deleted texts: backups and old copies of the store."""
    folder = settings.home.backups
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    return tuple(str(file) for file in files if file.suffix in {".zip", ".duckdb"})


REPAIR = Hint.run("doctor", repair=True, say="Run `{}`.")


def readable(path: Path) -> bool:
    """Whether every member of a zip file matches its checksum."""
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
    """A damaged state file, which `repair` removes; its owner then starts without state."""
    if not repair:
        return Check(
            "file",
            False,
            f"{path} is damaged. " + Hint.run("doctor", repair=True, say="Run `{}` to remove it."),
        )
    remove(path)
    return Check("file", True, f"{path} was damaged and is removed", repaired=True)
