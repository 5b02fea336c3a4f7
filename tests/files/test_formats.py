"""A sentence in a file of any format is found by its words and by its place (I8, I21)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ark_tui.domain.documents import Draft
from ark_tui.domain.query import Request
from ark_tui.domain.work import Problem
from ark_tui.engine import Engine
from ark_tui.ingest.reading import Reading
from ark_tui.ingest.walk import Entry
from ark_tui.settings import load
from tests.files.makers import FIRST, MAKERS, SENTENCE, mbox, message

PLACES = {
    "pdf": "Winter › p. 2",
    "docx": "Winter",
    "pptx": "slide 2 › Winter",
    "xlsx": "sheet Winter › note, count",
    "odt": "Winter",
    "odp": "slide 2",
    "ods": "sheet Winter",
    "epub": "chapter 2 › Winter",
    "rtf": "",
    "eml": "Birds",
}


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


@pytest.mark.parametrize("suffix", MAKERS)
def test_the_sentence_is_found_by_its_words_at_its_place_with_exact_offsets(
    engine: Engine, suffix: str
) -> None:
    path = f"birds.{suffix}"
    (hit,) = engine.search(Request(f'"{SENTENCE}" path:{path}', limit=100)).hits
    assert hit.chunk.heading == PLACES[suffix]
    (draft,) = drafts(MAKERS[suffix](), path)
    assert SENTENCE in draft.body[hit.chunk.start_char : hit.chunk.end_char]
    assert FIRST not in draft.body[hit.chunk.start_char : hit.chunk.end_char] or suffix in ("rtf", "eml")
    assert draft.body.splitlines()[hit.chunk.start_line - 1 : hit.chunk.end_line]


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


def test_words_parted_at_the_end_of_a_line_and_ligatures_are_mended() -> None:
    from ark_tui.ingest.readers.pdf import mended

    assert mended("of\ufb01ce pa-\r\ntient, well-\r\nKnown, a\ufffe\r\nb, 3-\r\n4") == (
        "office patient, well-\nKnown, ab, 3-\n4"
    )
    (draft,) = drafts(MAKERS["pdf"](), "a.pdf")
    assert draft.body.endswith("It is patient.")


def test_a_scanned_pdf_is_said() -> None:
    import io

    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(out := io.BytesIO())
    canvas.rect(10, 10, 50, 50)
    canvas.showPage()
    canvas.save()
    found = Reading().read(Entry("a.pdf", 1, 0, 1), out.getvalue())
    assert isinstance(found, Problem)
    assert found.reason == "no text in its pages (1): scanned, or drawn"


def test_what_lacked_its_package_is_read_once_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.pdf").write_bytes(MAKERS["pdf"]())
    with Engine(load(tmp_path / "home", environ={})) as engine:
        with monkeypatch.context() as without:
            without.setattr("ark_tui.ingest.readers.find_spec", lambda _: None)
            (problem,) = engine.index([tmp_path / "notes"]).problems
            assert problem.reason == "needs ark-tui[files]"
            assert engine.index([tmp_path / "notes"]).skipped == 1
        assert engine.index([tmp_path / "notes"]).changed == 1
        assert engine.index([tmp_path / "notes"]).unchanged == 1
