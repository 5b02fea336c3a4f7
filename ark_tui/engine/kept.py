"""Arrays kept in the home's cache for as long as the corpus stands still."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ark_tui.settings import Home

if TYPE_CHECKING:
    from numpy.typing import NDArray

Arrays = Mapping[str, "NDArray[Any]"]

STATES = 2  # states of the corpus that are kept: another profile or resolution may come back


def place(home: Home) -> Path:
    """Where they lie."""
    return home.cache / "analysis"


def forget(home: Home) -> None:
    """Leave nothing of what was measured: terms of texts that are purged are among it."""
    if place(home).is_dir():
        shutil.rmtree(place(home))


class Kept:
    """One folder per state of the corpus, one file per measure. A file that cannot be read is made anew."""

    def __init__(self, folder: Path, state: str) -> None:
        self._folder = folder / state
        self.read: list[str] = []  # measures that were there already

    def get(self, name: str, make: Callable[[], Arrays]) -> Arrays:
        """The arrays of that name, made and put aside if they are not there."""
        found = self._stored(name)
        if found is not None:
            self.read.append(name)
            return found
        made = dict(make())
        self._put(name, made)
        return made

    def _stored(self, name: str) -> Arrays | None:
        return _loaded(self._folder / f"{name}.npz")

    def _put(self, name: str, arrays: Arrays) -> None:
        """Write a file whole or not at all. A home that cannot be written has no cache."""
        path = self._folder / f"{name}.npz"
        beside = path.with_name(f"{name}.new.npz")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            np.savez(beside, **dict(arrays))  # type: ignore[arg-type]
            beside.replace(path)
            for old in self._others()[STATES - 1 :]:
                shutil.rmtree(old, ignore_errors=True)
        except OSError:
            beside.unlink(missing_ok=True)

    def _others(self) -> list[Path]:
        """The folders of other states, the latest first."""
        if not self._folder.parent.is_dir():
            return []
        others = [path for path in self._folder.parent.iterdir() if path.is_dir() and path != self._folder]
        return sorted(others, key=lambda path: -path.stat().st_mtime_ns)


def _loaded(path: Path) -> Arrays | None:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (OSError, ValueError, KeyError, EOFError, MemoryError, zipfile.BadZipFile):
        return None
