"""Word, PowerPoint, spreadsheets and Rich Text (requirement I8).

Word and PowerPoint files are opened with python-docx and python-pptx, and their XML is traversed here so that
no text is lost: python-docx itself omits insertions, content controls, text boxes and notes; docx2python 3.7
duplicates text boxes and keeps moved text; kreuzberg 4.10 loses paragraphs with fields. Each reader imports
its own library.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ark_tui.ingest.decode import LOCKED, Unreadable
from ark_tui.ingest.readers import zipped
from ark_tui.ingest.readers.content import Content, Text

WORD_KINDS = (  # besides plain documents, the only kind that `docx.Document` opens
    "application/vnd.ms-word.document.macroEnabled.main+xml",
    "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
)
SLIDE_KINDS = (  # besides presentations and their templates
    "application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml",
    "application/vnd.ms-powerpoint.template.macroEnabled.main+xml",
)
BESIDE = re.compile(r"/word/(?:header|footer|footnotes|endnotes|comments)\d*\.xml")  # read after the text
OF_SLIDES = ("/diagramData", "/chart", "/comments", "/comment")  # relationship types of parts of a slide
DELETED = {"del", "moveFrom", "Fallback", "delText", "instrText", "pPrChange", "rPrChange", "sdtPr"}
"""Elements with hidden text: deletions, field codes, fallback copies of drawings."""
BLOCKS = frozenset({"tbl", "p"})
SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": "\t"}
PACKAGE = "EncryptedPackage".encode("utf-16-le")  # the part that contains an encrypted workbook


def document(data: bytes) -> Iterator[Content]:
    """Read a Word document: paragraphs and tables in order, then headers, footers, notes and comments."""
    import docx  # noqa: F401 - which registers the parts
    from docx.opc.part import PartFactory
    from docx.oxml.parser import parse_xml
    from docx.package import Package
    from docx.parts.document import DocumentPart

    found = _opened(data, Package, PartFactory, WORD_KINDS, DocumentPart, "Word document").document
    reader = _Reader({style.style_id: (style.name or "").lower() for style in found.styles})
    reader.blocks(found.element.body)
    seen: set[str] = set()
    for part in found.part.package.iter_parts():
        if BESIDE.fullmatch(part.partname):
            reader.beside(parse_xml(part.blob), seen)
    yield reader.text.content(**_properties(found.core_properties, reader.title))


def _opened(data: bytes, package: Any, factory: Any, kinds: Iterable[str], part: Any, name: str) -> Any:
    """Open a package of Office; return its main part. Raises `Unreadable` if that is not a `part`.

    `factory` also makes a `part` of these content `kinds`, which the library does not open by itself.
    """
    factory.part_type_for.update(dict.fromkeys(kinds, part))
    found = package.open(zipped.bounded(data)).main_document_part
    if not isinstance(found, part):
        raise Unreadable(f"damaged: there is no {name} in it")
    return found


def slides(data: bytes) -> Iterator[Content]:
    """Read a presentation: each slide with title, texts, tables, diagrams, charts, comments and notes."""
    import pptx  # noqa: F401 - which registers the parts
    from pptx.opc.package import PartFactory
    from pptx.oxml import parse_xml
    from pptx.package import Package
    from pptx.parts.presentation import PresentationPart

    found = _opened(data, Package, PartFactory, SLIDE_KINDS, PresentationPart, "presentation").presentation
    text = Text()
    for number, slide in enumerate(found.slides, 1):
        text.place(f"slide {number}", 1)
        head = slide.shapes.title
        if head is not None and head.has_text_frame:
            text.heading(head.text_frame.text, 2)
        _shapes(text, slide.shapes._spTree, head._element if head is not None else None)  # noqa: SLF001
        for relation in slide.part.rels.values():
            if not relation.is_external and relation.reltype.endswith(OF_SLIDES):
                text.say("\n".join(dict.fromkeys(_labels(parse_xml(relation.target_part.blob)))))
        if slide.has_notes_slide:
            _shapes(text, slide.notes_slide.shapes._spTree)  # noqa: SLF001
    yield text.content(**_properties(found.core_properties))


def sheets(data: bytes) -> Iterator[Content]:
    """Read an Excel or OpenDocument spreadsheet: each sheet by rows, with its column names as heading."""
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    try:
        book = CalamineWorkbook.from_filelike(zipped.bounded(data, unpacked=True))
    except PasswordError as error:
        raise Unreadable(LOCKED) from error
    except CalamineError as error:  # also raised for a password, while formats are tried in turn
        locked = PACKAGE in data or zipped.is_locked(data)
        raise Unreadable(LOCKED if locked else f"damaged: {error}") from error
    text = Text()
    for name in book.sheet_names:
        text.place(f"sheet {name}", 1)
        try:
            rows = book.get_sheet_by_name(name).iter_rows()
        except CalamineError:  # a chart sheet
            continue
        text.table(
            (str(int(one) if isinstance(one, float) and one.is_integer() else one) for one in row)
            for row in rows
        )
    yield text.content()


def rich(data: bytes) -> Iterator[Content]:
    """Read Rich Text: one text of paragraphs."""
    from striprtf.striprtf import rtf_to_text

    if not data.startswith(b"{\\rtf"):
        raise Unreadable("damaged: it does not begin like RTF")
    text = Text()
    plain: str = rtf_to_text(data.decode("latin-1"), errors="replace")  # type: ignore[no-untyped-call]
    for paragraph in plain.split("\n"):
        text.say(paragraph)
    yield text.content()


def _properties(core: Any, title: str = "") -> dict[str, Any]:
    """Title, date and fields from the OOXML core properties."""
    stated = {"author": core.author, "subject": core.subject, "keywords": core.keywords}
    moment = core.modified or core.created
    return {
        "title": (core.title or title).strip(),
        "date": f"{moment:%Y-%m-%d}" if moment else "",
        "fields": tuple((key, value) for key, value in stated.items() if value),
    }


def _kind(element: Any) -> str:
    """The name of an XML element without its namespace; "" for a comment."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


