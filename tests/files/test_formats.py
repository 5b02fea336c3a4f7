"""A sentence in a file of any format is found by its words and by its place (I8, I21)."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from shutil import which

import pytest

from ark_tui.domain.documents import Draft
from ark_tui.domain.query import Request
from ark_tui.domain.work import Problem
from ark_tui.engine import Engine
from ark_tui.ingest import apart
from ark_tui.ingest.decode import Unreadable
from ark_tui.ingest.markdown import Block
from ark_tui.ingest.readers import texts
from ark_tui.ingest.readers.content import Content
from ark_tui.ingest.reading import Reading
from ark_tui.ingest.walk import Entry
from ark_tui.settings import load
from tests.files.makers import MAKERS, SENTENCE, mbox, message


def drafts(data: bytes, path: str) -> tuple[Draft, ...]:
    found = Reading().read(Entry(path, len(data), 0, 1), data)
    assert not isinstance(found, Problem), found
    return found


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    place = tmp_path_factory.mktemp("formats")
    folder = place / "office"
    (folder / "inbox" / "cur").mkdir(parents=True)
    for suffix, make in MAKERS.items():
        (folder / f"birds.{suffix}").write_bytes(make())
    (folder / "box.mbox").write_bytes(mbox(place))
    (folder / "inbox" / "cur" / "1.P2.host:2,S").write_bytes(message("Maildir").as_bytes())
    engine = Engine(load(place / "home", environ={}))
    report = engine.index([folder])
    assert (report.added, report.problems) == (len(MAKERS) + 2, ())
    return engine


@pytest.mark.parametrize(
    ("suffix", "place"),
    [("pdf", "p. 2"), ("pptx", "slide 2"), ("ods", "sheet Winter"), ("epub", "chapter 2"), ("docx", "")],
)
def test_the_page_stands_beside_the_path(engine: Engine, suffix: str, place: str) -> None:
    (hit,) = engine.search(Request(f'"{SENTENCE}" path:birds.{suffix}')).hits
    assert hit.chunk.place == place


@pytest.mark.parametrize("suffix", ["pdf", "docx", "odt", "epub"])
def test_what_a_file_says_of_itself_becomes_title_date_and_fields(engine: Engine, suffix: str) -> None:
    (hit,) = engine.search(Request(f"author:ann path:birds.{suffix}")).hits
    assert hit.document.title == "River birds"


def test_a_message_is_decoded_with_its_attachments_and_can_be_asked_for_by_who_wrote_it(
    engine: Engine,
) -> None:
    (draft,) = drafts(MAKERS["eml"](), "a.eml")
    assert (draft.title, str(draft.date), draft.date_source) == ("Birds", "2026-03-14", "properties")
    assert [c.heading for c in draft.chunks][-1] == "Birds › plan.docx › Winter › bird, count"
    found = engine.search(Request("from:ann@example.org thread:5@example.org path:box.mbox")).hits
    assert {hit.document.title for hit in found} == {"First", "Second"}
    (hit,) = engine.search(Request(f'"{SENTENCE}" path:inbox/')).hits
    assert hit.document.title == "Maildir"


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_message_of_an_mbox_begins_after_a_blank_line_and_a_quoted_from_is_read_as_it_was_written(
    end: bytes,
) -> None:
    envelope = b"From ann@zoo.example Sat Mar 14 10:00:00 2026"
    first = (envelope, b"Subject: One", b"", b">From the garden", b"From 2019 on, no message", b"")
    second = (envelope, b"Subject: Two", b"", b">>From a quotation", b"")
    contents = texts(".mbox", end.join((*first, *second)))
    assert [one.text for one in contents] == [
        "One\n\nFrom the garden\nFrom 2019 on, no message",
        "Two\n\n>From a quotation",
    ]


def test_an_mbox_whose_messages_all_say_nothing_has_a_reason() -> None:
    with pytest.raises(Unreadable, match="no text in it"):
        list(texts(".mbox", b"From a Sat Mar 14 10:00:00 2026\n\n" * 3))


def test_what_cannot_be_stored_is_replaced_and_lengths_stay() -> None:
    said = asdict(Content("a\ud800b\0c", (Block(0),), title="\udce9", fields=(("k", "\udce9"),)))
    content = Content.of(said)
    assert (content.text, content.title, content.fields) == ("a?b\ufffdc", "?", (("k", "?"),))


def test_words_parted_at_the_end_of_a_line_and_ligatures_are_mended() -> None:
    from ark_tui.ingest.readers.pdf import joined

    assert joined("of\ufb01ce pa-\r\ntient, well-\r\nKnown, a\ufffe\r\nb, 3-\r\n4") == (
        "office patient, well-\nKnown, ab, 3-\n4"
    )
    (draft,) = drafts(MAKERS["pdf"](), "a.pdf")
    assert draft.body.endswith("It is patient.")


def written_across() -> bytes:
    """Two columns of prose between a title and a last line, written line by line across both."""
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(out := io.BytesIO(), pagesize=(600, 400))
    canvas.drawString(
        40, 380, "A title that goes over nearly the whole width of both of the columns of this page"
    )
    for line in range(12):
        canvas.drawString(40, 350 - 14 * line, f"the left line {line} goes on along the river")
        canvas.drawString(320, 350 - 14 * line, f"the right line {line} tells of the mountain")
    canvas.drawString(
        40, 160, "The last line is as long as the title that stands above the two columns of this page"
    )
    canvas.save()
    return out.getvalue()


def test_columns_are_read_one_after_the_other() -> None:
    (draft,) = drafts(written_across(), "a.pdf")
    left, right = ([f"the {side} line {n}" for n in range(12)] for side in ("left", "right"))
    starts = [" ".join(line.split()[:4]) for line in draft.body.splitlines()]
    assert starts == ["A title that goes", *left, *right, "The last line is"]


def test_paragraphs_that_flow_from_column_to_column_stay_as_they_were_written() -> None:
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph

    frames = [Frame(left, 20, 240, 260) for left in (40, 310)]
    layout = BaseDocTemplate(out := io.BytesIO(), pagesize=(600, 300))
    layout.addPageTemplates(PageTemplate(frames=frames))
    style = getSampleStyleSheet()["Normal"]
    said = [f"Paragraph {n} flows along its column until that ends with word{n}." for n in range(18)]
    layout.build([Paragraph(one, style) for one in said])
    (draft,) = drafts(out.getvalue(), "a.pdf")
    assert " ".join(draft.body.split()) == " ".join(said)


def test_a_table_is_read_by_its_rows() -> None:
    from reportlab.platypus import SimpleDocTemplate, Table

    table = Table([[f"bird {n}", f"{n} seen"] for n in range(20)], colWidths=200)
    SimpleDocTemplate(out := io.BytesIO()).build([table])
    (draft,) = drafts(out.getvalue(), "a.pdf")
    assert [line.split() for line in draft.body.splitlines()] == [
        ["bird", str(n), str(n), "seen"] for n in range(20)
    ]


def scanned() -> bytes:
    """A page that is a picture of a sentence, and one of nothing."""
    import pypdfium2
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    picture = pypdfium2.PdfDocument(MAKERS["pdf"]())[1].render(scale=3).to_pil()
    canvas = Canvas(out := io.BytesIO(), pagesize=(400, 400))
    canvas.drawImage(ImageReader(picture), 0, 0, 400, 400)
    canvas.showPage()
    canvas.rect(10, 10, 5, 5)
    canvas.save()
    return out.getvalue()


FAKE = f"""#!{sys.executable}
import sys
if "--list-langs" in sys.argv:
    print("List of available languages:", "eng", "osd", sep="\\n")
