"""What is made to hang, burst or break a reader is a row with a reason, and the next file is read (I21)."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import zipfile

import pytest

from ark_tui.domain.work import Problem
from ark_tui.ingest import apart
from ark_tui.ingest.decode import Unreadable
from ark_tui.ingest.reading import Reading
from ark_tui.ingest.walk import Entry
from tests.files.makers import MAKERS

NULLS = bytes(1 << 20)


def archive(**parts: bytes) -> bytes:
    with zipfile.ZipFile(out := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in parts.items():
            made.writestr(name.replace("__", "/").replace("_xml", ".xml"), data)
    return out.getvalue()


def grown(name: str, megabytes: int = 700) -> bytes:
    """An archive with a part that unpacks to so many megabytes of blanks."""
    with zipfile.ZipFile(out := io.BytesIO(), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made:
        with made.open(name, "w", force_zip64=True) as part:
            part.write(b"<a>")
            for _ in range(megabytes):
                part.write(NULLS.replace(b"\0", b" "))
        made.writestr("[Content_Types].xml", "<Types/>")
    return out.getvalue()


LAUGHS = b'<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;&b;">]><a>&c;</a>'
LOCKED = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
CYCLE = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/Outlines 4 0 R>>endobj\n"
    b"2 0 obj<</Type/Pages/Kids[2 0 R 3 0 R]/Count 2>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R>>endobj\n"
    b"4 0 obj<</First 5 0 R/Last 5 0 R>>endobj\n5 0 obj<</Title(a)/Parent 4 0 R/Next 5 0 R>>endobj\n"
    b"trailer<</Root 1 0 R>>\n"
)
DEEP = b"<body xmlns='urn:oasis:names:tc:opendocument:xmlns:office:1.0'>" + b"<a>" * 200_000

HOSTILE = {
    "cut.pdf": MAKERS["pdf"]()[:400],
    "locked.pdf": LOCKED,
    "cycle.pdf": CYCLE,
    "nulls.pdf": b"%PDF-1.7" + NULLS,
    **{f"cut.{kind}": MAKERS[kind]()[:300] for kind in ("docx", "pptx", "xlsx", "ods", "odt", "epub")},
    **{f"noise.{kind}": b"PK\3\4" + NULLS for kind in ("docx", "pptx", "xlsx", "ods", "odt", "epub")},
    "bomb.docx": grown("word/document.xml"),
    "bomb.odt": grown("content.xml"),
    "laughs.odt": archive(content_xml=LAUGHS),
    "deep.odt": archive(content_xml=DEEP),
    "other.epub": archive(**{"META-INF__container_xml": b"<container/>"}),
    "old.doc": b"\xd0\xcf\x11\xe0" + NULLS,
    "empty.rtf": b"{\\rtf1}",
    "deep.rtf": b"{\\rtf1" + b"{" * 500_000,
    "empty.eml": b"",
    "nulls.eml": NULLS,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_it_is_a_row_with_a_reason_and_the_next_file_is_read(name: str) -> None:
    data = HOSTILE[name]
    found = Reading().read(Entry(name, len(data), 0, 1), data)
    assert isinstance(found, Problem)
    assert (found.path, found.state) == (name, "skipped")
    assert 0 < len(found.reason) < 200
    after = MAKERS["odp"]()
    assert not isinstance(Reading().read(Entry("a.odp", len(after), 0, 1), after), Problem)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("while True: pass", "takes more than 10 s to read"),
        ("bytearray(600 << 20)", "takes more than 500 MB to read"),
        ("import os; os.abort()", "damaged, or too much: its reader died (SIGABRT)"),
        ("print('hello'); raise ValueError('no')", "damaged: ValueError, no"),
    ],
)
def test_a_reader_that_runs_bursts_or_dies_is_said(
    code: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a reader of our own in the process, and a tenth of a second for the one that never ends."""

    def started(_: apart._Process) -> subprocess.Popen[bytes]:
        program = (
            "import sys; from ark_tui.ingest import apart, readers\n"
            f"def read(data):\n    {code}\n"
            "apart.texts, apart.SECONDS = (lambda suffix, data: read(data)), 0.1\napart.main()"
        )
        return subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    monkeypatch.setattr(apart._Process, "_started", started)
    process = apart._Process()
    with pytest.raises(Unreadable, match=re.escape(reason)):
        process.read(".pdf", b"")
    process.end()
