"""No part of a file's text is lost, and what is no text is left out and reported (I8, I21, I23)."""

from __future__ import annotations

import io
import json
import re
import zipfile
from copy import deepcopy
from email.message import EmailMessage
from typing import Any, cast

import docx
import pptx
import pytest
from docx.oxml import parse_xml
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen import canvas

from ark_tui.domain.documents import Draft
from ark_tui.domain.work import Problem
from ark_tui.ingest.readers import mail, office, pdf, zipped
from ark_tui.ingest.reading import Reading
from ark_tui.ingest.walk import Entry
from tests.files import hostile
from tests.files.makers import MAKERS, SENTENCE

SPACES = " ".join(
    f'xmlns:{name}="{address}"'
    for name, address in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "v": "urn:schemas-microsoft-com:vml",
    }.items()
)
BOX = "<w:txbxContent><w:p><w:r><w:t>in a box</w:t></w:r></w:p></w:txbxContent>"
DRAWN = (
    f"<mc:AlternateContent><mc:Choice>{BOX}</mc:Choice><mc:Fallback>{BOX}</mc:Fallback></mc:AlternateContent>"
)
PARTS = {
    "<w:ins><w:r><w:t>inserted</w:t></w:r></w:ins>": "inserted",
    "<w:sdt><w:sdtContent><w:r><w:t>controlled</w:t></w:r></w:sdtContent></w:sdt>": "controlled",
    "<w:hyperlink><w:r><w:t>linked</w:t></w:r></w:hyperlink>": "linked",
    '<w:fldSimple w:instr="DATE"><w:r><w:t>of a field</w:t></w:r></w:fldSimple>': "of a field",
    "<m:oMath><m:r><m:t>E=mc</m:t></m:r></m:oMath>": "E=mc",
    "<w:moveTo><w:r><w:t>moved here</w:t></w:r></w:moveTo>": "moved here",
    f"<w:r>{DRAWN}</w:r>": "in a box",
}
GONE = (
    "<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>",
    "<w:moveFrom><w:r><w:t>deleted</w:t></w:r></w:moveFrom>",
)


def drafts(text: str, path: str) -> Draft:
    found = Reading().read(Entry(path, len(text), 0, 1), text.encode())
    assert not isinstance(found, Problem), found
    return found[0]


def word(*parts: str) -> Any:
    made = docx.Document()
    paragraph = made.add_paragraph("Before. ")
    for part in parts:
        paragraph._p.append(parse_xml(re.sub(r"^<([\w:]+)", rf"<\1 {SPACES}", part)))
    return made


def read_word(made: Any) -> str:
    data = io.BytesIO()
    made.save(data)
    (content,) = office.document(data.getvalue())
    return content.text


@pytest.mark.parametrize("part", PARTS, ids=PARTS.values())
def test_every_part_of_a_word_document_is_read_once(part: str) -> None:
    assert read_word(word(part)).count(PARTS[part]) == 1


@pytest.mark.parametrize("part", GONE)
def test_what_was_deleted_from_a_word_document_is_not_read(part: str) -> None:
    assert "deleted" not in read_word(word(part))


def test_headers_footers_comments_and_nested_tables_of_a_word_document_are_read() -> None:
    made = word()
    table = made.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "same", "same"
    table.cell(0, 1).add_table(1, 1).cell(0, 0).text = "nested"
    made.sections[0].header.paragraphs[0].text = "letterhead"
    made.sections[0].footer.paragraphs[0].text = "small print"
    made.add_comment([made.paragraphs[0].runs[0]], text="remarked", author="Ann")

    text = read_word(made)

    assert "same\tsame nested" in text
    assert all(part in text for part in ("letterhead", "small print", "remarked"))


def test_charts_groups_tables_and_all_of_the_notes_of_a_presentation_are_read() -> None:
    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[5])
    slide.shapes.title.text = "Birds"
    data: Any = cast("Any", CategoryChartData)()
    data.categories = ["kestrel"]
    data.add_series("wingspan", (76,))
    box = (Inches(1), Inches(1), Inches(2), Inches(2))
    slide.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, *box, data)
    slide.shapes.add_group_shape().shapes.add_textbox(*box).text_frame.text = "grouped"
    slide.shapes.add_table(1, 1, *box).table.cell(0, 0).text = "tabled"
    slide.notes_slide.shapes._spTree.append(deepcopy(slide.shapes.title._element))
    made.save(file := io.BytesIO())

    (content,) = office.slides(file.getvalue())

    assert all(content.text.count(part) == 1 for part in ("kestrel", "wingspan", "grouped", "tabled"))
    assert content.text.count("Birds") == 2


