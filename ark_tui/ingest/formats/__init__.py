"""One module per family of formats: `read(file)` turns a decoded file into drafts.

It raises `decode.Unreadable` with the reason if there is no document in the file. `SUFFIXES` of a module maps
suffixes to readers; the module is imported on first use.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from ark_tui.domain.documents import Draft
    from ark_tui.ingest.formats.file import File

Format: TypeAlias = "Callable[[File], tuple[Draft, ...]]"

MODULES = {
    **dict.fromkeys((".md", ".markdown", ".mdx", ".qmd"), "markdown"),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), "records"),
    **dict.fromkeys((".html", ".htm", ".xhtml", ".svg"), "webpage"),
    **dict.fromkeys((".ipynb", ".canvas"), "notebook"),
    **dict.fromkeys((".org", ".rst", ".rest", ".adoc", ".asciidoc", ".tex", ".latex"), "markup"),
    **dict.fromkeys((".csv", ".tsv", ".srt", ".vtt", ".log"), "rows"),
    **dict.fromkeys((".yaml", ".yml"), "tree"),
}
"""The module of each suffix (with its dot)."""


def suffixes(name: str) -> dict[str, Format]:
    """The formats of a module, by suffix."""
    found: dict[str, Format] = import_module(f"{__name__}.{name}").SUFFIXES
    return found


def of(suffix: str) -> Format | None:
    """The format of a suffix; None for one without a format of its own."""
    return suffixes(MODULES[suffix])[suffix] if suffix in MODULES else None