else:
    picture = sys.stdin.buffer.read()
    drawn = sum(value < 64 for value in picture[20:]) > 1000
    print({SENTENCE!r} if drawn and picture.startswith(b"P5 1112 1112 255") and "eng" in sys.argv else "")
"""


@pytest.fixture
def tesseract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder where programs are looked for; those that read files begin anew with it."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()
    apart._PROCESS.end()
    yield tmp_path / "bin" / "tesseract"
    apart._PROCESS.end()


def test_a_scanned_pdf_is_said_and_read_once_tesseract_is_there(tesseract: Path, tmp_path: Path) -> None:
    """With a program in its place, which is asked as tesseract is and says whether it got a picture."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.pdf").write_bytes(scanned())
    with Engine(load(tmp_path / "home", environ={})) as engine:
        (problem,) = engine.index([tmp_path / "notes"]).problems
        assert problem.reason == (
            "no text in its pages (2): scanned, or drawn; tesseract would read it, but is not installed"
        )
        assert engine.index([tmp_path / "notes"]).skipped == 1
        tesseract.write_text(FAKE)
        tesseract.chmod(0o700)
        apart._PROCESS.end()
        (problem,) = engine.index([tmp_path / "notes"]).problems
        assert (problem.state, problem.reason) == (
            "indexed",
            "no text on 1 of its 2 pages: p. 2; text of pictures, by OCR, on 1 of its 2 pages: p. 1",
        )
        (hit,) = engine.search(Request(f'"{SENTENCE}"')).hits
        assert hit.chunk.heading == "p. 1"


@pytest.mark.skipif(not which("tesseract"), reason="tesseract is not installed")
def test_tesseract_itself_reads_a_scanned_page() -> None:
    (draft,) = drafts(scanned(), "a.pdf")
    assert SENTENCE in draft.body
    assert draft.notices[1] == "text of pictures, by OCR, on 1 of its 2 pages: p. 1"


def test_what_lacked_its_package_is_read_once_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.pdf").write_bytes(MAKERS["pdf"]())
    with Engine(load(tmp_path / "home", environ={})) as engine:
        with monkeypatch.context() as without:
            without.setattr("ark_tui.ingest.readers.find_spec", lambda _: None)
            (problem,) = engine.index([tmp_path / "notes"]).problems
            assert problem.reason == "needs ark-tui[files] (pip install 'ark-tui[files]')"
            assert engine.index([tmp_path / "notes"]).skipped == 1
        assert engine.index([tmp_path / "notes"]).changed == 1
        assert engine.index([tmp_path / "notes"]).unchanged == 1
