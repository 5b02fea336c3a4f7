"""The serving files: what a search reads, memory-mapped, without LanceDB.

```
serving/current.json         which of the files below are in force
serving/segment-N/           hashes.npy (n,), and of the embedded model tokens.npy, offsets.npy; of each kind
                             of vector POOL.signs.npy (2, words, n)  POOL.gain.npy (2, n)  POOL.middle.npy
                             (2, d), see `signs`, with the sum of the vectors; and, see `rows`,
                             POOL.length.npy (n,) where it is pooled from the tokens, else POOL.npy (n, d)
serving/frequencies-N.npy    in how many texts each token id occurs (static model)
serving/idf-V.npy            the weights that the pool idf-V of each segment was pooled with
serving/latent-V/            what the pool latent-V of each segment was pooled with, see `latent`
serving/chunks-N/            chunk.npy row.npy document.npy ordinal.npy, sorted by chunk number, and
                             beside.npy (n, 2), see `View.beside`
serving/documents-N/         number.npy facts.npy tags.npy tag_offsets.npy names.json paths.json
                             links.npy link_offsets.npy relations.json, see `adjacency`
serving/alike-N/             pairs.npy groups.npy, see `duplicates`
serving/shingles-N.npy       by which texts that share most of their words are found, see `shingles`
```

Every file is written once, under a new name, and sealed; `current.json` is replaced last. Readers of the old
names go on undisturbed: where there are any (`readers`), what is no longer named is kept for a minute, and
mapped files outlive their names.
"""

from __future__ import annotations

import json
import mmap
import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from math import prod
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ark_tui.domain.protocols import NEVER, Stop, check
from ark_tui.embedding import static
from ark_tui.index import seal
from ark_tui.index.vectors import readers, repeats, signs
from ark_tui.settings.home import remove

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ark_tui.domain.protocols import Matrix

CURRENT = repeats.CURRENT
KEEP = 60  # seconds, while somebody reads; what a reader has mapped stays readable to it after that too
FACTS = ("collection", "tier", "type", "layer", "source", "place", "day", "superseded", "since")
"""Columns of facts.npy: codes, but for the last four."""

HEADER = re.compile(
    rb"\x93NUMPY\x01\x00v\x00\{'descr': '([<|][a-z]\d+)', 'fortran_order': False, "
    rb"'shape': \(([\d, ]*)\), \} *\n"
)
"""How numpy begins a file with an array of numbers: 128 bytes."""

UNTRACKED: dict[str, Any] = {"trackfd": False} if sys.version_info >= (3, 13) else {}
"""With which what is mapped holds no file open, where Python can do that."""

NO_DAY = -(2**31)
OWN = "vectors"  # the pool of the model itself
DEPTH = 2048  # texts looked at exactly, until it is measured how many it takes
AT_ONCE = 2048  # texts pooled or read at once
SAMPLE = 4096  # texts that the middle of a segment is taken from


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
    depth: int = DEPTH  # of a search: how many texts are looked at exactly
    recall: float | None = None  # of the first ten at that depth, by the last self-test
    tested_rows: int = 0  # how many texts there were then
    seals: seal.Seals = field(default_factory=dict)  # of every file in force

    @property
    def pools(self) -> tuple[str, ...]:
        """The names of the kinds of vectors that each segment has."""
        return tuple(name for name in (OWN, self.idf, self.latent) if name)

    @property
    def files(self) -> list[str]:
        """Those that are in no folder."""
        return [f"{name}.npy" for name in (self.idf, self.frequencies, *self.shingles) if name]

    @property
    def named(self) -> list[str]:
        """All that is in force, files and folders."""
        folders = (*self.segments, self.chunks, self.documents, self.alike, self.latent)
        return [*filter(None, folders), *self.files]


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
    before = read_current(folder) or Current()
    current = replace(current, seals=seal.sealed(folder, _in_force(folder, current), current.seals))
    seal.write(folder / CURRENT, asdict(current))
    for path in _superseded(folder, before, current):
        with suppress(OSError):
            os.utime(path)  # from now on it is kept for those who read it
    return current