class _Reader:
    """Extracts text from Word XML. `styles`: style names by id."""

    def __init__(self, styles: dict[str, str]) -> None:
        self.text = Text()
        self.title = ""
        self._styles = styles

    def blocks(self, parent: Any) -> None:
        """Add the paragraphs and tables below an element, including those in content controls."""
        for child in parent:
            kind = _kind(child)
            if kind == "p":
                self._paragraph(child)
            elif kind == "tbl":
                rows = _within(child, "tr", BLOCKS)
                self.text.table([_cell(cell) for cell in _within(row, "tc", BLOCKS)] for row in rows)
            elif kind not in DELETED:
                self.blocks(child)

    def beside(self, root: Any, seen: set[str]) -> None:
        """Add the paragraphs of a header, footer, note or comment, without duplicates."""
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
        for box in _within(element, "txbxContent"):
            self.blocks(box)

    def _style(self, element: Any) -> str:
        for child in element.iterchildren():
            if _kind(child) == "pPr":
                ids = (one for one in child if _kind(one) == "pStyle")
                return self._styles.get(next((one.values()[0] for one in ids), ""), "")
        return ""


def _within(element: Any, kind: str, closed: frozenset[str] = frozenset()) -> Iterator[Any]:
    """The outermost elements of a kind that are not deleted, in order; those of `closed` are not entered."""
    for child in element:
        if _kind(child) == kind:
            yield child
        elif _kind(child) not in DELETED | closed:
            yield from _within(child, kind, closed)


def _cell(cell: Any) -> str:
    """The text of a cell, including nested tables and text boxes."""
    return " ".join(filter(None, (_words(one).strip() for one in _paragraphs(cell))))


def _paragraphs(element: Any) -> Iterator[Any]:
    """The paragraphs of an element, each followed by those of the text boxes in it."""
    for paragraph in _within(element, "p"):
        yield paragraph
        yield from _paragraphs(paragraph)


def _words(element: Any) -> str:
    """The text of a paragraph, including equations but not text boxes."""
    return "".join(_texts(element))


def _texts(element: Any) -> Iterator[str]:
    for child in element:
        kind = _kind(child)
        if kind == "t":
            yield child.text or ""
        elif kind in SIGNS:
            yield SIGNS[kind]
        elif kind not in DELETED | {"txbxContent", "tabs", "pPr"}:
            yield from _texts(child)


def _shapes(text: Text, parent: Any, title: Any = None) -> None:
    """Add the texts and tables of shapes in order, including groups and alternate content."""
    for child in parent:
        kind = _kind(child)
        if child is title or kind == "Fallback":
            continue
        if kind == "tbl":
            text.table([" ".join(_lines(cell)) for cell in row if _kind(cell) == "tc"] for row in child)
        elif kind == "txBody":
            text.say("\n".join(_lines(child)))
        else:
            _shapes(text, child, title)


def _lines(body: Any) -> Iterator[str]:
    """The paragraphs of a text body; line breaks within them are kept."""
    for one in body.iter():
        if _kind(one) == "p":
            yield "".join(
                "\n" if _kind(part) == "br" else part.text or ""
                for part in one.iter()
                if _kind(part) in ("t", "br") and part.getparent().get("type") != "slidenum"
            )


def _labels(root: Any) -> Iterator[str]:
    """The texts in a diagram, a chart or comments."""
    return (
        words
        for one in root.iter()
        if _kind(one) in ("t", "v", "text") and (words := (one.text or "").strip())
    )
