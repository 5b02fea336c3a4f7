"""The mark of an index, and the versions of indexes. Loads neither tantivy nor LanceDB."""

from __future__ import annotations

from ark_tui.index.words import analysis

MARK = "mark.json"
TABLE = "1"  # version of the columns of vector tables


def words_version() -> str:
    """The version of the fields and the analysis of the word index."""
    return f"words-{analysis.VERSION}"


def vectors_version(fingerprint: str, near: str) -> str:
    """The version of a vector table: its columns, model and near-duplicate rule."""
    return f"vectors-{TABLE}-{fingerprint}-{near}"
