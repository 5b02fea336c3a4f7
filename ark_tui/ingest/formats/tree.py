"""YAML, and JSON without records, chunked by key path, such as `paths › /users › get` (I21)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ark_tui.domain.documents import Draft
from ark_tui.domain.titles import file_title
from ark_tui.ingest.chunk.strategies import paragraphs
from ark_tui.ingest.formats.file import File
from ark_tui.ingest.markdown import HEADING, Block

if TYPE_CHECKING:
    import yaml

LARGEST = 1 << 20  # maximum characters that are parsed
DEEPEST = 3  # depth of keys that become headings
NESTED = 500  # maximum nesting: parsing time grows faster than linearly with it

_HALVES = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")  # surrogate escapes, valid in JSON but not in YAML


def read(file: File) -> tuple[Draft, ...]:
    """The file as it is, of type `code`."""
    return (replace(file.plain("yaml", parts(file.text)), title=file_title(file.path), type="code"),)


def parts(text: str) -> list[Block]:
    """Blocks at keys; keys of mappings are headings. Large or invalid text is split into paragraphs."""
    import yaml

    try:
        found = list(_keys(_HALVES.sub(r"\\u0020", text))) if len(text) <= LARGEST else []
    except (yaml.YAMLError, ValueError):
        found = []
    return [found[0]._replace(start=0), *found[1:]] if found else list(paragraphs(text))


def _keys(text: str) -> Iterator[Block]:
    """The blocks of a text, from parser events only: no objects are built, so aliases cannot expand."""
    import yaml

    key: tuple[int, str] | None = None  # offset and name of the key whose value comes next
    for place, depth, event in _nodes(yaml.parse(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))):
        if place == "key" and isinstance(event, yaml.ScalarEvent) and event.start_mark:
            key = event.start_mark.index, " ".join(event.value.split())
        elif place == "value" and key:
            heads = isinstance(event, yaml.MappingStartEvent) and depth <= DEEPEST
            if heads or depth <= DEEPEST + 1:
                yield Block(key[0], HEADING, depth, key[1]) if heads else Block(key[0])
            key = None


def _nodes(events: Iterable[yaml.Event]) -> Iterator[tuple[str, int, yaml.Event]]:
    """Events of keys and values that are not inside a list, with their depth.

    Raises `ValueError` for nesting deeper than `NESTED`.
    """
    import yaml

    open_: list[str] = []  # expected next in each open collection: key, value or list item
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            open_.pop()
        elif isinstance(event, yaml.NodeEvent):
            if open_ and "item" not in open_:
                yield open_[-1], len(open_), event
            if open_ and open_[-1] != "item":
                open_[-1] = "value" if open_[-1] == "key" else "key"
            if isinstance(event, yaml.CollectionStartEvent):
                if len(open_) == NESTED:
                    raise ValueError(f"nested more than {NESTED} deep")
                open_.append("key" if isinstance(event, yaml.MappingStartEvent) else "item")
