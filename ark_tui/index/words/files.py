"""Tantivy's files and their seal: `texts/`, `facts/`, and `seal.json`, updated with them.

The index of texts contains the ranking fields and is written only when a text changes: tantivy counts deleted
texts until it merges segments, so rewriting a text would change the scores of others. The index of facts
contains the fields for filters and display, which do not affect scores. The index of messages has both in
one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ark_tui.index import seal
from ark_tui.settings.home import read_checked, write_checked

TEXTS, FACTS = "texts", "facts"
SEAL = "seal.json"
REWRITTEN = ("meta.json", ".managed.json")


def write_seal(folder: Path) -> None:
    """Seal the current files. Only the writer of the index may do so."""
    before = read_checked(folder / SEAL) or {}
    known = {name: held for name, held in before.items() if not name.endswith(REWRITTEN)}
    now = seal.sealed(folder, [name for part in _parts(folder) for name in _files(folder, part)], known)
    if now != before:
        write_checked(folder / SEAL, now)


def sound(folder: Path, *, thorough: bool = False) -> bool:
    """Whether every file matches its seal. While the index is being written, the seal may be outdated."""
    seals = read_checked(folder / SEAL)
    return seals is not None and not seal.fault(folder, seals, thorough=thorough)


def deleted(folder: Path) -> int:
    """The number of deleted texts that tantivy still counts."""
    return sum((part["deletes"] or {}).get("num_deleted_docs", 0) for part in _segments(folder / TEXTS))


def _parts(folder: Path) -> list[str]:
    return [part for part in (TEXTS, FACTS) if (folder / part / "meta.json").exists()]


def _files(folder: Path, part: str) -> list[str]:
    """The files of the segments in `meta.json`; others are being merged or obsolete."""
    ids = tuple(one["segment_id"].replace("-", "") for one in _segments(folder / part))
    names = sorted(path.name for path in (folder / part).iterdir() if ids and path.name.startswith(ids))
    return [f"{part}/{name}" for name in (*names, *REWRITTEN)]


def _segments(files: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((files / "meta.json").read_bytes())["segments"]
    return found
