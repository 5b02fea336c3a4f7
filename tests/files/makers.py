"""Files in the formats that people have, by other people's writers: each with a sentence at a place."""

from __future__ import annotations

import io
import mailbox
import zipfile
from collections.abc import Callable, Sequence
from email.message import EmailMessage
from html import escape
from pathlib import Path

FIRST = "The opening page says nothing of it."
SENTENCE = "The heron waits beside the frozen weir."

Sections = Sequence[tuple[str, str]]  # headings, each with its paragraph
BIRDS: Sections = (("Opening", FIRST), ("Winter", SENTENCE))


def pdf(sections: Sections = BIRDS, more: Sequence[str] = ("It is pa-", "tient.")) -> bytes:
    """Pages with an outline; the last has a word that is parted at a line's end."""
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(out := io.BytesIO(), pagesize=(400, 400))
    canvas.setTitle("River birds")
    canvas.setAuthor("Ann Lee")
    for key, body in sections:
        canvas.bookmarkPage(key)
        canvas.addOutlineEntry(key, key)
        for number, line in enumerate([body, *(more if key == sections[-1][0] else ())]):
            canvas.drawString(40, 300 - 20 * number, line)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def docx(sections: Sections = BIRDS) -> bytes:
    """Headings, a paragraph and a table."""
    import docx as word

    document = word.Document()
    document.core_properties.title, document.core_properties.author = "River birds", "Ann Lee"
    for title, body in sections:
        document.add_heading(title, 1)
        document.add_paragraph(body)
    table = document.add_table(2, 2)
    for row, cells in enumerate([("bird", "count"), ("heron", "3")]):
        for column, cell in enumerate(cells):
            table.cell(row, column).text = cell
    document.save(out := io.BytesIO())
    return out.getvalue()


def pptx(sections: Sections = BIRDS) -> bytes:
    """Two slides, the second with notes."""
    import pptx as powerpoint

    deck = powerpoint.Presentation()
    deck.core_properties.title = "River birds"
    for title, body in sections:
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text_frame.text = body
        slide.notes_slide.notes_text_frame.text = "Say it slowly."
    deck.save(out := io.BytesIO())
    return out.getvalue()


def xlsx(sections: Sections = BIRDS) -> bytes:
    """Sheets with the names of their columns."""
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, body in sections:
        sheet = book.create_sheet(title)
        for row in (["note", "count"], ["", 4], [body, 3]):
            sheet.append(row)
    book.save(out := io.BytesIO())
    return out.getvalue()


def odt(sections: Sections = BIRDS) -> bytes:
    """Headings and paragraphs."""
    from odfdo import Document, Header, Paragraph

    document = Document("text")
    document.meta.title, document.meta.creator = "River birds", "Ann Lee"
    document.body.clear()
    for title, body in sections:
        document.body.append(Header(1, title))
        document.body.append(Paragraph(body))
    document.save(out := io.BytesIO())
    return out.getvalue()


def odp(sections: Sections = BIRDS) -> bytes:
    """Two slides."""
    from odfdo import Document, DrawPage, Frame

    deck = Document("presentation")
    deck.body.clear()
    for number, (_, body) in enumerate(sections):
        page = DrawPage(f"page{number}")
        page.append(Frame.text_frame(body, size=("10cm", "2cm")))
        deck.body.append(page)
    deck.save(out := io.BytesIO())
    return out.getvalue()


def ods(sections: Sections = BIRDS) -> bytes:
    """Two sheets."""
    from odfdo import Document, Table

    book = Document("spreadsheet")
    book.body.clear()
    for name, body in sections:
        sheet = Table(name)
        sheet.set_value((0, 0), body)
        book.body.append(sheet)
    book.save(out := io.BytesIO())
    return out.getvalue()


def epub(sections: Sections = BIRDS) -> bytes:
    """Chapters, whose order is that of the spine and not of the archive."""
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    )
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        "<metadata><dc:title>River birds</dc:title><dc:creator>Ann Lee</dc:creator>"
        "<dc:date>2024-05-01</dc:date></metadata>"
        "<manifest>{}</manifest><spine>{}</spine></package>"
    )
    numbers = range(len(sections))
    items = "".join(f'<item id="i{n}" href="part%20{n}.xhtml"/>' for n in reversed(numbers))
    package = package.format(items, "".join(f'<itemref idref="i{n}"/>' for n in numbers))
    page = "<html><body><h1>{}</h1><p>{}</p></body></html>"
    pages = {f"OEBPS/part {n}.xhtml": page.format(*map(escape, sections[n])) for n in reversed(numbers)}
    parts = {"META-INF/container.xml": container, **pages, "OEBPS/book.opf": package}
    with zipfile.ZipFile(out := io.BytesIO(), "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return out.getvalue()


def rtf(sections: Sections = BIRDS) -> bytes:
    """Two paragraphs."""
    said = "".join(f"{body}\\par " for _, body in sections).encode("utf-16-le")
    units = (int.from_bytes(said[at : at + 2], "little", signed=True) for at in range(0, len(said), 2))
    return (
        rb"{\rtf1\ansi{\fonttbl\f0 Arial;}\f0 "
        + b"".join(bytes([unit]) if 0 < unit < 128 else f"\\u{unit}?".encode() for unit in units)
        + b"}"
    )


def message(subject: str = "Birds", body: str = SENTENCE, **headers: str) -> EmailMessage:
    """A message, encoded so that its words stand nowhere in its bytes."""
    found = EmailMessage()
    found["From"], found["To"], found["Subject"] = "Ann Lee <ann@example.org>", "bob@example.org", subject
    found["Date"], found["Message-ID"] = "Sat, 14 Mar 2026 10:00:00 +0100", f"<{len(subject)}@example.org>"
    for name, value in headers.items():
        found[name.replace("_", "-")] = value
    found.set_content(f"{FIRST}\n\n{body}\n", cte="base64")
    return found


def eml() -> bytes:
    """A message with HTML beside its text, and an attachment."""
    found = message("Birds")
    found.add_alternative(f"<p>{SENTENCE}</p>", subtype="html")
    found.add_attachment(docx(), maintype="application", subtype="octet-stream", filename="plan.docx")
    return found.as_bytes()


def mbox(folder: Path) -> bytes:
    """Two messages, the second in reply to the first."""
    file = folder / "made.mbox"
    box = mailbox.mbox(file)
    box.add(message("First", FIRST))
    box.add(message("Second", In_Reply_To="<5@example.org>"))
    box.close()
    return file.read_bytes()


MAKERS: dict[str, Callable[[], bytes]] = {
    maker.__name__: maker for maker in (pdf, docx, pptx, xlsx, odt, odp, ods, epub, rtf, eml)
}