def _in_force(folder: Path, current: Current) -> list[str]:
    """The files that a set consists of, by their paths."""
    folders = [name for name in (current.chunks, current.documents, current.alike, current.latent) if name]
    names = [f"{name}/{path.name}" for name in folders for path in (folder / name).iterdir()]
    names += [
        f"{name}/{path.name}"
        for name in current.segments
        for path in (folder / name).iterdir()
        if path.name.partition(".")[0] in ("hashes", "tokens", "offsets", *current.pools)
    ]
    return sorted([*names, *current.files])


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
    """Memory-map an array; raises `ValueError` for a file that is none.

    What `save` has written begins as every such file of numpy: read here, it takes a fifth of the time of
    `numpy.load`, which a cold search would call eighty times.
    """
    if not path.stat().st_size:
        raise ValueError(f"{path} is empty")
    if path.stat().st_size <= 128:  # an empty array has no bytes to map
        return np.asarray(np.load(path, allow_pickle=False))
    with path.open("rb") as file:
        header = HEADER.match(file.read(128))
        if header is not None:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ, **UNTRACKED)
            shape = [int(size) for size in header[2].split(b",") if size.strip()]
            return np.frombuffer(mapped, header[1].decode(), prod(shape), 128).reshape(shape)
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


def write_chunks(folder: Path, chunks: ChunkMap, beside: NDArray[np.int32]) -> None:
    """Write a chunk map, and the places of the chunks before and after each."""
    write_arrays(folder, beside=beside, **{name: getattr(chunks, name) for name in ChunkMap.__slots__})


def occurring(folder: Path, current: Current) -> NDArray[np.int64] | None:
    """The ids of the tokens that the texts have, or had before some went; None where none were counted."""
    if not current.frequencies:
        return None
    return np.flatnonzero(read_array(folder / f"{current.frequencies}.npy"))


def read_keys(folder: Path, current: Current) -> NDArray[np.uint64]:
    """The key of each row's text, see `table.hash_keys`."""
    keys = [read_array(folder / name / "hashes.npy") for name in current.segments]
    return np.concatenate([*keys, np.empty(0, np.uint64)])


def read_pairs(folder: Path, current: Current) -> NDArray[np.int32]:
    """`(n, 2)`: rows that are near-duplicates of each other."""
    if not current.alike:
        return np.empty((0, 2), np.int32)
    return read_array(folder / current.alike / "pairs.npy")