def test_forms_and_remarks_of_a_pdf_are_read() -> None:
    page = canvas.Canvas(data := io.BytesIO())
    page.drawString(100, 700, "Printed words.")
    page.acroForm.textfield(name="f", value="filled in", x=100, y=600)
    page.acroForm.choice(name="d", value="k1", options=[("chosen", "k1"), ("other", "k2")], x=100, y=550)
    page.acroForm.checkbox(name="c", checked=False, x=50, y=50)
    page.textAnnotation("remarked", Rect=[100, 500, 120, 520])
    page.showPage()
    page.save()

    (content,) = pdf.read(data.getvalue())

    assert content.text.split("\n") == ["Printed words.", "", "filled in chosen", "k1", "remarked"]


def test_the_letters_of_a_turned_word_stay_together() -> None:
    page = canvas.Canvas(data := io.BytesIO())
    page.drawString(100, 700, "Printed words.")
    height = 500.0
    for letter in "Sauveur":
        page.saveState()
        page.translate(100, height)
        page.rotate(90)
        page.drawString(0, 0, letter)
        page.restoreState()
        height += stringWidth(letter, "Helvetica", 12)
    page.showPage()
    page.save()

    (content,) = pdf.read(data.getvalue())

    assert content.text.split() == ["Printed", "words.", "Sauveur"]


def test_a_page_of_nothing_but_filled_in_forms_is_read() -> None:
    page = canvas.Canvas(data := io.BytesIO())
    page.acroForm.textfield(name="f", value="filled in", x=100, y=600)
    page.showPage()
    page.save()

    (content,) = pdf.read(data.getvalue())

    assert (content.text, content.notices) == ("filled in", ())


def test_text_of_a_font_that_is_not_in_a_pdf_is_reported() -> None:
    drawn = b"BT/F 20 Tf 9 90 Td<2c512c522c53>Tj ET"
    data = hostile.pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R"
        b"/Resources<</Font<</F 5 0 R/G 7 0 R>>>>>>",
        b"<</Length 160>>stream\n%s %s BT/G 9 Tf 9 9 Td(Seen)Tj ET\nendstream " % (drawn, drawn),
        b"<</Type/Font/Subtype/Type0/BaseFont/Ryumin-Light/Encoding/Identity-V/DescendantFonts[6 0 R]>>",
        b"<</Type/Font/Subtype/CIDFontType0/BaseFont/Ryumin-Light"
        b"/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )

    (content,) = pdf.read(data)

    assert content.text == "Seen"
    assert content.notices == (f"{pdf.UNDECODED} 1 of its 1 page: p. 1",)


def test_what_stands_in_for_a_chapter_that_is_no_page_is_read_once() -> None:
    with zipfile.ZipFile(io.BytesIO(MAKERS["epub"]())) as good:
        package = good.read("OEBPS/book.opf").decode()
    package = package.replace('<item id="i0"', '<item id="i0" media-type="image/png" fallback="i1"')

    (content,) = zipped.book(hostile.changed("epub", {"OEBPS/book.opf": package.encode()}))

    assert content.text == f"Winter\n\n{SENTENCE}"


def letter(subject: str, body: str) -> EmailMessage:
    made = EmailMessage()
    made["Subject"] = subject
    made.set_content(body)
    return made


def test_forwarded_messages_are_read_however_deep() -> None:
    inner, middle, outer = letter("Inner", "damson"), letter("Middle", "medlar"), letter("Outer", "See below")
    middle.add_attachment(inner)
    outer.add_attachment(middle)

    (content,) = mail.message(outer.as_bytes())

    assert [block.label for block in content.blocks if block.level] == ["Outer", "Middle", "Inner"]
    assert content.text.index("See below") < content.text.index("medlar") < content.text.index("damson")


def test_lines_that_flow_are_joined() -> None:
    body = "A line that \ngoes on.\nA new one.\n> quoted \n> words\n-- \nAnn"
    (content,) = mail.message(f"Content-Type: text/plain; format=flowed\n\n{body}".encode())

    assert content.text == "A line that goes on.\nA new one.\n> quoted words\n-- \nAnn"


def mailed(text: str) -> str:
    (content,) = mail.message(text.encode())
    return content.text


