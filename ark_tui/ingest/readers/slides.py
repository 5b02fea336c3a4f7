"""PowerPoint presentations, by python-pptx (requirement I8)."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import pptx

from ark_tui.ingest.readers.content import Content, Text, properties

if TYPE_CHECKING:
    from pptx.shapes.base import BaseShape


def read(data: bytes) -> Iterator[Content]:
    """A presentation: each slide with its title, texts, tables and notes."""
    found, text = pptx.Presentation(io.BytesIO(data)), Text()
    for number, slide in enumerate(found.slides, 1):
        text.place(f"slide {number}", 1)
        head = slide.shapes.title
        if head is not None and head.has_text_frame:
            text.heading(head.text_frame.text, 2)
        for shape in _shapes(slide.shapes):
            if shape.shape_id == (head.shape_id if head is not None else None):
                continue
            if getattr(shape, "has_table", False):
                text.table((cell.text for cell in row.cells) for row in shape.table.rows)  # type: ignore[attr-defined]
            elif shape.has_text_frame:
                text.say(shape.text_frame.text)  # type: ignore[attr-defined]
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            text.say(slide.notes_slide.notes_text_frame.text)
    yield text.content(**properties(found.core_properties))


def _shapes(shapes: Iterable[BaseShape]) -> Iterator[BaseShape]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes)
        else:
            yield shape
