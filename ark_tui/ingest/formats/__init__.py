"""One module per family of formats: `read(file)` turns a decoded file into drafts.

It raises `decode.Unreadable` with the reason if there is no document in the file. `SUFFIXES` of a module maps
suffixes to readers. Modules of rare formats, listed in `LATE`, are imported on first use.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from ark_tui.domain.documents import Draft
    from ark_tui.ingest.formats.file import File

Format: TypeAlias = "Callable[[File], tuple[Draft, ...]]"

LATE = {
    **dict.fromkeys((".ipynb", ".canvas"), "notebook"),
    **dict.fromkeys((".org", ".rst", ".rest", ".adoc", ".asciidoc", ".tex", ".latex"), "markup"),
    **dict.fromkeys((".csv", ".tsv", ".srt", ".vtt", ".log"), "rows"),
    **dict.fromkeys((".yaml", ".yml"), "tree"),
}


def suffixes(name: str) -> dict[str, Format]:
    """The formats of a module, by suffix with its dot."""
    found: dict[str, Format] = getattr(import_module(f"{__name__}.{name}"), "SUFFIXES", {})
    return found


def of(suffix: str) -> Format | None:
    """The built-in format of a suffix (with its dot), or None."""
    late = LATE.get(suffix)
    return common().get(suffix) or (suffixes(late)[suffix] if late else None)


@cache
def common() -> dict[str, Format]:
    """The common formats (all but those in `LATE`), by suffix."""
    return {
        suffix: read
        for module in iter_modules(__path__)
        if module.name not in LATE.values()
        for suffix, read in suffixes(module.name).items()
    }
