"""Tantivy's files and their seal: `texts/`, `facts/`, and beside them `seal.json`, renewed with them.

The index of texts has what ranks, and is written only when a text changes: tantivy counts deleted texts until
it merges segments, so writing a text again would move the scores of others. The index of facts has what
documents are filtered and shown by, in which nothing ranks. An index of messages has both in one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ark_tui.index import seal

TEXTS, FACTS = "texts", "facts"
SEAL = "seal.json"
REWRITTEN = ("meta.json", ".managed.json")


def write_seal(folder: Path) -> None:
    """Seal the files that are in force now. Only whoever writes the index may do so."""
    before = seal.read(folder / SEAL) or {}
    known = {name: held for name, held in before.items() if not name.endswith(REWRITTEN)}
    now = seal.sealed(folder, [name for part in _parts(folder) for name in _files(folder, part)], known)
    if now != before:
        seal.write(folder / SEAL, now)


def sound(folder: Path, *, thorough: bool = False) -> bool:
    """Whether every file is as it was sealed. Whoever is writing may not have come to that yet."""
    seals = seal.read(folder / SEAL)
    return seals is not None and not seal.fault(folder, seals, thorough=thorough)


def deleted(folder: Path) -> int:
    """How many texts are still counted though they were deleted."""
    return sum((part["deletes"] or {}).get("num_deleted_docs", 0) for part in _segments(folder / TEXTS))


def _parts(folder: Path) -> list[str]:
    return [part for part in (TEXTS, FACTS) if (folder / part / "meta.json").exists()]


def _files(folder: Path, part: str) -> list[str]:
    """The files of the segments that `meta.json` names; others are being merged, or are no longer needed."""
    ids = tuple(one["segment_id"].replace("-", "") for one in _segments(folder / part))
    names = sorted(path.name for path in (folder / part).iterdir() if ids and path.name.startswith(ids))
    return [f"{part}/{name}" for name in (*names, *REWRITTEN)]


def _segments(files: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((files / "meta.json").read_bytes())["segments"]
    return found
