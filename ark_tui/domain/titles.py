"""Names of documents for people: a file name made readable, and what sets equal titles apart."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ark_tui.domain.documents import Document

GENERIC = frozenset({"__init__", "__main__", "changelog", "index", "lib", "license", "main", "mod", "readme"})
"""Names, without their suffix, that say little without their folder."""

_BETWEEN = re.compile(r"(?<!\d)[-_]+|[-_]+(?!\d)|_+")
"""Hyphens and underscores that stand for blanks; those within a date or a version stay."""


def readable(path: str) -> str:
    """The title of a file that states none: `notes/weekly-plan_2026-03.md` → `Weekly plan 2026-03`.

    A generic name gets its folder in front: `render/index`.
    """
    place = PurePosixPath(path)
    name = place.stem
    if name.casefold() in GENERIC:
        return with_folder(place.parent, name)
    words = " ".join(_BETWEEN.sub(" ", name).split()) or name
    return words[:1].upper() + words[1:] if words.islower() and " " in words else words


def file_title(path: str) -> str:
    """The title of a program: its file name, with the folder where the name is generic: `render/main.rs`."""
    place = PurePosixPath(path)
    return with_folder(place.parent, place.name) if place.stem.casefold() in GENERIC else place.name


def with_folder(folder: PurePosixPath, name: str) -> str:
    return f"{folder.name}/{name}" if folder.name else name


def set_apart(documents: Iterable[Document]) -> dict[str, str]:
    """Titles by id; those that would repeat carry the shortest end of their path that differs."""
    groups: dict[str, dict[str, Document]] = {}
    for one in documents:
        groups.setdefault(one.called, {})[one.id] = one
    return {
        id_: f"{title} · {_ending(one, group.values())}" if len(group) > 1 else title
        for title, group in groups.items()
        for id_, one in group.items()
    }


def _ending(one: Document, group: Iterable[Document]) -> str:
    """The last parts of a path, as few as no other of the group has."""
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
