"""The folders that are followed: which are away now, and what is left out of each."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.domain.documents import content_hash
from ark_tui.settings.tree import away, identity, within
from ark_tui.store import Lease, files

if TYPE_CHECKING:
    from ark_tui.ingest.ignore import Ignore
    from ark_tui.settings import Settings


class Away:
    """What is away of the folders that are followed: `folders`, by collection, "" or mount points in it.

    An empty folder is away unless it is the one that was read before: then it has been emptied.
    """

    def __init__(self, lease: Lease) -> None:
        noted = files.noted(lease)
        found = {name: away(root, files.places(noted, root)) for name, root in files.roots(lease).items()}
        self.folders = {name: folders for name, folders in found.items() if folders}

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return ((name, folder) for name, folders in self.folders.items() for folder in folders)

    def __contains__(self, place: tuple[str, str]) -> bool:
        """Whether a file, by its collection and path, is away; or with "" a whole collection."""
        collection, path = place
        return within(path, self.folders.get(collection, ()))


SAMPLE = 20  # files by which a folder that has moved is recognized


def moved(lease: Lease, path: Path) -> str:
    """The collection whose folder has moved to `path`; "" where there is none.

    Its old place is gone, though the folder around that is there, and `path` is the same folder by its
    inode, or half of a sample of its files are there, by their inodes or contents.
    """
    noted = files.noted(lease)
    for name, root in files.roots(lease).items():
        old = Path(root)
        if old.exists() or not old.parent.exists() or path.is_relative_to(old):
            continue
        if identity(path) == files.places(noted, root)[""]:
            return name
        records = [one for one in files.known(lease, name).values() if one.state == "indexed"]
        sample = records[:: max(1, len(records) // SAMPLE)]
        if sample and 2 * sum(_is_at(path / one.path, one) for one in sample) >= len(sample):
            return name
    return ""


def _is_at(path: Path, record: files.FileRecord) -> bool:
    """Whether a file is the one that was read: by its inode, else by its content."""
    with suppress(OSError):
        seen = path.lstat()
        if seen.st_size != record.size or not stat.S_ISREG(seen.st_mode):
            return False
        return seen.st_ino == record.inode or content_hash(path.read_bytes()) == record.hash
    return False


def rules(settings: Settings, root: Path) -> Ignore:
    """The rules that exclude files of a folder."""
    from ark_tui.ingest.ignore import Ignore

    return Ignore.of(root, settings.ignore, git=settings.gitignore)
