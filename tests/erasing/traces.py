"""Looks for what is left of a text in the files of a home, also where it is not written as it is read.

A search for bytes finds nothing in a compressed block. So what compresses is looked at for what could hold
anything at all: the dictionaries of tantivy, its segments with deleted rows or outside of the index, LanceDB
fragments and versions that are no longer in force. DuckDB keeps a word
of random letters as it is, in free blocks as in others; that it is found is tested.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import tantivy

from ark_tui.index.vectors.table import driver
from ark_tui.index.words import analysis


def traces(home: Path, marker: str) -> set[str]:
    """Where something is left of a text that has a rare word, or could be."""
    return {*_raw(home, marker), *_segments(home, marker), *_lance(home)}


def _files(home: Path) -> Iterator[Path]:
    return (
        path for path in home.rglob("*") if path.is_file() and path.relative_to(home).parts[0] != "backups"
    )


def _raw(home: Path, marker: str) -> Iterator[str]:
    word = marker.lower().encode()
    for path in _files(home):
        if word in path.read_bytes().lower():
            yield path.relative_to(home).parts[0]


def _segments(home: Path, marker: str) -> Iterator[str]:
    for index in (home / "words" / "texts", home / "words" / "facts", home / "messages" / "texts"):
        if not index.is_dir():
            continue
        listed = json.loads((index / "meta.json").read_text("utf-8"))["segments"]
        opened = tantivy.Index.open(str(index))
        analysis.register(opened)
        if opened.searcher().doc_freq("exact", marker):  # as the dictionary of words has it, deleted or not
            yield f"{index.parent.name}: dictionary"
        if any(segment["deletes"] for segment in listed):
            yield f"{index.parent.name}: deleted rows"
        known = {segment["segment_id"].replace("-", "") for segment in listed}
        if any(len(name := path.name.split(".")[0]) == 32 and name not in known for path in index.iterdir()):
            yield f"{index.parent.name}: old segments"


def _lance(home: Path) -> Iterator[str]:
    for folder in (home / "vectors").glob("*/"):
        if (folder / "_versions").is_dir():
            table = driver().connect(folder.parent).open_table(folder.name.removesuffix(".lance"))
            data = list((folder / "data").glob("*"))
            if (
                len(data) > table.stats()["fragment_stats"]["num_fragments"]
                or len(table.list_versions()) > 1
                or any((folder / "_deletions").glob("*"))
            ):
                yield "vectors: old rows"
