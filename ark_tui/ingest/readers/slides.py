"""PowerPoint presentations, by python-pptx (requirement I8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import pptx  # noqa: F401 - which registers the parts
from pptx.opc.package import PartFactory
from pptx.package import Package
from pptx.parts.presentation import PresentationPart

from ark_tui.ingest.decode import Unreadable
from ark_tui.ingest.readers import zipped
from ark_tui.ingest.readers.content import Content, Text, properties

if TYPE_CHECKING:
    from pptx.presentation import Presentation
    from pptx.shapes.base import BaseShape

KINDS = (  # besides presentations and their templates
    "application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml",
    "application/vnd.ms-powerpoint.template.macroEnabled.main+xml",
)


def read(data: bytes) -> Iterator[Content]:
    """A presentation: each slide with its title, texts, tables and notes."""
    found, text = _opened(data), Text()
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


def _opened(data: bytes) -> Presentation:
    PartFactory.part_type_for.update(dict.fromkeys(KINDS, PresentationPart))
    part = Package.open(zipped.bounded(data)).main_document_part
    if not isinstance(part, PresentationPart):
        raise Unreadable("damaged: there is no presentation in it")
    found: Presentation = part.presentation
    return found


def _shapes(shapes: Iterable[BaseShape]) -> Iterator[BaseShape]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes)
        else:
            yield shape
