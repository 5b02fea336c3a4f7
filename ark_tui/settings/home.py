"""The home: one folder with everything that ark-tui keeps."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ark_tui.domain.errors import StoreError

PRIVATE = 0o700  # the home holds people's notes


@dataclass(frozen=True, slots=True)
class Home:
    """Where everything lies. Nothing is made before `create`."""

    path: Path

    @property
    def config(self) -> Path:
        """What the user has set."""
        return self.path / "config.toml"

    @property
    def store(self) -> Path:
        """The truth."""
        return self.path / "ark.duckdb"

    @property
    def vectors(self) -> Path:
        return self.path / "vectors"

    @property
    def words(self) -> Path:
        return self.path / "words"

    @property
    def messages(self) -> Path:
        """The word index of messages."""
        return self.path / "messages"

    @property
    def locks(self) -> Path:
        return self.path / "locks"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def backups(self) -> Path:
        return self.path / "backups"

    @property
    def cache(self) -> Path:
        """What can be deleted at any time."""
        return self.path / "cache"

    def create(self) -> None:
        """Make the folder, readable by its owner alone, unless it is there.

        Raises `StoreError` where a file is in the way or nothing may be written.
        """
        if self.path.is_dir():
            return
        elsewhere = "Choose another home with --home or ARK_HOME."
        if self.path.exists() or self.path.is_symlink():
            raise StoreError(f"The home {self.path} is not a folder.", elsewhere)
        try:
            self.path.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"The home {self.path} cannot be made: {error.strerror or error}.", elsewhere
            ) from error


def write_file(path: Path, data: bytes) -> None:
    """Replace a small file as a whole: readers see the old one or the new one. Its owner alone reads it."""
    path.parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    beside.touch(0o600)
    beside.write_bytes(data)
    beside.replace(path)


def sync_folder(path: Path) -> None:
    """See to it that what was made, renamed or removed in a folder stays so when the machine stops."""
    file = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)
