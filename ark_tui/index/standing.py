"""Whether the indexes of documents are as new as the store and as they were written, by marks and seals.

For who has nothing to add: neither tantivy nor numpy is loaded to find out.
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
SERVING = "8"  # the version of the serving files of vectors
LEAST = 300  # texts below which words share too few contexts
GROWN = 1.05  # times as many texts as weights were made of, from which on they are made anew
UNTESTED = (
    16_384  # texts of which a search's depth is an eighth at least: up to here its recall is no question
)


def words_version() -> str:
    """Of the fields and the analysis of words."""
    return f"words-{analysis.VERSION}"


def vectors_version(fingerprint: str, near: str) -> str:
    """Of the serving files, of the model, and of what near-duplicates are."""
    return f"vectors-{SERVING}-{fingerprint}-{near}"


def recall_due(rows: int, tested_rows: int) -> bool:
    """Whether a search's recall is to be tested: there are many texts, and twice as many as the last time."""
    return rows > max(UNTESTED, 2 * tested_rows - 1)


def weights_due(rows: int, weighed: int) -> bool:
    """Whether the weights of tokens, of so many texts, are to be made of all; 0: a model has none."""
    return weighed > 0 and rows >= GROWN * weighed


def reached(folder: Path, version: str, latest: int) -> bool:
    """Whether the index in a folder, by its mark, is of this version and has a change of the store."""
    mark = seal.read(folder / MARK) or {}
    return mark.get("version") == version and mark.get("number", -1) >= latest


def settled(store: Store, words: Path, vectors: Path, version: str) -> bool:
    """Whether a follower of words, and one of vectors of this version, would find nothing to do."""
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
        and _vectors(vectors)
    )


def _vectors(folder: Path) -> bool:
    """Whether serving files are as they were sealed, with nothing to learn of them, and alone."""
    current = seal.read(folder / "serving" / "current.json")
    if current is None or seal.fault(folder / "serving", current["seals"]):
        return False
    rows = current["rows"]
    if recall_due(rows, current["tested_rows"]) or weights_due(rows, current["idf_rows"]):
        return False
    if rows >= max(LEAST, 2 * current["latent_rows"]):
        return False
    return not (folder / "embeddings.lance").exists()  # as an earlier version left it, which is to go