def test_each_part_of_a_message_is_read_once_also_within_others() -> None:
    inner = EmailMessage()
    inner.set_content("first part")
    inner.add_attachment("puts 1", subtype="x-ruby", filename="a.rb")
    made = EmailMessage()
    made["Subject"] = "Nested"
    made.make_mixed()
    made.attach(inner)
    made.add_attachment(b"of a file", maintype="application", subtype="octet-stream", filename="b.txt")
    made.add_attachment(b"<p>of a page</p>", maintype="application", subtype="x", filename="c.html")

    assert mailed(made.as_string()).split("\n\n") == [
        *("Nested", "first part", "a.rb", "puts 1", "b.txt", "of a file", "c.html", "of a page")
    ]


def test_a_message_whose_page_says_nothing_keeps_its_attachments() -> None:
    made = EmailMessage()
    made.set_content("<p><br></p>", subtype="html")
    made.add_attachment("attached words", filename="a.txt")

    assert mailed(made.as_string()) == "a.txt\n\nattached words"


FLAWED = {
    "a boundary without the quotes it needs": (
        "Content-Type: multipart/alternative; boundary=----=_N\n\n------=_N\n\nplain\n------=_N--\n",
        "plain",
    ),
    "a declared encoding that looks like ASCII": (
        "Content-Type: text/plain; charset=utf-7\n\nFr+APY-sche",
        "Frösche",
    ),
    "a subject in bare UTF-8": ("Subject: Frösche\n\nText", "Frösche\n\nText"),
    "a report of what was not delivered": (
        "Content-Type: message/delivery-status\n\nFinal-Recipient: a@b.c\n\nStatus: 5.3.0\n\nNo such box",
        "Final-Recipient: a@b.c\n\nStatus: 5.3.0\n\nNo such box",
    ),
}


@pytest.mark.parametrize("flaw", FLAWED)
def test_messages_as_programs_write_them_are_read(flaw: str) -> None:
    text, words = FLAWED[flaw]

    assert mailed(text) == words


def test_what_a_data_address_carries_is_left_out_and_reported() -> None:
    draft = drafts(f"# Photo\n\n![x](data:image/png;base64,{'QUJD' * 20_000})\n\nAn axolotl.\n", "a.md")

    assert "![x](data:image/png;base64,…)" in draft.body
    assert draft.notices == ("1 embedded data: address left out (80 kB)",)
    assert len(draft.chunks) == 1
    assert "data:text/plain,short" in drafts("See data:text/plain,short here.", "b.md").body


def test_an_error_that_a_notebook_printed_is_read_without_its_colors() -> None:
    error = {
        "output_type": "error",
        "ename": "KeyError",
        "evalue": "'x'",
        "traceback": ["\x1b[31mline 3\x1b[0m"],
    }
    cells = [{"cell_type": "code", "source": "d['x']", "outputs": [error]}]

    assert "KeyError: 'x'\nline 3" in drafts(json.dumps({"cells": cells, "nbformat": 4}), "a.ipynb").body


ORG = """\
:PROPERTIES:
:ID: 1-a
:END:
#+filetags: :field:
* TODO Buy :shop:food:
:PROPERTIES:
:ID: 1-b
:END:
[[id:2-b][other]] [[file:../c.org::*Head][file]] [[https://x.y/z.org]]
#+begin_src sh
[[no.org]]
#+end_src
"""
RST = """\
:tags: field, shop

See :doc:`intro`, :doc:`guide <../b/start>`, `page <x.rst>`_ and `web <http://x.y/z.html>`_.
"""
ADOC = """\
= Page
:keywords: field, shop

xref:../b.adoc#part[b] <<c.adoc#d,c>> <<here>> link:https://x.y/z.adoc[w]
"""
MARKED_UP = {
    "a/todo.org": (ORG, ["2-b", "c.org"], ("field", "shop", "food")),
    "a/page.rst": (RST, ["a/intro", "b/start", "a/x.rst"], ("field", "shop")),
    "a/page.adoc": (ADOC, ["b.adoc", "a/c.adoc"], ("field", "shop")),
}


@pytest.mark.parametrize("path", MARKED_UP)
def test_links_and_tags_of_markup_are_links_and_tags(path: str) -> None:
    text, targets, tags = MARKED_UP[path]

    draft = drafts(text, path)

    assert [link.target for link in draft.links if link.relation == "links_to"] == targets
    assert draft.tags == tags
    if path.endswith(".org"):
        assert (draft.source_id, draft.aliases) == ("1-a", ("1-b",))
