"""Watching folders for saved, renamed and deleted files."""

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
DEBOUNCE_MS = 1500  # longest delay of a change while others keep coming
LOOK_MS = 1000  # delay of the first result, and interval of checks for missing folders
SKIPPED = (".", "_")  # prefixes of folders that are not read

Seen = dict[Path, tuple[int, int]]
"""Existing folders with device and inode, to detect folders that were remounted or recreated."""


def bursts(folders: Sequence[Path], stop: threading.Event) -> Iterator[tuple[Path, ...]]:
    """Yield the changed folders after every burst of changes, until `stop` is set.

    The first result, soon after the start, contains all folders, as files may have changed before. A folder
    that disappears counts as changed when it is back. Raises `ArkError` at the system's watch limit.
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
    """The folders that exist now."""
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
    """Yield changed folders (possibly none), until the set of existing folders changes."""
    try:
        for paths in _changes(there, stop):
            yield {root for path in paths if (root := _root(path, there)) is not None}
            if seen(folders) != there:
                return
    except FileNotFoundError:
        return  # a folder disappeared just now
    except (OSError, _rust_notify.WatchfilesRustInternalError) as error:
        raise ArkError(
            f"The system cannot watch more folders: {str(error).partition(' about ')[0].rstrip('.')}.",
            "Saved files are not indexed automatically now. Raise fs.inotify.max_user_watches.",
        ) from error


def _changes(there: Seen, stop: threading.Event) -> Iterator[list[str]]:
    """Yield the paths of every burst, and an empty list at each timeout."""
    from watchfiles import DefaultFilter, watch

    usual = DefaultFilter()

    def wanted(change: Change, path: str) -> bool:
        return usual(change, path) and not _skipped(path, there)

    tolerant = False  # ignoring permission errors also hides the system's watch limit, so only on demand
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
    """The innermost watched folder that is or contains a path."""
    within = [root for root in there if path == str(root) or path.startswith(f"{root}{os.sep}")]
    return max(within, key=lambda root: len(str(root)), default=None)


def _skipped(path: str, there: Seen) -> bool:
    """Whether a path is in a folder that is never indexed, such as a home."""
    root = _root(path, there)
    inner = Path(path).relative_to(root).parent.parts if root is not None else ()
    return any(part.startswith(SKIPPED) for part in inner) or is_home(Path(path).parent)