def read_groups(folder: Path, current: Current) -> NDArray[np.int64]:
    """`(n, 2)`: chunks that repeat an earlier one, ascending, each with the first of its kind."""
    if not current.alike:
        return np.empty((0, 2), np.int64)
    return read_array(folder / current.alike / repeats.GROUPS)


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
    """The token ids of some texts."""

    flat: NDArray[np.uint16]
    offsets: NDArray[np.int64]

    @classmethod
    def joined(cls, texts: Sequence[NDArray[np.uint16]]) -> Tokens:
        """Those of texts one after the other."""
        flat = np.concatenate([*texts, np.empty(0, np.uint16)])
        return cls(flat, np.cumsum([0, *map(len, texts)]).astype(np.int64))

    @classmethod
    def read(cls, folder: Path) -> Tokens:
        """Memory-map those of a segment's folder."""
        return cls(read_array(folder / "tokens.npy"), read_array(folder / "offsets.npy"))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> NDArray[np.uint16]:
        return self.flat[self.offsets[row] : self.offsets[row + 1]]

    def of(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
        """The ids of some texts, one after the other, and where those of each begin."""
        if len(rows) and len(rows) == rows[-1] - rows[0] + 1 and (np.diff(rows) == 1).all():
            start = self.offsets[rows[0] : rows[-1] + 2]
            return self.flat[start[0] : start[-1]], start - start[0]
        start, end = self.offsets[rows], self.offsets[rows + 1]
        ids = [self.flat[a:b] for a, b in zip(start.tolist(), end.tolist(), strict=True)]
        return np.concatenate([np.empty(0, np.uint16), *ids]), np.cumsum(np.append(0, end - start))


class Pool:
    """One kind of vector of a segment's texts, as far as it is kept; each file is opened when needed."""

    def __init__(self, folder: Path, name: str) -> None:
        self._files = folder, name

    @cached_property
    def codes(self) -> signs.Codes:
        return signs.Codes(self._read("signs"), self._read("gain"), self._middle[0].astype(np.float32))

    @cached_property
    def total(self) -> NDArray[np.float64]:
        """The sum of the vectors."""
        total: NDArray[np.float64] = self._middle[1]
        return total

    @cached_property
    def length(self) -> NDArray[np.float32]:
        """The length of each sum of token vectors, where no vectors are kept."""
        return self._read("length")

    @cached_property
    def _middle(self) -> NDArray[np.float64]:
        return self._read("middle")

    def _read(self, part: str) -> NDArray[Any]:
        folder, name = self._files
        with seal.guarded("vector"):
            return read_array(folder / f"{name}.{part}.npy")


def write_segment(folder: Path, hashes: NDArray[np.uint64], tokens: Tokens | None = None) -> None:
    """Write the hashes of some texts, and the token ids of those that are pooled."""
    arrays: dict[str, NDArray[Any]] = {"hashes": hashes}
    if tokens is not None:
        arrays |= {"tokens": tokens.flat, "offsets": tokens.offsets}
    write_arrays(folder, **arrays)


def merge_segments(folder: Path, parts: Sequence[Path]) -> None:
    """Write one segment that has the texts of several, in the same order."""
    hashes = np.concatenate([read_array(part / "hashes.npy") for part in parts])
    tokens = [Tokens.read(part) for part in parts if (part / "tokens.npy").exists()]
    lengths = np.concatenate([np.empty(0, np.int64), *(np.diff(one.offsets) for one in tokens)])
    flat = np.concatenate([np.empty(0, np.uint16), *(one.flat for one in tokens)])
    write_segment(folder, hashes, Tokens(flat, np.cumsum(np.append(0, lengths))) if tokens else None)


def write_pooled(folder: Path, name: str, weights: NDArray[np.float32] | None, stop: Stop) -> None:
    """Write the codes of a segment's texts, pooled from their tokens by the weights of these."""
    tokens = Tokens.read(folder)
    length = np.ones(len(tokens), np.float32)

    def pooled(rows: NDArray[np.int64]) -> Matrix:
        sums = static.summed(*tokens.of(rows), weights)
        found = np.linalg.norm(sums, axis=1)
        length[rows] = np.where(found, found, 1)
        sums /= length[rows, None]
        return sums

    _write_codes(folder, name, len(tokens), pooled, stop)
    save(folder / f"{name}.length.npy", length)


def write_kept(folder: Path, name: str, rows: NDArray[Any], scale: int = 1) -> None:
    """Write the vectors of a segment's texts with their codes; `scale`: what 1 is written as."""
    save(folder / f"{name}.npy", rows)
    _write_codes(folder, name, len(rows), lambda at: rows[at].astype(np.float32) / np.float32(scale), NEVER)


def _write_codes(
    folder: Path, name: str, count: int, vectors: Callable[[NDArray[np.int64]], Matrix], stop: Stop
) -> None:
    """Write the codes of vectors, which are asked for once for a sample, then some rows at a time."""
    middle = vectors(np.unique(np.linspace(0, count - 1, min(count, SAMPLE)).astype(np.int64))).mean(axis=0)
    total, made = np.zeros(len(middle)), []
    for low in range(0, count, AT_ONCE):
        check(stop)
        some = vectors(np.arange(low, min(low + AT_ONCE, count)))
        total += some.sum(axis=0, dtype=np.float64)
        made.append(signs.coded(some, middle))
    save(folder / f"{name}.signs.npy", np.concatenate([bits for bits, _ in made], axis=2))
    save(folder / f"{name}.gain.npy", np.concatenate([gain for _, gain in made], axis=1))
    save(folder / f"{name}.middle.npy", np.stack([middle.astype(np.float64), total]))


def sweep(folder: Path, current: Current) -> None:
    """Remove what is not in force; while somebody reads, nothing that was in force a minute ago."""
    entries = [*folder.iterdir()] if folder.is_dir() else []
    unnamed = [path for path in entries if path.name not in {CURRENT, *current.named}]
    with readers.away(folder.parent) as alone:
        horizon = time.time() - KEEP
        for path in (*unnamed, *_pooled_before(folder, current)):
            if alone or path.stat().st_mtime < horizon:
                remove(path)


def _superseded(folder: Path, before: Current, current: Current) -> list[Path]:
    """What has been in force until now."""
    gone = [folder / name for name in before.named if name not in current.named]
    return gone if before.pools == current.pools else [*gone, *_pooled_before(folder, current)]


def _pooled_before(folder: Path, current: Current) -> list[Path]:
    """Vectors of the segments by weights that are no longer in force."""
    files = [path for name in current.segments for path in (folder / name).glob("*-*.npy")]
    return [path for path in files if path.name.partition(".")[0] not in current.pools]
