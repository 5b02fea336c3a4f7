"""PowerPoint presentations, by python-pptx (requirement I8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pptx  # noqa: F401 - which registers the parts
from pptx.opc.package import PartFactory
from pptx.oxml import parse_xml
from pptx.package import Package
from pptx.parts.presentation import PresentationPart

from ark_tui.ingest.decode import Unreadable
from ark_tui.ingest.readers import zipped
from ark_tui.ingest.readers.content import Content, Text, kind_of, properties

if TYPE_CHECKING:
    from pptx.presentation import Presentation

KINDS = (  # besides presentations and their templates
    "application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml",
    "application/vnd.ms-powerpoint.template.macroEnabled.main+xml",
)
BESIDE = ("/diagramData", "/chart", "/comments", "/comment")  # kinds of parts that belong to a slide


def read(data: bytes) -> Iterator[Content]:
    """A presentation: each slide with its title, texts, tables, diagrams, charts, comments and notes."""
    found, text = _opened(data), Text()
    for number, slide in enumerate(found.slides, 1):
        text.place(f"slide {number}", 1)
        head = slide.shapes.title
        if head is not None and head.has_text_frame:
            text.heading(head.text_frame.text, 2)
        _shapes(text, slide.shapes._spTree, head._element if head is not None else None)  # noqa: SLF001
        for relation in slide.part.rels.values():
            if not relation.is_external and relation.reltype.endswith(BESIDE):
                text.say("\n".join(dict.fromkeys(_texts(parse_xml(relation.target_part.blob)))))
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


def _shapes(text: Text, parent: Any, title: Any) -> None:
    """The texts and tables of shapes in their order, also of groups and of what only newer programs draw."""
    for child in parent:
        kind = kind_of(child)
        if child is title or kind == "Fallback":
            continue
        if kind == "tbl":
            text.table(
                [" ".join(_paragraphs(cell)) for cell in row if kind_of(cell) == "tc"] for row in child
            )
        elif kind == "txBody":
            text.say("\n".join(_paragraphs(child)))
        else:
            _shapes(text, child, title)


def _paragraphs(body: Any) -> Iterator[str]:
    """The paragraphs of a text; a line break within one is kept."""
    for one in body.iter():
        if kind_of(one) == "p":
            yield "".join(
                "\n" if kind_of(part) == "br" else part.text or ""
                for part in one.iter()
                if kind_of(part) in ("t", "br")
            )


def _texts(root: Any) -> Iterator[str]:
    """The words in a diagram, a chart or comments."""
    return (
        words
        for one in root.iter()
        if kind_of(one) in ("t", "v", "text") and (words := (one.text or "").strip())
    )
