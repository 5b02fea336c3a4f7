"""The serving files: what a search reads, memory-mapped, without LanceDB.

```
serving/current.json         which of the files below are in force
serving/segment-N/           vectors.npy (n, d)  hashes.npy (n,)  tokens.npy, offsets.npy  idf-V.npy (n, d)
                             latent-V.npy (n, 200)
serving/frequencies-N.npy    in how many texts each token id occurs (static model)
serving/idf-V.npy            the weights that idf-V.npy of each segment was pooled with
serving/latent-V/            what latent-V.npy of each segment was pooled with, see `latent`
serving/chunks-N/            chunk.npy row.npy document.npy ordinal.npy, sorted by chunk number
serving/documents-N/         number.npy facts.npy tags.npy tag_offsets.npy names.json paths.json
                             links.npy link_offsets.npy relations.json, see `adjacency`
serving/alike-N/             pairs.npy groups.npy, see `duplicates`
serving/shingles-N.npy       by which texts that share most of their words are found, see `shingles`
```

Every file is written once, under a new name, and sealed; `current.json` is replaced last. Readers of the old
names go on undisturbed: what is no longer named is kept for a minute, and mapped files outlive their names.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ark_tui.index import seal
from ark_tui.settings.home import remove

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Matrix

CURRENT = "current.json"
KEEP = 60  # seconds; what a reader has mapped stays readable to it after that too
FACTS = ("collection", "tier", "type", "layer", "source", "place", "day", "superseded", "since")
"""Columns of facts.npy: codes, but for the last four."""

NO_DAY = -(2**31)
SEGMENT = ("vectors", "hashes", "tokens", "offsets")  # the files of a segment, beside its pools


@dataclass(frozen=True, slots=True)
class Current:
    """Which serving files are in force."""

    change: int = 0
    segments: tuple[str, ...] = ()
    rows: int = 0
    chunks: str = ""
    documents: str = ""
    idf: str = ""  # name of the weights, also of each segment's pooled vectors
    idf_rows: int = 0  # how many texts the weights were computed from
    frequencies: str = ""
    serial: int = 0  # the last number used in a name
    alike: str = ""  # the near-duplicates
    shingles: tuple[str, ...] = ()  # by which further ones are found
    latent: str = ""  # the table of words that share contexts, also of each segment's vectors by it
    latent_rows: int = 0  # how many texts there were when it was learnt
    seals: seal.Seals = field(default_factory=dict)  # of every file in force

    @property
    def pools(self) -> tuple[str, ...]:
        """The names of the further vectors that each segment has."""
        return tuple(name for name in (self.idf, self.latent) if name)

    @property
    def files(self) -> list[str]:
        """Those that are in no folder."""
        return [f"{name}.npy" for name in (self.idf, self.frequencies, *self.shingles) if name]


@dataclass(slots=True)
class ChunkMap:
    """The live chunks, by ascending number.

    `row`: where the chunk's vector is; −1 while it waits for one.
    """

    chunk: NDArray[np.int64]
    row: NDArray[np.int32]
    document: NDArray[np.int64]
    ordinal: NDArray[np.int32]


@dataclass(slots=True)
class DocumentFacts:
    """What filters and neighbours ask of documents, by ascending number."""

    number: NDArray[np.int64]
    facts: NDArray[np.int32]  # (n, 9), columns as in FACTS
    tags: NDArray[np.int32]
    tag_offsets: NDArray[np.int64]
    names: dict[str, list[str]] = field(default_factory=dict)  # code → name, per kind
    paths: list[str] = field(default_factory=list)


def read_current(folder: Path) -> Current | None:
    """What is in force, or None where nothing (readable) is."""
    try:
        found = seal.read(folder / CURRENT) or {}
        return Current(
            **{**found, "segments": tuple(found["segments"]), "shingles": tuple(found.get("shingles", ()))}
        )
    except (TypeError, KeyError):
        return None


def write_current(folder: Path, current: Current) -> Current:
    """Seal a new set of files and put it in force; returns it with its seals."""
    current = replace(current, seals=seal.sealed(folder, _in_force(folder, current), current.seals))
    seal.write(folder / CURRENT, asdict(current))
    return current


def _in_force(folder: Path, current: Current) -> list[str]:
    """The files that a set consists of, by their paths."""
    folders = [name for name in (current.chunks, current.documents, current.alike, current.latent) if name]
    names = [f"{name}/{path.name}" for name in folders for path in (folder / name).iterdir()]
    names += [f"{name}/{part}.npy" for name in current.segments for part in SEGMENT]
    names += [f"{name}/{pool}.npy" for name in current.segments for pool in current.pools]
    return sorted(
        [*names, *(f"{name}.npy" for name in (current.idf, current.frequencies, *current.shingles) if name)]
    )


def save(path: Path, array: NDArray[Any]) -> None:
    """Write an array. To a file itself numpy writes by C's stdio, and passes over a flush that fails."""
    with path.open("wb") as file:
        np.save(SimpleNamespace(write=file.write), array, allow_pickle=False)


