"""Notebooks by cell and canvases by card (requirement I21)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ark_tui.domain.documents import Draft, LinkDraft
from ark_tui.domain.untrusted import read_json
from ark_tui.ingest import markdown
from ark_tui.ingest.decode import Unreadable, storable
from ark_tui.ingest.formats.file import File
from ark_tui.ingest.markdown import FENCE, Block, first_heading, outline, tags
from ark_tui.ingest.readers.content import Text

LONGEST = 20_000  # characters read of one output
_COLORS = re.compile(r"\x1b\[[0-9;]*m")


def read(file: File) -> tuple[Draft, ...]:
    """A Jupyter notebook: Markdown cells, code cells as fences, and their outputs."""
    found = _object(file)
    language = str(_of(_of(found.get("metadata")).get("language_info")).get("name", ""))
    text = Text()
    for number, cell in enumerate(_list(found.get("cells")), 1):
        source = _joined(_of(cell).get("source"))
        text.place(f"cell {number}")
        if _of(cell).get("cell_type") == "code":
            _fence(text, source, language)
            for output in map(_of, _list(_of(cell).get("outputs"))):
                _fence(text, _printed(output)[:LONGEST])
        else:
            text.take(source, outline(source).blocks)
    content = text.content()
    return (file.read(replace(content, title=first_heading(content.blocks)), "ipynb"),)


def _printed(output: dict[str, Any]) -> str:
    """The text of an output without color codes: printed text, a plain-text result, or a traceback."""
    trace = _list(output.get("traceback"))
    error = f"{output.get('ename', '')}: {output.get('evalue', '')}\n" if output.get("ename") else ""
    lines = "\n".join(line for line in trace if isinstance(line, str))
    shown = _joined(output.get("text") or _of(output.get("data")).get("text/plain"))
    return _COLORS.sub("", shown or error + storable(lines))


def canvas(file: File) -> tuple[Draft, ...]:
    """An Obsidian canvas: its cards from top to bottom; file cards are also links."""
    cards = [_of(card) for card in _list(_object(file).get("nodes"))]
    text, found = Text(), list[LinkDraft]()
    for number, card in enumerate(sorted(cards, key=_place), 1):
        text.place(f"card {number}")
        said = _joined(card.get("text") or card.get("label") or card.get("file") or card.get("url"))
        built = outline(said)
        text.take(said, built.blocks or (Block(0),))
        found += markdown.written(built.links, file.path)
        if card.get("type") == "file" and said:
            found.append(LinkDraft("links_to", said, anchor=_joined(card.get("subpath")).lstrip("#")))
    content = text.content()
    draft = file.read(content, "canvas")
    return (
        replace(
            draft,
            links=markdown.once([*(replace(link, line=0) for link in found), *draft.links]),
            tags=tags(content.text, content.blocks),
        ),
    )


def _fence(text: Text, code: str, language: str = "") -> None:
    if code.strip():
        text.take(code.rstrip(), [Block(0, FENCE, label=language)])


def _object(file: File) -> dict[str, Any]:
    try:
        return _of(read_json(file.text))
    except ValueError as error:
        raise Unreadable(f"damaged: no JSON, {error}") from error


def _of(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _joined(value: Any) -> str:
    """A text that may be given as a list of lines."""
    lines = value if isinstance(value, list) else [value]
    return storable("".join(line for line in lines if isinstance(line, str)))


def _place(card: dict[str, Any]) -> tuple[float, float]:
    y, x = (card.get(axis) for axis in ("y", "x"))
    return (float(y) if isinstance(y, int | float) else 0.0, float(x) if isinstance(x, int | float) else 0.0)
