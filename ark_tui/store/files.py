"""Collections, the folders they follow, and the records of scanned files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC
from pathlib import PurePath
from typing import Literal, NamedTuple

from ark_tui.domain.errors import Hint, UsageError
from ark_tui.domain.layers import HISTORY, OWN
from ark_tui.domain.work import CollectionInfo
from ark_tui.store import changes
from ark_tui.store.lease import Lease

DEFAULT = "default"  # the collection for text without a file

PURGED = "purged; it is indexed again when it changes"
"""The reason for skipping a file with a purged document, until its content (not its time) changes."""


class FileRecord(NamedTuple):
    """A file as of the last scan. `state` is the outcome; `reason` says why it failed, or gives a warning."""

    folder: str
    path: str
    size: int
    mtime_ns: int
    inode: int
    scanned_ns: int
    hash: str
    state: Literal["indexed", "skipped", "failed"]
    reason: str = ""


def known(lease: Lease, folder: str) -> dict[str, FileRecord]:
    """The records of all files under a root, by path."""
    rows = lease.rows("SELECT * FROM ark.files WHERE folder = ?", folder)
    return {row[1]: FileRecord(*row) for row in rows}


def called(
    lease: Lease, folder: str, names: Sequence[str], inodes: Sequence[int]
) -> list[tuple[str, str, int]]:
    """Indexed files in other folders with one of these names or inodes: folder, path, inode."""
    rows = lease.rows(
        """SELECT folder, path, inode FROM ark.files WHERE folder <> ? AND state = 'indexed'
           AND (inode IN (SELECT unnest(?::BIGINT[]))
                OR regexp_replace(path, '^.*/', '') IN (SELECT unnest(?::VARCHAR[])))""",
        folder,
        list(inodes),
        list(names),
    )
    return [(str(folder_), str(path), int(inode)) for folder_, path, inode in rows]


def put(lease: Lease, records: Sequence[FileRecord]) -> None:
    """Replace the records of these files."""
    for folder in dict.fromkeys(record.folder for record in records):
        forget(lease, folder, [record.path for record in records if record.folder == folder])
    lease.insert("files", records)


def forget(lease: Lease, folder: str, paths: Iterable[str]) -> None:
    """Delete the records of files that no longer exist."""
    wanted = list(paths)
    if wanted:
        lease.run(
            "DELETE FROM ark.files WHERE folder = ? AND path IN (SELECT unnest(?::VARCHAR[]))", folder, wanted
        )


def claim(lease: Lease, root: str, name: str = "") -> str:
    """The collection that follows a root; created if there is none.

    It gets the name of the folder; if that is taken, prefixed by the parent's name, and then with a number
    appended. An explicit `name` that follows another root is refused.
    """
    taken: dict[str, str | None] = dict(lease.rows("SELECT name, root FROM ark.collections"))
    followed = next((old for old, at in taken.items() if at == root), None)
    if followed and name in ("", followed):
        return followed
    if name:
        if taken.get(name) not in (None, root) or name in (DEFAULT, *OWN):
            raise UsageError(
                f"The collection {name} already follows {taken.get(name) or 'text without a file'}.",
                Hint.give(collection="NAME", say="Give another name: {}."),
            )
        if followed:
            rename(lease, followed, name)
            return name
    free = name or _free_name(root, {*taken, *OWN})
    lease.run("DELETE FROM ark.collections WHERE name = ?", free)
    lease.run("INSERT INTO ark.collections VALUES (?, ?, NULL)", free, root)
    return free


def move(lease: Lease, name: str, root: str) -> str:
    """Update the root of a moved folder; returns the collection's name, which may change.

    A collection named after its folder is renamed. Documents keep their ids.
    """
    old = str(lease.value("SELECT root FROM ark.collections WHERE name = ?", name))
    lease.run("UPDATE ark.collections SET root = ? WHERE name = ?", root, name)
    for what in ("cut", "place", "mounts"):
        lease.run("UPDATE ark.meta SET key = ? WHERE key = ?", f"{what} {root}", f"{what} {old}")
    if PurePath(old).name != name or PurePath(root).name == name:
        return name
    free = _free_name(root, {str(one) for (one,) in lease.rows("SELECT name FROM ark.collections")} | {*OWN})
    rename(lease, name, free)
    return free


def following(lease: Lease, root: str) -> str:
    """The collection that follows a root; empty if there is none."""
    return str(lease.value("SELECT name FROM ark.collections WHERE root = ?", root) or "")


def open_collection(lease: Lease, name: str) -> None:
    """Create a collection for text without a file, if necessary; one that follows a folder is refused."""
    if name == HISTORY:
        raise UsageError(
            f"The collection {HISTORY} contains messages.",
            Hint.run("history add", say="Add one with `{}`, or name another."),
        )
    root = lease.row("SELECT root FROM ark.collections WHERE name = ?", name)
    if root and root[0]:
        raise UsageError(
            f"The collection {name} follows the folder {root[0]}.", "Put the text there as a file."
        )
    if root is None:
        lease.run("INSERT INTO ark.collections VALUES (?, NULL, NULL)", name)


def rename(lease: Lease, old: str, new: str) -> None:
    """Rename a collection; its documents keep their ids."""
    documents = lease.numbers("SELECT number FROM ark.documents WHERE collection = ? OR folder = ?", old, old)
    lease.run("UPDATE ark.collections SET name = ? WHERE name = ?", new, old)
    lease.run("UPDATE ark.files SET folder = ? WHERE folder = ?", new, old)
    lease.run("UPDATE ark.documents SET folder = ? WHERE folder = ?", new, old)
    lease.run("UPDATE ark.documents SET collection = ? WHERE collection = ?", new, old)
    changes.touch(lease, documents)


def trashed_in(lease: Lease, folder: str) -> int:
    """The number of documents under a root that are in the trash."""
    return lease.count(
        "SELECT count(*) FROM ark.documents d WHERE d.folder = ? AND d.number IN "
        "(SELECT document FROM ark.said WHERE aspect = 'trash')",
        folder,
    )


def living_in(lease: Lease, folder: str) -> int:
    """The number of documents under a root."""
    return lease.count("SELECT count(*) FROM ark.documents WHERE folder = ? AND gone IS NULL", folder)


def indexed_in(lease: Lease, collection: str, folder: str) -> int:
    """The number of indexed files below a folder of a collection ("": all)."""
    return lease.count(
        "SELECT count(*) FROM ark.files WHERE folder = ? AND state = 'indexed' AND starts_with(path, ?)",
        collection,
        f"{folder}/" if folder else "",
    )


def scanned(lease: Lease, folder: str) -> None:
    """Record that a scan of the root was completed."""
    lease.run("UPDATE ark.collections SET scanned = ? WHERE name = ?", lease.moment, folder)


def noted(lease: Lease) -> dict[str, str]:
    """Notes about roots from their last full scan; empty after a scan by an older version.

    `cut ROOT`: how its texts were chunked; `place ROOT`: the identity of its folder (`identity`); `mounts
    ROOT`: the identities of the mount points in it.
    """
    return dict(
        lease.rows("SELECT key, value FROM ark.meta WHERE regexp_matches(key, '^(cut|place|mounts) ')")
    )


def places(noted: Mapping[str, str], root: str) -> dict[str, str]:
    """The identities of a root ("") and of the mount points in it, by path."""
    mounts = noted.get(f"mounts {root}")
    return {"": noted.get(f"place {root}", ""), **(json.loads(mounts) if mounts else {})}


def note(lease: Lease, root: str, what: Literal["cut", "place", "mounts"], value: str) -> None:
    """Replace a note about a root."""
    lease.run("DELETE FROM ark.meta WHERE key = ?", f"{what} {root}")
    lease.run("INSERT INTO ark.meta VALUES (?, ?)", f"{what} {root}", value)


def roots(lease: Lease) -> dict[str, str]:
    """The roots of all collections that follow one, by name."""
    return dict(lease.rows("SELECT name, root FROM ark.collections WHERE root IS NOT NULL ORDER BY name"))


def collections(lease: Lease) -> list[CollectionInfo]:
    """All collections with their sizes. Collections that exist only as items of files have no root."""
    rows = lease.rows(
        """WITH sizes AS (
               SELECT d.collection AS name, count(*) AS documents, sum(coalesce(c.chunks, 0)) AS chunks
               FROM ark.documents d
               LEFT JOIN (SELECT document, count(*) AS chunks FROM ark.chunks GROUP BY 1) c
                 ON c.document = d.number
               WHERE d.gone IS NULL GROUP BY 1)
           SELECT coalesce(k.name, s.name), k.root, coalesce(s.documents, 0), coalesce(s.chunks, 0), k.scanned
           FROM ark.collections k FULL JOIN sizes s ON s.name = k.name ORDER BY 1"""
    )
    return [
        CollectionInfo(
            name, root, int(documents), int(chunks), scanned.replace(tzinfo=UTC) if scanned else None
        )
        for name, root, documents, chunks, scanned in rows
    ]


def _free_name(root: str, taken: set[str]) -> str:
    path = PurePath(root)
    base = path.name or "root"
    above = path.parent.name.rstrip(":")  # for a bucket, its scheme
    names = [base, f"{above}-{base}"] if above else [base]
    names += [f"{names[-1]}-{n}" for n in range(2, len(taken) + 3)]
    return next(name for name in names if name not in taken)
