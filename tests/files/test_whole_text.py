"""No part of a file's text is lost, and what is no text is left out and reported (I8, I21, I23)."""

from __future__ import annotations

import io
import json
import re
from email.message import EmailMessage
from typing import Any, cast

import docx
import pptx
import pytest
from docx.oxml import parse_xml
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches
from reportlab.pdfgen import canvas

from ark_tui.domain.documents import Draft
from ark_tui.domain.work import Problem
from ark_tui.ingest.readers import document, mail, pdf, slides
from ark_tui.ingest.reading import Reading
from ark_tui.ingest.walk import Entry

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
    (content,) = document.read(data.getvalue())
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


def test_charts_groups_and_tables_of_a_presentation_are_read() -> None:
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
    made.save(file := io.BytesIO())

    (content,) = slides.read(file.getvalue())

    assert all(
        content.text.count(part) == 1 for part in ("Birds", "kestrel", "wingspan", "grouped", "tabled")
    )


def test_forms_and_remarks_of_a_pdf_are_read() -> None:
    page = canvas.Canvas(data := io.BytesIO())
    page.drawString(100, 700, "Printed words.")
    page.acroForm.textfield(name="f", value="filled in", x=100, y=600)
    page.acroForm.checkbox(name="c", checked=False, x=50, y=50)
    page.textAnnotation("remarked", Rect=[100, 500, 120, 520])
    page.showPage()
    page.save()

    (content,) = pdf.read(data.getvalue())

    assert content.text.split("\n") == ["Printed words.", "", "filled in", "remarked"]


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
