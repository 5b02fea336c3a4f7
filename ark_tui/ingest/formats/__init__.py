"""One module per family of formats: `read(file)` turns a decoded file into drafts.

It raises `decode.Unreadable` with the reason if there is no document in the file. `FORMATS` maps suffixes to
functions; a module is imported on first use.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from ark_tui.domain.documents import Draft
    from ark_tui.ingest.formats.file import File

Format: TypeAlias = "Callable[[File], tuple[Draft, ...]]"

FORMATS = {
    **dict.fromkeys((".md", ".markdown", ".mdx", ".qmd"), "markdown.read"),
    **dict.fromkeys((".jsonl", ".ndjson"), "records.read_lines"),
    ".json": "records.read_document",
    **dict.fromkeys((".html", ".htm", ".xhtml"), "webpage.read"),
    ".svg": "webpage.drawing",
    ".ipynb": "notebook.read",
    ".canvas": "notebook.canvas",
    ".org": "markup.org",
    **dict.fromkeys((".rst", ".rest"), "markup.rst"),
    **dict.fromkeys((".adoc", ".asciidoc"), "markup.adoc"),
    **dict.fromkeys((".tex", ".latex"), "markup.tex"),
    **dict.fromkeys((".csv", ".tsv"), "rows.table"),
    **dict.fromkeys((".srt", ".vtt"), "rows.subtitles"),
    ".log": "rows.log",
    **dict.fromkeys((".yaml", ".yml"), "tree.read"),
}
"""The module and function of each suffix (with its dot)."""


def of(suffix: str) -> Format | None:
    """The format of a suffix; None for one without a format of its own."""
    if suffix not in FORMATS:
        return None
    module, function = FORMATS[suffix].split(".")
    found: Format = getattr(import_module(f"{__name__}.{module}"), function)
    return found
