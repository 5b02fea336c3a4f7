"""One module per family of formats: `read(file)` turns a decoded file into drafts.

It raises `decode.Unreadable` with the reason when there is no document in the file. `SUFFIXES` of a module
say which files it reads; a package from outside adds a format by an entry point `ark_tui.formats`. Modules of
formats that most folders have none of are imported for their first file: `LATE` names them.
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
    """What a module reads, by suffix with its dot."""
    found: dict[str, Format] = getattr(import_module(f"{__name__}.{name}"), "SUFFIXES", {})
    return found


def of(suffix: str) -> Format | None:
    """The format of a suffix, with its dot; None where there is none here."""
    late = LATE.get(suffix)
    return common().get(suffix) or (suffixes(late)[suffix] if late else None)


@cache
def common() -> dict[str, Format]:
    """What the modules of formats read that many folders have, by suffix."""
    return {
        suffix: read
        for module in iter_modules(__path__)
        if module.name not in LATE.values()
        for suffix, read in suffixes(module.name).items()
    }
