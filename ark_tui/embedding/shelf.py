"""The models that a person has added to a home, each in a folder of its own in `models/`.

A model stands there whole or not at all: it is put together beside, tried, and moved into its place. What it
is, and the SHA-256 of each of its files, is in `model.json` with a checksum.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import file_digest, sha256
from pathlib import Path
from typing import BinaryIO, Literal

from ark_tui.domain.errors import Hint, UsageError
from ark_tui.domain.failures import explained
from ark_tui.domain.protocols import NEVER, OnProgress, Stop, check, ignore
from ark_tui.domain.untrusted import read_json
from ark_tui.domain.work import Progress
from ark_tui.embedding.folders import Pooling
from ark_tui.embedding.retry import NoModel, Wrong
from ark_tui.settings.home import PRIVATE, alive, checked, read_checked, remove, write_file

Use = Literal["vectors", "pairs"]

ABOUT = "model.json"
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")
BESIDE = ".adding-"  # what the folder of a model is called that is being put together, by which process
PIECE = 1 << 20  # bytes copied between two looks at the stop token
VERSION = 1  # of the way from a text to its vector: another one gives other vectors


@dataclass(frozen=True, slots=True)
class File:
    """A file of a model as it was when it was added."""

    name: str  # below the model's folder
    sha256: str
    size: int
    changed: int  # its time stamp: one that fits need not be read through


@dataclass(frozen=True, slots=True)
class Added:
    """A model of this home. `use`: it makes vectors of texts, or scores pairs of a query and a text.

    `dims`: of its vectors. `source`: the folder or the place in the hub that it came from.
    """

    name: str
    use: Use
    graph: str
    dims: int
    pooling: Pooling
    most_tokens: int
    padding: int
    document_prefix: str
    query_prefix: str
    source: str
    files: tuple[File, ...]
    version: int = VERSION

    @property
    def digest(self) -> str:
        """Names the weights and all that decides what comes out of them."""
        parts = [f"{one.name} {one.sha256}" for one in sorted(self.files, key=lambda one: one.name)]
        parts += [self.use, self.graph, self.pooling, str(self.most_tokens), str(self.padding)]
        return sha256("\n".join([*parts, str(self.version)]).encode()).hexdigest()

    @property
    def size(self) -> int:
        """Bytes of its files."""
        return sum(file.size for file in self.files)

    def dumped(self) -> bytes:
        """As JSON, with a checksum."""
        return checked(json.dumps(asdict(self), sort_keys=True).encode())

    @classmethod
    @lru_cache(maxsize=8)  # each query reads that of its model
    def loaded(cls, data: bytes) -> Added | None:
        """What `dumped` wrote; None for anything else."""
        try:
            told = read_json(data)
            return cls(**{**told, "files": tuple(File(**one) for one in told["files"])})
        except (ValueError, TypeError, KeyError, AttributeError):
            return None


@dataclass(frozen=True, slots=True)
class Shelf:
    """The models in one folder. Nothing is made before something is added."""

    folder: Path

    def names(self) -> list[str]:
        """Those that are there, the one that was added last first."""
        found = [one for one in self.folder.glob("*") if NAME.fullmatch(one.name) and one.is_dir()]
        found.sort(key=lambda one: (-_stamp(one / ABOUT), one.name))
        return [one.name for one in found]

    def all(self) -> Iterator[Added]:
        """Those whose description can be read, the one that was added last first."""
        for name in self.names():
            with suppress(NoModel, Wrong):
                yield self.get(name)

    def get(self, name: str) -> Added:
        """A model by its name. Raises `NoModel`, or `Wrong` where its description is damaged."""
        again = Hint.run("models add", name, say="`{}` adds it.")
        if not NAME.fullmatch(name) or not (self.folder / name).is_dir():
            raise NoModel(f"There is no local model {name}.", again)
        found = Added.loaded(read_checked(self.folder / name / ABOUT) or b"")
        if found is None:
            raise Wrong(f"The description of the local model {name} is damaged.", "Add it again: " + again)
        return found

    def verify(self, model: Added, *, thorough: bool = False) -> None:
        """See to it that the files are those that were added; `thorough`: read every byte of them.

        Raises `Wrong`. Without `thorough`, a file is read where its size or time stamp is another one.
        """
        again = Hint.run("models add", model.name, say="Add it again, with its source: `{}`.")
        folder = self.folder / model.name
        for file in model.files:
            path = folder / file.name
            try:
                stat = path.stat()
                same = (stat.st_size, stat.st_mtime_ns) == (file.size, file.changed)
                fits = (same and not thorough) or (stat.st_size == file.size and _sha256(path) == file.sha256)
            except OSError as error:
                why = error.strerror or str(error)
                raise Wrong(
                    f"{file.name} of the local model {model.name} is missing ({why}).", again
                ) from error
            if not fits:
                raise Wrong(f"{file.name} of the local model {model.name} has changed.", again)

    @contextmanager
    def beside(self) -> Iterator[Path]:
        """A folder for what is to become a model; it is gone afterwards, unless it was put into place."""
        with explained(self.folder):
            self.folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
            for left in self.folder.glob(f"{BESIDE}*"):
                process = left.name.removeprefix(BESIDE).partition("-")[0]
                if process.isdigit() and not alive(int(process)):
                    remove(left)
            made = Path(tempfile.mkdtemp(prefix=f"{BESIDE}{os.getpid()}-", dir=self.folder))
            try:
                yield made
            finally:
                shutil.rmtree(made, ignore_errors=True)

    def put(self, made: Path, model: Added) -> Added:
        """Put a folder that was made `beside` into its place, and return what stands there then.

        Raises `UsageError` where another model has the name. One that is damaged gives way.
        """
        write_file(made / ABOUT, model.dumped())
        place = self.folder / model.name
        if place.exists():
            try:
                there = self.get(model.name)
                self.verify(there, thorough=True)
            except (NoModel, Wrong):
                remove(place)
            else:
                if there.digest == model.digest:
                    return there
                raise UsageError(
                    f"Another model is called {model.name} here.",
                    Hint.run("models remove", model.name, say="Give this one another name, or first: {}"),
                )
        made.rename(place)
        return model

    def remove(self, name: str) -> None:
        """Take a model away. Raises `NoModel`."""
        if not NAME.fullmatch(name) or not (self.folder / name).is_dir():
            raise NoModel(
                f"There is no local model {name}.",
                Hint.run("models list", say="`{}` lists those that there are."),
            )
        with explained(self.folder):
            remove(self.folder / name)


def copied(source: Path, target: Path, name: str, stop: Stop = NEVER, progress: OnProgress = ignore) -> File:
    """A file of a folder, copied into another for its owner alone."""
    source, target = source / name, target / name
    total, done = source.stat().st_size, 0
    target.parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    made = sha256()
    with _readable(source) as reader, open(target, "xb", opener=_private) as writer:
        while piece := reader.read(PIECE):
            check(stop)
            made.update(piece)
            writer.write(piece)
            done += len(piece)
            progress(Progress("copy", done, total, name))
    stat = target.stat()
    return File(name, made.hexdigest(), stat.st_size, stat.st_mtime_ns)


def _readable(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror or error}.", "See to its rights."
        ) from error


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _stamp(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
