"""Collections, the folders they follow, and what the last scan saw of each file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from pathlib import PurePath
from typing import Literal

from ark_tui.domain.errors import Hint, UsageError
from ark_tui.domain.layers import HISTORY, OWN
from ark_tui.domain.work import CollectionInfo
from ark_tui.store import changes
from ark_tui.store.lease import Lease

DEFAULT = "default"  # the collection of text without a file

COLUMNS = {
    "folder": "VARCHAR", "path": "VARCHAR", "size": "BIGINT", "mtime_ns": "BIGINT", "inode": "BIGINT",
    "scanned_ns": "BIGINT", "hash": "VARCHAR", "state": "VARCHAR", "reason": "VARCHAR",
}  # fmt: skip


PURGED = "purged; it is taken up again when it changes"
"""The reason for leaving out a file whose document was purged: its content decides, not when it was saved."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file as it was last seen. `state` is how that went; `reason` says why not, or what was odd."""

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
    """Everything the last scan saw under a root, by path."""
    rows = lease.rows(f"SELECT {', '.join(COLUMNS)} FROM ark.files WHERE folder = ?", folder)
    return {row[1]: FileRecord(*row) for row in rows}


def called(
    lease: Lease, folder: str, names: Sequence[str], inodes: Sequence[int]
) -> list[tuple[str, str, int]]:
    """Indexed files of other folders that have one of these names or inodes: folder, path, inode."""
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
    lease.insert("files", COLUMNS, [tuple(getattr(record, name) for name in COLUMNS) for record in records])


def forget(lease: Lease, folder: str, paths: Iterable[str]) -> None:
    """Drop the records of files that are no longer there."""
    wanted = list(paths)
    if wanted:
        lease.run(
            "DELETE FROM ark.files WHERE folder = ? AND path IN (SELECT unnest(?::VARCHAR[]))", folder, wanted
        )


def claim(lease: Lease, root: str, name: str = "") -> str:
    """The collection that follows a root, made if there is none.

    It is named after the folder; where that name follows another folder, the parent's name is put
    before it, and then a number behind it. An explicit `name` that follows another root is refused.
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
    """Have a collection follow its folder to where that is now; returns its name, which may be another.

    A collection that is named after its folder is named after it again. Documents keep their identity.
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
    """The collection that follows a root; empty where none does."""
    return str(lease.value("SELECT name FROM ark.collections WHERE root = ?", root) or "")


def open_collection(lease: Lease, name: str) -> None:
    """See to it that there is a collection for text without a file; one that follows a folder is refused."""
    if name == HISTORY:
        raise UsageError(
            f"The collection {HISTORY} holds messages.",
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
    """Give a collection another name; its documents keep their identity."""
    documents = lease.numbers("SELECT number FROM ark.documents WHERE collection = ? OR folder = ?", old, old)
    lease.run("UPDATE ark.collections SET name = ? WHERE name = ?", new, old)
    lease.run("UPDATE ark.files SET folder = ? WHERE folder = ?", new, old)
    lease.run("UPDATE ark.documents SET folder = ? WHERE folder = ?", new, old)
    lease.run("UPDATE ark.documents SET collection = ? WHERE collection = ?", new, old)
    changes.touch(lease, documents)


def trashed_in(lease: Lease, folder: str) -> int:
    """How many documents under a root lie in the trash."""
    return lease.count(
        "SELECT count(*) FROM ark.documents d WHERE d.folder = ? AND d.number IN "
        "(SELECT document FROM ark.said WHERE aspect = 'trash')",
        folder,
    )


def living_in(lease: Lease, folder: str) -> int:
    """How many documents lie under a root."""
    return lease.count("SELECT count(*) FROM ark.documents WHERE folder = ? AND gone IS NULL", folder)


def indexed_in(lease: Lease, collection: str, folder: str) -> int:
    """How many files below a folder of a collection, or in all of it (""), have brought documents."""
    return lease.count(
        "SELECT count(*) FROM ark.files WHERE folder = ? AND state = 'indexed' AND starts_with(path, ?)",
        collection,
        f"{folder}/" if folder else "",
    )


def scanned(lease: Lease, folder: str) -> None:
    """Note that a scan of the root came to its end."""
    lease.run("UPDATE ark.collections SET scanned = ? WHERE name = ?", lease.moment, folder)


def noted(lease: Lease) -> dict[str, str]:
    """What is noted of roots since all of them was last read; nothing where an older program did that.

    `cut ROOT`: how its texts were cut; `place ROOT`: what told its folder from another one (`identity`);
    `mounts ROOT`: likewise of the mount points in it.
    """
    return dict(
        lease.rows("SELECT key, value FROM ark.meta WHERE regexp_matches(key, '^(cut|place|mounts) ')")
    )


def places(noted: Mapping[str, str], root: str) -> dict[str, str]:
    """What told a root, by "", and the mount points in it, by their paths, from other folders."""
    mounts = noted.get(f"mounts {root}")
    return {"": noted.get(f"place {root}", ""), **(json.loads(mounts) if mounts else {})}


def note_mounts(lease: Lease, root: str, mounts: Mapping[str, str]) -> None:
    """Note the mount points in a root, as `places` has them, in place of those that were noted before."""
    note(lease, root, "mounts", json.dumps(mounts))


def note(lease: Lease, root: str, what: Literal["cut", "place", "mounts"], value: str) -> None:
    """Note something of a root, in place of what was noted before."""
    lease.run("DELETE FROM ark.meta WHERE key = ?", f"{what} {root}")
    lease.run("INSERT INTO ark.meta VALUES (?, ?)", f"{what} {root}", value)


def roots(lease: Lease) -> dict[str, str]:
    """The root of every collection that follows one, by name."""
    return dict(lease.rows("SELECT name, root FROM ark.collections WHERE root IS NOT NULL ORDER BY name"))


def collections(lease: Lease) -> list[CollectionInfo]:
    """Every collection with its size; one that only items of files name has no root."""
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
    above = path.parent.name.rstrip(":")  # of a bucket its scheme
    names = [base, f"{above}-{base}"] if above else [base]
    names += [f"{names[-1]}-{n}" for n in range(2, len(taken) + 3)]
    return next(name for name in names if name not in taken)
