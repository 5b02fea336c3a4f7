"""Tantivy's files and their seal: `index/`, and beside it `seal.json`, renewed whenever they have changed."""

from __future__ import annotations

import json
from pathlib import Path

from ark_tui.index import seal

FOLDER = "index"
SEAL = "seal.json"
REWRITTEN = ("meta.json", ".managed.json")


def write_seal(folder: Path) -> None:
    """Seal the files that are in force now. Only whoever writes the index may do so."""
    files = folder / FOLDER
    before = seal.read(folder / SEAL) or {}
    known = {name: held for name, held in before.items() if name not in REWRITTEN}
    now = seal.sealed(files, (*_segments(files), *REWRITTEN), known)
    if now != before:
        seal.write(folder / SEAL, now)


def sound(folder: Path, *, thorough: bool = False) -> bool:
    """Whether every file is as it was sealed. Whoever is writing may not have come to that yet."""
    seals = seal.read(folder / SEAL)
    return seals is not None and not seal.fault(folder / FOLDER, seals, thorough=thorough)


def deleted(folder: Path) -> int:
    """How many texts its files still count though they are gone: BM25 knows them until segments are merged.

    0 where there is no index.
    """
    try:
        meta = json.loads((folder / FOLDER / "meta.json").read_bytes())
        return sum((part["deletes"] or {}).get("num_deleted_docs", 0) for part in meta["segments"])
    except (OSError, ValueError, KeyError):
        return 0


def _segments(files: Path) -> list[str]:
    """The files of the segments that `meta.json` names; others are being merged, or are no longer needed."""
    meta = json.loads((files / "meta.json").read_bytes())
    ids = tuple(part["segment_id"].replace("-", "") for part in meta["segments"])
    return sorted(path.name for path in files.iterdir() if ids and path.name.startswith(ids))
