"""References to documents: an id, a path, or `@1` for the first result of the last search."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ark_tui.domain.errors import Hint, NotFound, UsageError
from ark_tui.store import Lease, documents, trash

CHUNK = re.compile(r"(#?[0-9a-f]{4,16}):\d+")


def named(lease: Lease, refs: Sequence[str], *, trashed: bool = False) -> list[int]:
    """The numbers of the referenced documents, each once. Raises `NotFound`, `Ambiguous`, `UsageError`.

    `trashed`: look in the trash instead.
    """
    if not refs:
        raise UsageError("No document is named.", "Name one: an id such as #3fa9c1, a path, or @1.")
    return list(dict.fromkeys(_number(lease, ref, trashed=trashed) for ref in refs))


def _number(lease: Lease, ref: str, *, trashed: bool) -> int:
    name = ref.strip()
    if not name.strip("#./"):
        raise UsageError(
            "The name of a document is empty.", "Name one: an id such as #3fa9c1, a path, or @1."
        )
    if chunk := CHUNK.fullmatch(name):
        name = chunk[1]
    if trashed:
        return documents.resolve(lease, name, trash.HELD)
    try:
        return documents.resolve(lease, name)
    except NotFound:
        _say_if_trashed(lease, name)
        raise


def _say_if_trashed(lease: Lease, name: str) -> None:
    """Raise an error that says a document is in the trash, if it is."""
    try:
        number = documents.resolve(lease, name, trash.HELD)
    except NotFound:
        return
    found = documents.documents(lease, [number])[number]
    raise NotFound(
        f"{found.title} is in the trash.", Hint.run("doc restore", found.short_id, say="Bring it back: {}.")
    )
