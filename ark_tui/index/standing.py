"""Whether the indexes of documents are as new as the store and as they were written, by marks and seals.

Neither tantivy nor LanceDB is loaded to find out.
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
TABLE = "1"  # the version of the columns of vector tables


def words_version() -> str:
    """Of the fields and the analysis of words."""
    return f"words-{analysis.VERSION}"


def vectors_version(fingerprint: str, near: str) -> str:
    """Of the columns, of the model, and of what near-duplicates are."""
    return f"vectors-{TABLE}-{fingerprint}-{near}"


def reached(folder: Path, version: str, latest: int) -> bool:
    """Whether the index in a folder, by its mark, is of this version and has a change of the store."""
    mark = seal.read(folder / MARK) or {}
    return mark.get("version") == version and mark.get("number", -1) >= latest


def settled(store: Store, words: Path, vectors: Path, version: str) -> bool:
    """Whether a follower of words, and one of vectors of this version, would find nothing to do."""
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
