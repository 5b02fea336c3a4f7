"""Folders watched for what is saved, renamed and deleted in them, as long as somebody asks."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from watchfiles import _rust_notify

from ark_tui.domain.errors import ArkError
from ark_tui.settings.home import is_home

if TYPE_CHECKING:
    import threading

    from watchfiles import Change

SETTLE_MS = 300  # a save is often several writes
DEBOUNCE_MS = 1500  # the longest a save waits while others keep coming
LOOK_MS = 1000  # the first look after the watch has begun, and between two at folders that are not there
SKIPPED = (".", "_")  # folders that begin so are not read

Seen = dict[Path, tuple[int, int]]
"""Folders that are there: device and inode tell one that was mounted or made anew from what was there."""


def bursts(folders: Sequence[Path], stop: threading.Event) -> Iterator[tuple[Path, ...]]:
    """The folders in which something has changed, after every burst of changes, until `stop` is set.

    The first answer, soon after the watch has begun, is all of them: something may have been saved before. A
    folder that goes away is waited for, and is among the changed ones when it is back. Raises `ArkError`
    where the system watches no more folders.
    """
    there: Seen = {}
    fresh = set(folders)
    while not stop.is_set():
        now = seen(folders)
        fresh |= {folder for folder in folders if now.get(folder) != there.get(folder)}
        there = now
        if not there:
            stop.wait(LOOK_MS / 1000)
            continue
        for touched in _while_there(folders, there, stop):
            if touched := touched | fresh:
                fresh = set()
                yield tuple(folder for folder in folders if folder in touched)


def seen(folders: Sequence[Path]) -> Seen:
    """Which folders are there now."""
    found: Seen = {}
    for folder in folders:
        try:
            stat = folder.stat()
        except OSError:
            continue
        if folder.is_dir():
            found[folder] = (stat.st_dev, stat.st_ino)
    return found


def _while_there(folders: Sequence[Path], there: Seen, stop: threading.Event) -> Iterator[set[Path]]:
    """Those in which something has changed, perhaps none, until other folders are there than before."""
    try:
        for paths in _changes(there, stop):
            yield {root for path in paths if (root := _root(path, there)) is not None}
            if seen(folders) != there:
                return
    except FileNotFoundError:
        return  # one went away in this very moment
    except (OSError, _rust_notify.WatchfilesRustInternalError) as error:
        raise ArkError(
            f"The system watches no more folders: {str(error).partition(' about ')[0].rstrip('.')}.",
            "What is saved is not noticed by itself any more; fs.inotify.max_user_watches can be raised.",
        ) from error


def _changes(there: Seen, stop: threading.Event) -> Iterator[list[str]]:
    """The paths of every burst, and nothing every now and then."""
    from watchfiles import DefaultFilter, watch

    usual = DefaultFilter()

    def wanted(change: Change, path: str) -> bool:
        return usual(change, path) and not _skipped(path, there)

    tolerant = False  # who overlooks what may not be read overlooks the system's limits, too
    while True:
        try:
            for changes in watch(
                *there, watch_filter=wanted, debounce=DEBOUNCE_MS, step=SETTLE_MS, stop_event=stop,
                rust_timeout=LOOK_MS, yield_on_timeout=True, raise_interrupt=False,
                ignore_permission_denied=tolerant,
            ):  # fmt: skip
                yield [path for _, path in changes]
        except PermissionError:
            if tolerant:
                raise
            tolerant = True
        else:
            return


def _root(path: str, there: Seen) -> Path | None:
    """The innermost of the folders that a path lies in, or is."""
    within = [root for root in there if path == str(root) or path.startswith(f"{root}{os.sep}")]
    return max(within, key=lambda root: len(str(root)), default=None)


def _skipped(path: str, there: Seen) -> bool:
    """Whether a path lies in a folder that no run looks into, such as a home."""
    root = _root(path, there)
    inner = Path(path).relative_to(root).parent.parts if root is not None else ()
    return any(part.startswith(SKIPPED) for part in inner) or is_home(Path(path).parent)
