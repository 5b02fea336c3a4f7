"""Word documents, by python-docx (requirement I8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

import docx  # noqa: F401 - which registers the parts
from docx.opc.part import PartFactory
from docx.oxml.ns import qn
from docx.oxml.parser import parse_xml
from docx.package import Package
from docx.parts.document import DocumentPart
from docx.table import Table

from ark_tui.ingest.decode import Unreadable
from ark_tui.ingest.readers import zipped
from ark_tui.ingest.readers.content import Content, Text, properties

if TYPE_CHECKING:
    from docx.document import Document

KINDS = (  # besides plain documents, which are all that `docx.Document` opens
    "application/vnd.ms-word.document.macroEnabled.main+xml",
    "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
)
NOTES = ("/word/footnotes.xml", "/word/endnotes.xml")


def read(data: bytes) -> Iterator[Content]:
    """A Word document: its paragraphs and tables in their order, then its notes."""
    found, text, title = _opened(data), Text(), ""
    for part in found.iter_inner_content():
        if isinstance(part, Table):
            text.table(_once(row.cells) for row in part.rows)
            continue
        style = ((part.style.name if part.style else "") or "").lower()
        level = style.removeprefix("heading ")
        if style == "title":
            title = title or part.text
        if style == "title" or level.isdecimal():
            text.heading(part.text, 1 if style == "title" else min(int(level), 6))
        else:
            text.say(part.text)
    for part in found.part.package.iter_parts():
        if part.partname in NOTES:
            notes = parse_xml(part.blob).iter(qn("w:p"))
            for note in notes:
                text.say("".join(run.text or "" for run in note.iter(qn("w:t"))))
    yield text.content(**properties(found.core_properties, title))


def _opened(data: bytes) -> Document:
    PartFactory.part_type_for.update(dict.fromkeys(KINDS, DocumentPart))
    part = Package.open(zipped.bounded(data)).main_document_part
    if not isinstance(part, DocumentPart):
        raise Unreadable("damaged: there is no Word document in it")
    found: Document = part.document
    return found


def _once(cells: Iterable[Any]) -> Iterator[str]:
    """The texts of cells; those that are merged are one element, which stands once."""
    return (cell.text for _, (cell, *_) in groupby(cells, lambda cell: cell._tc))  # noqa: SLF001
