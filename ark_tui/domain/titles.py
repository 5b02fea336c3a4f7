"""Display titles of documents: readable file names, and suffixes for equal titles."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ark_tui.domain.documents import Document

GENERIC = frozenset({"__init__", "__main__", "changelog", "index", "lib", "license", "main", "mod", "readme"})
"""File names, without suffix, that are unclear without their folder."""

_BETWEEN = re.compile(r"(?<!\d)[-_]+|[-_]+(?!\d)|_+")
"""Hyphens and underscores used as spaces, not those within a date or version."""


def readable(path: str) -> str:
    """The title of a file without one: `notes/weekly-plan_2026-03.md` → `Weekly plan 2026-03`.

    A generic name is prefixed with its folder: `render/index`.
    """
    place = PurePosixPath(path)
    name = place.stem
    if name.casefold() in GENERIC:
        return with_folder(place.parent, name)
    words = " ".join(_BETWEEN.sub(" ", name).split()) or name
    return words[:1].upper() + words[1:] if words.islower() and " " in words else words


def file_title(path: str) -> str:
    """The title of a source file: its name, prefixed with the folder if generic: `render/main.rs`."""
    place = PurePosixPath(path)
    return with_folder(place.parent, place.name) if place.stem.casefold() in GENERIC else place.name


def with_folder(folder: PurePosixPath, name: str) -> str:
    return f"{folder.name}/{name}" if folder.name else name


def set_apart(documents: Iterable[Document]) -> dict[str, str]:
    """Titles by id; equal titles get the shortest distinct end of their path as a suffix."""
    groups: dict[str, dict[str, Document]] = {}
    for one in documents:
        groups.setdefault(one.called, {})[one.id] = one
    return {
        id_: f"{title} · {_ending(one, group.values())}" if len(group) > 1 else title
        for title, group in groups.items()
        for id_, one in group.items()
    }


def _ending(one: Document, group: Iterable[Document]) -> str:
    """The shortest end of a path that no other document of the group has."""
    parts = _parts(one)
    others = [_parts(other) for other in group if other.id != one.id]
    for count in range(1, len(parts)):
        ending = parts[-count:]
        if all(other[-count:] != ending for other in others):
            return "/".join(ending)
    return "/".join(parts)


def _parts(one: Document) -> tuple[str, ...]:
    item = (one.item,) if one.item else ()
    return (one.collection, *PurePosixPath(one.path).parts, *item)
