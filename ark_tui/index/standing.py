"""Check by marks and seals whether the document indexes are up to date and undamaged.

This loads neither tantivy nor LanceDB.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ark_tui.index import seal
from ark_tui.index.words import analysis, files
from ark_tui.store import changes

if TYPE_CHECKING:
    from ark_tui.store import Store

MARK = "mark.json"
TABLE = "1"  # version of the columns of vector tables


def words_version() -> str:
    """The version of the fields and the analysis of the word index."""
    return f"words-{analysis.VERSION}"


def vectors_version(fingerprint: str, near: str) -> str:
    """The version of a vector table: its columns, model and near-duplicate rule."""
    return f"vectors-{TABLE}-{fingerprint}-{near}"


def reached(folder: Path, version: str, latest: int) -> bool:
    """Whether the mark of the index in a folder has this version and includes a change of the store."""
    mark = seal.read(folder / MARK) or {}
    return mark.get("version") == version and mark.get("number", -1) >= latest


def settled(store: Store, words: Path, vectors: Path, version: str) -> bool:
    """Whether the word index and the vector index of this version are up to date and undamaged."""
    from ark_tui.index.vectors.table import VectorTable

    if store.mended:
        return False
    with store.read() as lease:
        identity, latest = changes.identity(lease), changes.latest(lease)
    marks = {
        folder: {"store": identity.store, "epoch": identity.epoch, "version": one, "number": latest}
        for folder, one in ((words, words_version()), (vectors, version))
    }
    return (
        all((seal.read(folder / MARK) or {}).items() >= mark.items() for folder, mark in marks.items())
        and files.sound(words)
        and VectorTable(vectors, 0).sound()
    )
