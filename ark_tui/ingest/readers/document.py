"""Word documents: opened by python-docx, walked element by element, so that no text is lost (I8).

python-docx itself leaves out insertions, content controls, text boxes and what lies in notes; docx2python 3.7
repeats text boxes and keeps moved text, kreuzberg 4.10 loses paragraphs with fields, so the walk is ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import docx  # noqa: F401 - which registers the parts
from docx.opc.part import PartFactory
from docx.oxml.parser import parse_xml
from docx.package import Package
from docx.parts.document import DocumentPart

from ark_tui.ingest.decode import Unreadable
from ark_tui.ingest.readers import zipped
from ark_tui.ingest.readers.content import Content, Text, kind_of, properties

if TYPE_CHECKING:
    from docx.document import Document

KINDS = (  # besides plain documents, which are all that `docx.Document` opens
    "application/vnd.ms-word.document.macroEnabled.main+xml",
    "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
)
BESIDE = re.compile(r"/word/(?:header|footer|footnotes|endnotes|comments)\d*\.xml")  # read after the text
DELETED = {"del", "moveFrom", "Fallback", "delText", "instrText", "pPrChange", "rPrChange", "sdtPr"}
"""Elements whose text the document does not show: deletions, codes of fields, second copies of drawings."""
SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": "\t"}


def read(data: bytes) -> Iterator[Content]:
    """A Word document: paragraphs and tables in their order, then headers, footers, notes and comments."""
    found = _opened(data)
    reader = _Reader({style.style_id: (style.name or "").lower() for style in found.styles})
    reader.blocks(found.element.body)
    seen: set[str] = set()
    for part in found.part.package.iter_parts():
        if BESIDE.fullmatch(part.partname):
            reader.beside(parse_xml(part.blob), seen)
    yield reader.text.content(**properties(found.core_properties, reader.title))


def _opened(data: bytes) -> Document:
    PartFactory.part_type_for.update(dict.fromkeys(KINDS, DocumentPart))
    part = Package.open(zipped.bounded(data)).main_document_part
    if not isinstance(part, DocumentPart):
        raise Unreadable("damaged: there is no Word document in it")
    found: Document = part.document
    return found


class _Reader:
    """Walks elements and puts their text together. `styles`: the names of styles by their ids."""

    def __init__(self, styles: dict[str, str]) -> None:
        self.text = Text()
        self.title = ""
        self._styles = styles

    def blocks(self, parent: Any) -> None:
        """The paragraphs and tables below an element, also those within content controls."""
        for child in parent:
            kind = kind_of(child)
            if kind == "p":
                self._paragraph(child)
            elif kind == "tbl":
                self._table(child)
            elif kind not in DELETED:
                self.blocks(child)

    def beside(self, root: Any, seen: set[str]) -> None:
        """The paragraphs of a header, footer, note or comment, each text once."""
        for paragraph in root.iter(f"{{{root.nsmap['w']}}}p"):
            words = _words(paragraph)
            if words not in seen:
                seen.add(words)
                self.text.say(words)

    def _paragraph(self, element: Any) -> None:
        words, style = _words(element), self._style(element)
        level = style.removeprefix("heading ")
        if style == "title":
            self.title = self.title or words
            self.text.heading(words, 1)
        elif level.isdecimal():
            self.text.heading(words, min(int(level), 6))
        else:
            self.text.say(words)
        for box in _boxes(element):
            self.blocks(box)

    def _style(self, element: Any) -> str:
        for child in element.iterchildren():
            if kind_of(child) == "pPr":
                ids = (one for one in child if kind_of(one) == "pStyle")
                return self._styles.get(next((one.values()[0] for one in ids), ""), "")
        return ""

    def _table(self, table: Any) -> None:
        self.text.table([_cell(cell) for cell in _below(row, "tc")] for row in _below(table, "tr"))


def _below(element: Any, kind: str) -> Iterator[Any]:
    """The elements of a kind in a row or table, also those within content controls or insertions."""
    for child in element:
        if kind_of(child) == kind:
            yield child
        elif kind_of(child) not in DELETED | {"tbl", "p"}:
            yield from _below(child, kind)


def _cell(cell: Any) -> str:
    """The text of a cell, with tables and text boxes within it."""
    return " ".join(filter(None, (_words(one).strip() for one in _paragraphs(cell))))


def _paragraphs(element: Any) -> Iterator[Any]:
    """Every paragraph below an element that is not deleted, in order."""
    for child in element:
        if kind_of(child) == "p":
            yield child
        if kind_of(child) not in DELETED:
            yield from _paragraphs(child)


def _boxes(element: Any) -> Iterable[Any]:
    """The contents of text boxes in a paragraph."""
    for child in element:
        if kind_of(child) == "txbxContent":
            yield child
        elif kind_of(child) not in DELETED:
            yield from _boxes(child)


def _words(element: Any) -> str:
    """The text of a paragraph as it stands, equations included; paragraphs within it are not repeated."""
    return "".join(_texts(element))


def _texts(element: Any) -> Iterator[str]:
    for child in element:
        kind = kind_of(child)
        if kind == "t":
            yield child.text or ""
        elif kind in SIGNS:
            yield SIGNS[kind]
        elif kind not in DELETED | {"txbxContent", "tabs", "pPr"}:
            yield from _texts(child)