def write_arrays(folder: Path, **arrays: NDArray[Any]) -> None:
    """Write a folder of arrays as a whole."""
    beside = folder.with_name(folder.name + ".new")
    remove(beside)
    beside.mkdir(mode=0o700, parents=True)
    for name, array in arrays.items():
        save(beside / f"{name}.npy", array)
    remove(folder)
    beside.rename(folder)


def read_array(path: Path) -> NDArray[Any]:
    """Memory-map an array; raises `ValueError` for a file that is none."""
    if not path.stat().st_size:
        raise ValueError(f"{path} is empty")
    if path.stat().st_size <= 128:  # an empty array has no bytes to map
        return np.asarray(np.load(path, allow_pickle=False))
    return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))  # a slice of a memmap costs 10 µs


def spans(start: NDArray[np.int64], count: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places of many spans one after the other: `count[i]` of them from `start[i]` on."""
    return np.repeat(start - (np.cumsum(count) - count), count) + np.arange(count.sum())


def empty_chunks() -> ChunkMap:
    return ChunkMap(
        np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.int32)
    )


def empty_documents() -> DocumentFacts:
    return DocumentFacts(
        np.empty(0, np.int64),
        np.empty((0, len(FACTS)), np.int32),
        np.empty(0, np.int32),
        np.zeros(1, np.int64),
        {kind: [] for kind in ("collection", "tier", "type", "layer", "source", "tag")},
        [],
    )


def read_chunks(folder: Path) -> ChunkMap:
    """The chunk map of a folder."""
    return ChunkMap(*(read_array(folder / f"{name}.npy") for name in ChunkMap.__slots__))


def write_chunks(folder: Path, chunks: ChunkMap) -> None:
    write_arrays(folder, **{name: getattr(chunks, name) for name in ChunkMap.__slots__})


def read_groups(folder: Path, current: Current) -> NDArray[np.int64]:
    """`(n, 2)`: chunks that repeat an earlier one, ascending, each with the first of its kind."""
    if not current.alike:
        return np.empty((0, 2), np.int64)
    return read_array(folder / current.alike / "groups.npy")


def read_documents(folder: Path, *, paths: bool) -> DocumentFacts:
    """The facts of a folder; the paths, which are large, only when asked for."""
    return DocumentFacts(
        number=read_array(folder / "number.npy"),
        facts=read_array(folder / "facts.npy"),
        tags=read_array(folder / "tags.npy"),
        tag_offsets=read_array(folder / "tag_offsets.npy"),
        names=json.loads((folder / "names.json").read_text("utf-8")),
        paths=read_paths(folder) if paths else [],
    )


def read_paths(folder: Path) -> list[str]:
    found: list[str] = json.loads((folder / "paths.json").read_text("utf-8"))
    return found


def write_documents(folder: Path, documents: DocumentFacts) -> None:
    write_arrays(
        folder,
        number=documents.number,
        facts=documents.facts,
        tags=documents.tags,
        tag_offsets=documents.tag_offsets,
    )
    (folder / "paths.json").write_text(json.dumps(documents.paths), "utf-8")
    (folder / "names.json").write_text(json.dumps(documents.names), "utf-8")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The token ids of each text of a segment."""

    flat: NDArray[np.uint16]
    offsets: NDArray[np.int64]

    @classmethod
    def read(cls, folder: Path) -> Tokens:
        """Memory-map those of a segment's folder."""
        return cls(read_array(folder / "tokens.npy"), read_array(folder / "offsets.npy"))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> NDArray[np.uint16]:
        return self.flat[self.offsets[row] : self.offsets[row + 1]]


def write_segment(
    folder: Path, vectors: Matrix, hashes: NDArray[np.uint64], tokens: list[NDArray[np.uint16]]
) -> None:
    """Write the vectors of some texts with their hashes and token ids."""
    offsets = np.concatenate([[0], np.cumsum([len(ids) for ids in tokens])]).astype(np.int64)
    flat = np.concatenate([*tokens, np.empty(0, np.uint16)])
    write_arrays(folder, vectors=vectors, hashes=hashes, tokens=flat, offsets=offsets)


def merge_segments(folder: Path, parts: Sequence[Path]) -> None:
    """Write one segment that has the rows of several, in the same order."""
    tokens = [Tokens.read(part) for part in parts]
    lengths = np.concatenate([np.diff(token.offsets) for token in tokens])
    write_arrays(
        folder,
        vectors=np.concatenate([read_array(part / "vectors.npy") for part in parts]),
        hashes=np.concatenate([read_array(part / "hashes.npy") for part in parts]),
        tokens=np.concatenate([token.flat for token in tokens]),
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
    )


def sweep(folder: Path, current: Current) -> None:
    """Remove what is not in force, unless it is so young that somebody may be about to open it."""
    named = {*current.segments, current.chunks, current.documents, current.alike, current.latent, CURRENT}
    named.update(current.files)
    horizon = time.time() - KEEP
    pools = [path for name in current.segments for path in (folder / name).glob("*-*.npy")]
    entries = [*folder.iterdir()] if folder.is_dir() else []
    for path in (*entries, *(path for path in pools if path.stem not in current.pools)):
        if path.name not in named and path.stat().st_mtime < horizon:
            remove(path)
