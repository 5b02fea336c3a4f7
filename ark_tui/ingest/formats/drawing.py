"""Drawings (SVG): what is written in them, and not how they are drawn (requirement I8)."""

from __future__ import annotations

from dataclasses import replace

from ark_tui.domain.documents import Draft
from ark_tui.ingest.formats.file import File
from ark_tui.ingest.formats.webpage import parsed, words
from ark_tui.ingest.readers.content import Text

_WRITTEN = "svg title, svg desc, svg text, svg foreignObject"


def read(file: File) -> tuple[Draft, ...]:
    """Its title, descriptions and labels, each a paragraph, once. Raises `Unreadable` where it has none."""
    tree = parsed(file.text)
    text = Text()
    for one in dict.fromkeys(words(node.text(separator=" ")) for node in tree.css(_WRITTEN)):
        text.say(one)
    named = tree.css_first("svg > title")
    title = words(named.text()) if named else ""
    return (file.read(replace(text.content(), title=title), "svg"),)


SUFFIXES = {".svg": read}
